"""For which GPUs the build compiles: --@cuda//:architectures=75,80,86,90,90a,ptx.

A number is machine code of that architecture; "90a" is Hopper's with the instructions that only Hopper has. "ptx" is
PTX of the last number for GPUs to come, "ptx80" PTX of that one. What nvcc does not know is left out. "portable" stands
for all that tools/package.sh ships.
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
    """90 of "90", "90a" and "ptx90"; 0 of "ptx"."""
    return int("0" + name.replace("ptx", "").rstrip("abcdefghijklmnopqrstuvwxyz"))

def _runs(name, needs):
    """Whether code of this architecture has what `needs` names: "80" and all later ones, "90a" alone, "" any."""
    if needs and not needs.isdigit():
        return name == needs
    return name[-1].isdigit() and _number(name) >= _number(needs)

def _usable(names, known):
    """Those that nvcc knows, with the number of which "ptx" is."""
    usable = [name for name in names if name == "ptx" or str(_number(name)) in known]
    numbers = [name for name in usable if name.isdigit()]
    last = ["ptx" + numbers[-1]] if numbers else []
    return [name for name in usable if name != "ptx"] + (last if "ptx" in usable else [])

def _code_name(name):
    """sm_90 for "90", compute_90 for "ptx90"."""
    return name.replace("ptx", "compute_") if name.startswith("ptx") else "sm_" + name

def portable_code(known):
    """The code in a portable program, as gpu_code.py names it: sm_75, ..., compute_120."""
    return [_code_name(name) for name in _usable(_PORTABLE, known)]

def gencode_flags(names, needs, known):
    """Flags of nvcc for code that runs from architecture `needs` on.

    Where none of the architectures has what the code needs, it is compiled for the first of them with
    LOCKSTEP_CODE_LEFT_OUT defined: its kernels leave their bodies out, and lib/kernels/kernel_code.h says so.

    Args:
      names: of ArchitecturesInfo
      needs: "": nothing; "80": compute capability 8.0; "90a": Hopper's own instructions
      known: architectures that nvcc compiles for
    Returns:
      a list; fails when nvcc knows none of the names.
    """
    usable = _usable(names, known)
    if not usable:
        fail("--@cuda//:architectures=%s: nvcc knows none of these; it knows %s" % (",".join(names), ", ".join(known)))
    flags = []
    running = [name for name in usable if _runs(name, needs)]
    if not running:
        # Nothing but those bodies uses their helpers.
        flags += ["-DLOCKSTEP_CODE_LEFT_OUT", "-diag-suppress=177"]
    for name in running or usable[:1]:
        flags.append("-gencode=arch=compute_%s,code=%s" % (name.replace("ptx", ""), _code_name(name)))
    return flags

def _to_portable_impl(_settings, _attr):
    return {"@cuda//:architectures": "portable"}

_to_portable = transition(implementation = _to_portable_impl, inputs = [], outputs = ["@cuda//:architectures"])

def _portable_objects_impl(ctx):
    return [DefaultInfo(files = depset(ctx.files.objects), runfiles = ctx.runfiles(ctx.files.objects))]

# The object files of some targets, compiled as for tools/package.sh whatever the build's own architectures are.
portable_objects = rule(
    implementation = _portable_objects_impl,
    attrs = {
        "objects": attr.label_list(cfg = _to_portable),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
)
