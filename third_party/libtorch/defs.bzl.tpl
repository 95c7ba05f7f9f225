"""What BUILD files load from @libtorch: see third_party/libtorch/README.md."""

# For example 2.11.0+cu130; empty without LibTorch.
TORCH_VERSION = "%{version}"

# CUDA version of its build, for example 13.0; empty for CPUs only.
TORCH_CUDA = "%{cuda_version}"

# The same as CUDART_VERSION writes it: 13000 for 13.0; 0 for CPUs only.
TORCH_CUDA_VERSION = %{cudart_version}

# What `pip install` must be given for this version and this CUDA, and without LibTorch for the pinned one.
TORCH_PIP = "%{pip}"

# Oldest and newest version that was tried, for example 2.11 and 2.15.
TORCH_MINIMUM = "%{minimum}"
TORCH_MAXIMUM = "%{maximum}"

# Absolute path of the interpreter that can import torch, for tests with Python as the oracle; may be empty.
TORCH_PYTHON = "%{python}"

# The folders that hold LibTorch's shared libraries and those that they need.
TORCH_LIBRARY_FOLDERS = %{lib_folders}

def if_torch(if_true, if_false = []):
    """if_true where LibTorch was found, if_false elsewhere, as a select()."""
    return select({
        "@libtorch//:present": if_true,
        "//conditions:default": if_false,
    })

def if_torch_cuda(if_true, if_false = []):
    """if_true where LibTorch has CUDA and there is a CUDA toolkit, if_false elsewhere, as a select()."""
    return select({
        "@libtorch//:cuda": if_true,
        "//conditions:default": if_false,
    })

def requires_torch():
    """For target_compatible_with: the target is skipped where there is no LibTorch."""
    return if_torch([], ["@lockstep//third_party/system:absent"])

def requires_torch_cuda():
    """For target_compatible_with: the target is skipped where there is no LibTorch with CUDA."""
    return if_torch_cuda([], ["@lockstep//third_party/system:absent"])
