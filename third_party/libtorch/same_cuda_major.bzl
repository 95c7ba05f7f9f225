"""Refuses a LibTorch and a CUDA toolkit of different major versions: one program would load two CUDA runtimes."""

load("//third_party/libtorch:versions.bzl", "TORCH_DEFAULT_CUDA_MAJOR", "TORCH_PIN", "TORCH_PIN_CUDA_12", "pip_arguments")

def _wheel_for(major):
    """A remedy: the command that installs the pin for this CUDA major version; empty where no such wheel is known."""
    cuda = {TORCH_DEFAULT_CUDA_MAJOR: TORCH_DEFAULT_CUDA_MAJOR + ".0", "12": TORCH_PIN_CUDA_12}.get(major, "")
    return " (python3 -m pip install %s)" % pip_arguments(TORCH_PIN, cuda) if cuda else ""

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
                 _wheel_for(toolkit),
             ))
    return []

same_cuda_major = rule(
    implementation = _same_cuda_major_impl,
    attrs = {
        "toolkit": attr.string(doc = "The toolkit's folder."),
        "toolkit_version": attr.int(doc = "As CUDART_VERSION writes it, for example 13000; 0 without a toolkit."),
        "torch": attr.string(doc = "LibTorch's folder."),
        "torch_cuda": attr.string(doc = "The CUDA version of its build, for example 13.0; empty where it does not tell."),
        "torch_version": attr.string(),
    },
)
