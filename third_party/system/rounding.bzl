"""Flags with which every floating point operation is rounded separately, like on x86-64.

Every 64-bit Arm CPU can add a product with one rounding, and GCC uses that by default: results would differ from those
of x86-64 in their last bits, and int8 networks are compared bit by bit. The flags for x86-64 do not change, because not
all of those CPUs have such an instruction and GCC does not use it by default.
"""

_AARCH64 = "@platforms//cpu:aarch64"

ROUNDING_COPTS = select({
    _AARCH64: ["-ffp-contract=off"],
    "//conditions:default": [],
})

# The same for host code in a .cu file; nvcc decides separately for GPU code.
ROUNDING_NVCC_FLAGS = select({
    _AARCH64: ["-Xcompiler=-ffp-contract=off"],
    "//conditions:default": [],
})
