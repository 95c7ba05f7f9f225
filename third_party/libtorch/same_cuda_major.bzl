"""Refuses a LibTorch and a CUDA toolkit of different major versions: one program would load two CUDA runtimes."""

load("//third_party/libtorch:versions.bzl", "DEFAULT_CUDA_MAJOR", "pip_arguments")

# CUDA version of the pin's wheel for each major version of CUDA. The pin also has a wheel for 12.8.
_WHEELS = {"12": "12.6", DEFAULT_CUDA_MAJOR: DEFAULT_CUDA_MAJOR + ".0"}

def _wheel_for(pin, major):
    """Returns the command that installs the pin for this major version of CUDA; empty if no such wheel is known."""
    return " (python3 -m pip install %s)" % pip_arguments(pin, _WHEELS[major]) if major in _WHEELS else ""

def _same_cuda_major_impl(ctx):
    torch = ctx.attr.torch_cuda.split(".")[0]
    toolkit = str(ctx.attr.toolkit_version // 1000)
    if torch and torch != toolkit:
        fail(("LibTorch %s in %s is built for CUDA %s, the toolkit in %s is CUDA %s.%d: expected one major version. " +
              "Set CUDA_HOME to a CUDA %s toolkit, or LIBTORCH to a LibTorch for CUDA %s%s, or build without the toolkit: --@cuda//:detected=false.") %
             (
                 ctx.attr.torch_version,
                 ctx.attr.torch,
                 ctx.attr.torch_cuda,
                 ctx.attr.toolkit,
                 toolkit,
                 ctx.attr.toolkit_version % 1000 // 10,
                 torch,
                 toolkit,
                 _wheel_for(ctx.attr.pin, toolkit),
             ))
    return []

same_cuda_major = rule(
    implementation = _same_cuda_major_impl,
    attrs = {
        "pin": attr.string(doc = "The release that third_party/install.sh installs."),
        "toolkit": attr.string(doc = "The toolkit's folder."),
        "toolkit_version": attr.int(doc = "As CUDART_VERSION writes it, for example 13000; 0 without a toolkit."),
        "torch": attr.string(doc = "LibTorch's folder."),
        "torch_cuda": attr.string(doc = "The CUDA version of its build, for example 13.0; empty where it does not tell."),
        "torch_version": attr.string(),
    },
)
