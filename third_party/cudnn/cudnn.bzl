"""Finds cuDNN 9: CUDNN_HOME, LibTorch's wheel, the CUDA toolkit, /usr; see companion.bzl."""

load("//third_party/cuda:companion.bzl", "companion_repository")

def cudnn_repository():
    """Declares @cudnn."""
    companion_repository(
        name = "cudnn",
        header = "cudnn.h",
        library = "libcudnn.so.9",
        override = "CUDNN_HOME",
    )
