"""Declares all libraries and tools of others, for WORKSPACE and extensions.bzl. Every rule finds an
installed one; nothing is downloaded.

third_party/install.sh installs them, third_party/versions.sh lists the versions, and the README.md in each folder
describes how to use another copy.
"""

load("//third_party/arm64:arm64.bzl", "arm64_repository")
load("//third_party/clang:clang.bzl", "clang_repository")
load("//third_party/cuda:cuda.bzl", "cuda_repository")
load("//third_party/cudnn:cudnn.bzl", "cudnn_repository")
load("//third_party/libtorch:libtorch.bzl", "libtorch_repository")
load("//third_party/nccl:nccl.bzl", "nccl_repository")
load("//third_party/onednn:onednn.bzl", "onednn_repository")
load("//third_party/system:system_library.bzl", "system_library")

def _system_libraries():
    system_library(
        name = "com_google_protobuf",
        apt = ["libprotobuf-dev", "protobuf-compiler"],
        build_file = "//third_party/protobuf:protobuf.BUILD",
        headers = ["google/protobuf"],
        libraries = ["libprotobuf.a"],
        override = "LOCKSTEP_PROTOBUF_ROOT",
        programs = ["protoc"],
    )
    system_library(
        name = "com_google_absl",
        apt = ["libabsl-dev"],
        archive_prefix = "libabsl_",
        build_file = "//third_party/abseil:abseil.BUILD",
        headers = ["absl"],
        override = "LOCKSTEP_ABSEIL_ROOT",
    )
    system_library(
        name = "com_google_googletest",
        apt = ["libgmock-dev", "libgtest-dev"],
        build_file = "//third_party/googletest:googletest.BUILD",
        headers = ["gmock", "gtest"],
        libraries = ["libgmock.a", "libgmock_main.a", "libgtest.a"],
        override = "LOCKSTEP_GOOGLETEST_ROOT",
    )
    system_library(
        name = "com_google_benchmark",
        apt = ["libbenchmark-dev"],
        build_file = "//third_party/benchmark:benchmark.BUILD",
        headers = ["benchmark"],
        libraries = ["libbenchmark_main.a"],
        override = "LOCKSTEP_BENCHMARK_ROOT",
    )
    system_library(
        name = "openssl",
        apt = ["libssl-dev", "libzstd-dev", "zlib1g-dev"],
        build_file = "//third_party/openssl:openssl.BUILD",
        headers = ["openssl"],
        libraries = ["libcrypto.a"],
        optional_libraries = ["libz.a", "libzstd.a"],
        override = "LOCKSTEP_OPENSSL_ROOT",
    )
    system_library(
        name = "zlib",
        apt = ["zlib1g-dev"],
        build_file = "//third_party/zlib:zlib.BUILD",
        headers = ["zconf.h", "zlib.h"],
        libraries = ["libz.a"],
        override = "LOCKSTEP_ZLIB_ROOT",
    )
    system_library(
        name = "libarchive",
        apt = ["libarchive-dev", "liblzma-dev", "libbz2-dev", "libzstd-dev", "nettle-dev"],
        build_file = "//third_party/libarchive:libarchive.BUILD",
        headers = ["archive.h", "archive_entry.h"],
        libraries = ["libarchive.a", "liblzma.a", "libbz2.a", "libzstd.a", "libnettle.a"],
        override = "LOCKSTEP_LIBARCHIVE_ROOT",
    )
    system_library(
        name = "libjpeg",
        apt = ["libjpeg62-turbo-dev (Ubuntu: libjpeg-turbo8-dev)"],
        build_file = "//third_party/libjpeg:libjpeg.BUILD",
        headers = ["jconfig.h", "jerror.h", "jmorecfg.h", "jpeglib.h"],
        libraries = ["libjpeg.a"],
        override = "LOCKSTEP_LIBJPEG_ROOT",
    )
    system_library(
        name = "libpng",
        apt = ["libpng-dev"],
        build_file = "//third_party/libpng:libpng.BUILD",
        headers = ["png.h", "pngconf.h", "pnglibconf.h"],
        libraries = ["libpng.a"],
        override = "LOCKSTEP_LIBPNG_ROOT",
    )
    system_library(
        name = "libwebp",
        apt = ["libwebp-dev"],
        build_file = "//third_party/libwebp:libwebp.BUILD",
        headers = ["webp"],
        libraries = ["libwebp.a"],
        optional = True,
        optional_libraries = ["libsharpyuv.a"],
        override = "LOCKSTEP_LIBWEBP_ROOT",
    )
    system_library(
        name = "gloo",
        apt = ["libgloo-dev"],
        build_file = "//third_party/gloo:gloo.BUILD",
        headers = ["gloo"],
        override = "LOCKSTEP_GLOO_ROOT",
    )
    system_library(
        name = "eigen",
        apt = ["libeigen3-dev"],
        build_file = "//third_party/eigen:eigen.BUILD",
        headers = ["eigen3"],
        override = "LOCKSTEP_EIGEN_ROOT",
    )
    system_library(
        name = "boost_math",
        apt = ["libboost-dev"],
        build_file = "//third_party/boost_math:boost_math.BUILD",
        headers = ["boost"],
        override = "LOCKSTEP_BOOST_MATH_ROOT",
    )

def installed_repositories():
    """Declares a repository for every library, compiler and toolkit, but none for Bazel's rules."""
    _system_libraries()
    arm64_repository(name = "arm64")
    clang_repository(name = "clang")
    cuda_repository(name = "cuda")
    nccl_repository()
    cudnn_repository()
    libtorch_repository(name = "libtorch")
    onednn_repository(name = "onednn")
