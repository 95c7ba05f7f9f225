"""Macros for libraries and tests that use LibTorch. Bazel skips their targets where LibTorch is absent.

    torch_library(
        name = "replicas",                    # files as in library.bzl
        module = True,                        # includes torch/nn/module.h
        deps = [":flat_tensors"],             # LibTorch and Abseil are added
    )
"""

load("@libtorch//:defs.bzl", "requires_torch", "requires_torch_cuda")
load(":library.bzl", "lockstep_library", "lockstep_test", "with_dependency")

def _with_torch(deps):
    return with_dependency("@libtorch//:torch", deps)

def _compatible(cuda):
    return requires_torch_cuda() if cuda else requires_torch()

def _tests(module):
    """Returns the name of the precompiled header of tests."""
    return "torch_tests" if module else "tests"

def _group(module, cuda):
    """Returns the group of a test (unit_tests.bzl), or None if it is not joined."""
    return None if cuda else "torch_module" if module else "torch"

def torch_library(
        name,
        deps = [],
        test_deps = [],
        module = False,
        tensor = False,
        test_module = None,
        cuda = False,
        **kwargs):
    """Defines a lockstep_library that depends on LibTorch, and its test.

    Args:
      name: name of the library, as for lockstep_library
      deps: dependencies of the library in addition to LibTorch and Abseil
      test_deps: dependencies of the test in addition to the library, LibTorch, Abseil and GoogleTest
      module: True if the sources include torch/nn/module.h, also by another header: they begin with torch.h precompiled
      tensor: True if the sources include ATen/ops headers, and not torch/nn/module.h: they begin with tensor.h
      test_module: True if the test includes torch/nn/module.h; default: `module`
      cuda: True if a LibTorch with CUDA and a CUDA toolkit are needed
      **kwargs: further arguments of lockstep_library
    """
    lockstep_library(
        name = name,
        deps = _with_torch(deps),
        precompiled_header = "torch" if module else "tensor" if tensor else "libraries",
        target_compatible_with = _compatible(cuda),
        test_deps = _with_torch(test_deps),
        test_precompiled_header = _tests(module if test_module == None else test_module),
        group = _group(module if test_module == None else test_module, cuda),
        **kwargs
    )

def torch_test(name, deps = [], module = False, cuda = False, **kwargs):
    """Defines a lockstep_test that depends on LibTorch.

    Args:
      name: name of the test; the file is NAME.cc
      deps: dependencies in addition to LibTorch, Abseil and GoogleTest
      module: True if the test includes torch/nn/module.h
      cuda: True if a LibTorch with CUDA and a CUDA toolkit are needed
      **kwargs: further arguments of lockstep_test
    """
    lockstep_test(
        name = name,
        deps = _with_torch(deps),
        precompiled_header = _tests(module),
        group = _group(module, cuda),
        target_compatible_with = _compatible(cuda),
        **kwargs
    )
