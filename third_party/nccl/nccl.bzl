"""Finds NCCL: NCCL_HOME, LibTorch's wheel, the CUDA toolkit, /usr; see companion.bzl."""

load("//third_party/cuda:companion.bzl", "companion_repository")

def nccl_repository():
    """Declares @nccl."""
    companion_repository(
        name = "nccl",
        header = "nccl.h",
        library = "libnccl.so.2",
        override = "NCCL_HOME",
    )
