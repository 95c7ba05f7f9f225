"""Macros for host code that calls CUDA, and for headers of device code. Bazel skips their targets without CUDA.

    cuda_host_library(
        name = "device_buffer",               # files as in //lib:library.bzl
        deps = [":cuda_status"],              # CUDA's runtime and Abseil are added
        test_tags = ["gpu"],
    )

    cuda_headers(name = "pack", hdrs = ["pack.cuh"])

The macro for a kernel is in kernel.bzl.
"""

load("@cuda//:defs.bzl", "requires_cuda")
load("@cudnn//:defs.bzl", "requires_cudnn")
load("@rules_cc//cc:defs.bzl", "cc_library")
load("//lib:library.bzl", "lockstep_library", "lockstep_test", "with_dependency")

def _with_cuda(deps):
    return with_dependency("@cuda//:cudart", deps)

def _compatible(cudnn):
    return requires_cudnn() if cudnn else requires_cuda()

def cuda_host_library(name, deps = [], test_deps = [], cudnn = False, **kwargs):
    """Defines a lockstep_library that depends on CUDA's runtime, and its test. Both are compiled by the C++ compiler.

    Args:
      name: name of the library, as for lockstep_library
      deps: dependencies of the library in addition to CUDA's runtime and Abseil
      test_deps: dependencies of the test in addition to the library, CUDA's runtime, Abseil and GoogleTest
      cudnn: True if cuDNN is needed, too
      **kwargs: further arguments of lockstep_library
    """
    lockstep_library(
        name = name,
        deps = _with_cuda(deps),
        target_compatible_with = _compatible(cudnn),
        group = None if cudnn else "cuda",
        test_deps = _with_cuda(test_deps),
        **kwargs
    )

def cuda_host_test(name, deps = [], cudnn = False, **kwargs):
    """Defines a lockstep_test that depends on CUDA's runtime. It needs a GPU only if it has the tag `gpu`.

    Args:
      name: name of the test; the file is NAME.cc
      deps: dependencies in addition to CUDA's runtime, Abseil and GoogleTest
      cudnn: True if cuDNN is needed, too
      **kwargs: further arguments of lockstep_test
    """
    lockstep_test(
        name = name,
        deps = _with_cuda(deps),
        group = None if cudnn else "cuda",
        target_compatible_with = _compatible(cudnn),
        **kwargs
    )

def cuda_headers(name, hdrs, deps = [], public = False):
    """Defines a cc_library of headers that .cu files include.

    Args:
      name: name of the library
      hdrs: the headers
      deps: dependencies in addition to CUDA's runtime
      public: True: visible to all packages; False: to its own package only
    """
    cc_library(
        name = name,
        hdrs = hdrs,
        target_compatible_with = requires_cuda(),
        visibility = ["//visibility:public"] if public else ["//visibility:private"],
        deps = _with_cuda(deps),
    )
