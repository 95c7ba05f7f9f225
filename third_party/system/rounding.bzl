"""Flags with which every operation on a floating point number is rounded by itself, as x86-64 does it.

Every 64-bit Arm CPU can add a product with one rounding, and by default GCC lets it: results would differ from those of
x86-64 in their last bits, and networks in int8 are compared bit by bit. x86-64's flags stay as they are: GCC knows no such
instruction for all of those CPUs.
"""

_AARCH64 = "@platforms//cpu:aarch64"

ROUNDING_COPTS = select({
    _AARCH64: ["-ffp-contract=off"],
    "//conditions:default": [],
})

# The same for the host's code in a .cu file; nvcc decides by itself about a GPU's.
ROUNDING_NVCC_FLAGS = select({
    _AARCH64: ["-Xcompiler=-ffp-contract=off"],
    "//conditions:default": [],
})
