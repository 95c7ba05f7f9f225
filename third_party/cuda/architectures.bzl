"""Build setting for the GPUs to compile for: --@cuda//:architectures=75,80,86,90,90a,ptx.

A number is machine code of that architecture; "90a" is Hopper's code with the instructions that only Hopper has. "ptx"
is PTX of the last number, for future GPUs; "ptx80" is PTX of that number. Architectures that nvcc does not support are
ignored. "portable" stands for all architectures that tools/package.sh ships.
"""

# Turing, Ampere, Orin (87), Ada, Hopper, Blackwell: B200 (100), B300 (103), Thor (110), RTX (120), DGX Spark (121).
# Code of a lower minor version runs on the GPUs of a later one (CUDA C++ Programming Guide, "Binary Compatibility"), but
# not on Orin and Thor: that guide excludes Tegra.
_PORTABLE = ["75", "80", "86", "87", "89", "90", "90a", "100", "103", "110", "120", "121", "ptx"]

ArchitecturesInfo = provider(fields = {"names": "as above, in order"})

def _architectures_impl(ctx):
    portable = ctx.build_setting_value == "portable"
    return ArchitecturesInfo(names = _PORTABLE if portable else ctx.build_setting_value.split(","))

architectures = rule(
    implementation = _architectures_impl,
    build_setting = config.string(flag = True),
)

def _number(name):
    """Returns 90 for "90", "90a" and "ptx90"; 0 for "ptx"."""
    return int("0" + name.replace("ptx", "").rstrip("abcdefghijklmnopqrstuvwxyz"))

def _runs(name, needs):
    """Returns true if code of this architecture has `needs`: "80" is in all later ones, "90a" only in itself, "" in
    any."""
    if needs and not needs.isdigit():
        return name == needs
    return _number(name) >= _number(needs)

def _usable(names, known):
    """Returns the names that nvcc supports; "ptx" gets its number."""
    usable = [name for name in names if name == "ptx" or str(_number(name)) in known]
    numbers = [name for name in usable if name.isdigit()]
    last = ["ptx" + numbers[-1]] if numbers else []
    return [name for name in usable if name != "ptx"] + (last if "ptx" in usable else [])

def _code_name(name):
    """Returns sm_90 for "90", compute_90 for "ptx90"."""
    return name.replace("ptx", "compute_") if name.startswith("ptx") else "sm_" + name

def portable_code(known):
    """Returns the code in a portable program, in the notation of gpu_code.py: sm_75, ..., compute_120."""
    return [_code_name(name) for name in _usable(_PORTABLE, known)]

def gencode_flags(names, needs, known):
    """Returns flags of nvcc for code that runs from architecture `needs` on.

    If none of the architectures has what the code needs, it is compiled for the first of them with
    LOCKSTEP_CODE_LEFT_OUT defined: its kernels leave their bodies out, and lib/cuda/kernel_code.h reports this.

    Args:
      names: names in ArchitecturesInfo
      needs: "": no requirement; "80": compute capability 8.0; "90a": Hopper's own instructions
      known: architectures that nvcc supports
    Returns:
      a list; fails if nvcc supports none of the names.
    """
    usable = _usable(names, known)
    if not usable:
        fail("--@cuda//:architectures=%s: nvcc supports none; it supports %s" % (",".join(names), ", ".join(known)))
    flags = []
    running = [name for name in usable if _runs(name, needs)]

    # Code of 90a also runs what 90 runs. It is made only where no other code does, since it would be a second copy.
    running = [name for name in running if name[-1].isdigit() or name == needs] or running
    if not running:
        # Only those bodies use their helpers.
        flags += ["-DLOCKSTEP_CODE_LEFT_OUT", "-diag-suppress=177"]
    for name in running or usable[:1]:
        flags.append("-gencode=arch=compute_%s,code=%s" % (name.replace("ptx", ""), _code_name(name)))
    return flags

def _to_portable_impl(_settings, _attr):
    return {"@cuda//:architectures": "portable"}

_to_portable = transition(implementation = _to_portable_impl, inputs = [], outputs = ["@cuda//:architectures"])

def _portable_objects_impl(ctx):
    return [DefaultInfo(files = depset(ctx.files.objects), runfiles = ctx.runfiles(ctx.files.objects))]

# Object files of some targets, compiled with the settings of tools/package.sh, whatever the build's own architectures
# are.
portable_objects = rule(
    implementation = _portable_objects_impl,
    attrs = {
        "objects": attr.label_list(cfg = _to_portable),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
)
