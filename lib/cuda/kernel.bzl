"""Macro for a kernel, its reference implementation and their test; finds the files by the kernel's name.

    cuda_kernel(
        name = "sgd",               # sgd.h, sgd.cu; sgd_reference.cc and sgd_test.cc if they exist
        deps = [":sgd_element"],    # dependencies of the kernel and its reference
        test_deps = [":device_array_testing", ":values_testing"],
    )
"""

load("@cuda//:defs.bzl", "cuda_library", "requires_cuda")
load("@rules_cc//cc:defs.bzl", "cc_library")
load(":host.bzl", "cuda_host_test")

def _found(file):
    return native.glob([file], allow_empty = True)

def cuda_kernel(
        name,
        deps = [],
        reference_deps = None,
        test_deps = [],
        public = False,
        public_reference = False,
        **kwargs):
    """Defines a cuda_library, the cc_library NAME_reference, and the cc_test NAME_test, which needs a GPU.

    Args:
      name: name of the kernel; the files are NAME.h, NAME.cu, NAME_reference.cc, NAME_reference.h and NAME_test.cc
      deps: dependencies of the kernel
      reference_deps: dependencies of the reference in addition to CUDA's headers; default: `deps`
      test_deps: dependencies of the test in addition to the kernel and its reference
      public: True: visible to all packages; False: to its own package only
      public_reference: True: the reference is visible to all packages, for their tests
      **kwargs: arguments of the cuda_library, such as needs
    """
    visibility = ["//visibility:public"] if public else ["//visibility:private"]
    reference = name + "_reference"
    header = _found(reference + ".h")
    cuda_library(name = name, srcs = [name + ".cu"], hdrs = [name + ".h"], deps = deps, visibility = visibility, **kwargs)
    if _found(reference + ".cc"):
        cc_library(
            name = reference,
            testonly = kwargs.get("testonly", False),
            srcs = [reference + ".cc"],
            hdrs = header or [name + ".h"],
            target_compatible_with = requires_cuda(),
            visibility = ["//visibility:public"] if public_reference else ["//visibility:private"],
            deps = ([":" + name] if header else deps if reference_deps == None else reference_deps) + ["@cuda//:cudart"],
        )
    if _found(name + "_test.cc"):
        cuda_host_test(
            name = name + "_test",
            tags = ["gpu"],
            deps = [":" + name] + ([":" + reference] if _found(reference + ".cc") else []) + test_deps,
        )
