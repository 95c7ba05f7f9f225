"""What BUILD files load from @cuda: see third_party/cuda/README.md."""

load("@lockstep//third_party/cuda:cuda_library.bzl", _cuda_library = "cuda_library")

CUDA_HOME = "%{home}"

# Architectures that nvcc compiles for.
_KNOWN = %{known}

# As CUDART_VERSION writes it, for example 13000 for 13.0; 0 without CUDA.
CUDA_VERSION = %{version}

def if_cuda(if_true, if_false = []):
    """if_true where a CUDA toolkit was found, if_false elsewhere, as a select()."""
    return select({
        "@cuda//:present": if_true,
        "//conditions:default": if_false,
    })

def requires_cuda():
    """For target_compatible_with: the target is skipped where there is no CUDA toolkit."""
    return if_cuda([], ["@lockstep//third_party/system:absent"])

def cuda_library(name, **kwargs):
    """A cc_library whose srcs are .cu files, compiled by nvcc; skipped where there is no CUDA toolkit.

    Args:
      name: the library's name.
      **kwargs: srcs, hdrs, deps, copts (for nvcc), needs (see cuda_library.bzl), and what cc_library takes.
    """
    _cuda_library(name = name, cuda_home = CUDA_HOME, known_archs = _KNOWN, requires = requires_cuda(), **kwargs)
