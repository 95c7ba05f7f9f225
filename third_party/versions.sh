# Versions of everything that Lockstep needs from others. Read by install.sh, and partly by lib/doctor/BUILD.
# shellcheck shell=bash disable=SC2034

# Oldest and newest Bazel that Lockstep was tested with: 4.2.3 (Debian 12) and 7.7.1. Also read by lib/doctor/BUILD.
LOCKSTEP_BAZEL_MINIMUM="4.2"
LOCKSTEP_BAZEL_MAXIMUM="7.7"

# One line per need: packages | minimum version | kind | override | why.
#   packages  names in Debian 12 and 13, Ubuntu 22.04 and 24.04; the first that apt has is used.
#   minimum   lowest version that suffices; - if every release's version does. Note: Protocol
#             Buffers 3.15 is the first whose `optional` needs no flag.
#   kind      required: install.sh fails without it. optional: the build and the lab run without it, and report
#             the parts that are missing.
#   override  the need is met without the package if this variable is set, or `command:NAME` is on PATH.
LOCKSTEP_PACKAGES=(
  "bazel-bootstrap | $LOCKSTEP_BAZEL_MINIMUM | required | command:bazel command:bazelisk | Bazel, the build tool"
  "g++ | 10 | required | command:g++ | C++20 compiler"
  "python3 | 3.10 | required | command:python3 | Python, for LibTorch's wheel and the tests"
  "protobuf-compiler | 3.15 | required | LOCKSTEP_PROTOBUF_ROOT | protoc, which compiles the record schemas"
  "libprotobuf-dev | 3.15 | required | LOCKSTEP_PROTOBUF_ROOT | Protocol Buffers, the record files"
  "libabsl-dev | 20210324 | required | LOCKSTEP_ABSEIL_ROOT | Abseil, flags and Status"
  "libgtest-dev | 1.11 | required | LOCKSTEP_GOOGLETEST_ROOT | GoogleTest, the tests"
  "libgmock-dev | 1.11 | required | LOCKSTEP_GOOGLETEST_ROOT | GoogleMock, matchers of the tests"
  "libbenchmark-dev | 1.6 | required | LOCKSTEP_BENCHMARK_ROOT | Google Benchmark, benchmarks/"
  "libarchive-dev | - | required | LOCKSTEP_LIBARCHIVE_ROOT | libarchive, reads archives of images"
  "libbz2-dev | - | required | LOCKSTEP_LIBARCHIVE_ROOT | libbz2, which libarchive's static archive wants for zip"
  "liblzma-dev | - | required | LOCKSTEP_LIBARCHIVE_ROOT | liblzma, which libarchive's static archive wants for xz"
  "nettle-dev | - | required | LOCKSTEP_LIBARCHIVE_ROOT | nettle, which libarchive's static archive wants for zip"
  "libjpeg62-turbo-dev libjpeg-turbo8-dev | - | required | LOCKSTEP_LIBJPEG_ROOT | libjpeg-turbo, reads JPEG folders"
  "libpng-dev | 1.6 | required | LOCKSTEP_LIBPNG_ROOT | libpng, reads PNG folders"
  "libssl-dev | 3.0 | required | LOCKSTEP_OPENSSL_ROOT | OpenSSL, SHA-256 and MD5 digests"
  "libzstd-dev | - | required | LOCKSTEP_OPENSSL_ROOT | zstd, for libarchive's zip, and for OpenSSL on Debian 13"
  "zlib1g-dev | - | required | LOCKSTEP_ZLIB_ROOT | zlib, for libpng, Protocol Buffers and OpenSSL"
  "libeigen3-dev | 3.3 | required | LOCKSTEP_EIGEN_ROOT | Eigen, least squares of the fits"
  "libboost-dev libboost-math-dev | 1.74 | required | LOCKSTEP_BOOST_MATH_ROOT | Boost.Math, Student's t and medians"
  "libgloo-dev | - | required | LOCKSTEP_GLOO_ROOT | Gloo's headers, which LibTorch's own header includes"
  "libwebp-dev | - | optional | LOCKSTEP_LIBWEBP_ROOT | libwebp, reads WebP folders"
  "libdnnl-dev | - | optional | LOCKSTEP_ONEDNN_ROOT | oneDNN 2 or 3, a rival in benchmarks/"
  "gnuplot-nox | - | optional | command:gnuplot | gnuplot, draws the PDF plots of report --format=latex"
  "openmpi-bin | - | optional | command:mpirun | Open MPI, a launcher under which scale_run is tested"
)

# Version of clang-format and clang-tidy, which only tools/presubmit.sh and tools/tidy.sh run.
LOCKSTEP_CLANG_FORMAT_VERSION="14"
LOCKSTEP_CLANG_FORMAT_PIN="clang-format==14.0.6" # package on PyPI, for distributions without this version
LOCKSTEP_CLANG_TIDY_PIN="clang-tidy==14.0.6"     # the same release

# find_clang_program NAME: sets `clang_program` to a NAME of that version, on PATH or in .venv; empty without one.
find_clang_program() {
  for clang_program in "$1-$LOCKSTEP_CLANG_FORMAT_VERSION" "$1" ".venv/bin/$1"; do
    if [[ "$("$clang_program" --version 2>/dev/null)" == *"version $LOCKSTEP_CLANG_FORMAT_VERSION."* ]]; then return; fi
  done
  clang_program=""
}

# install_clang_program NAME PIN: installs PIN into .venv by pip, and sets `clang_program` as above.
install_clang_program() {
  [ -x .venv/bin/python3 ] || python3 -m venv .venv
  .venv/bin/python3 -m pip install --quiet --disable-pip-version-check "$2"
  find_clang_program "$1"
}

# LibTorch comes in the Python wheel: C++ headers and libraries, NCCL and cuDNN, and the Python that tests compare with.
# Minimum and maximum are the oldest and the newest tested version (libtorch/README.md), without the patch release;
# libtorch/libtorch.bzl also reads the three lines.
LOCKSTEP_TORCH_PIN="torch==2.11.0" # CUDA 13.0 build on x86-64 Linux; the version of the measurements
LOCKSTEP_TORCH_MINIMUM="2.11"
LOCKSTEP_TORCH_MAXIMUM="2.15"
LOCKSTEP_NUMPY_PIN="numpy==2.2.6" # newest version that supports Python 3.10
# Disk space of torch and numpy in 10^6 bytes, as measured with the pins: in .venv; in pip's temporary folder during the
# installation, and the same again in its cache.
LOCKSTEP_TORCH_MB=5000
LOCKSTEP_TORCH_DOWNLOAD_MB=3000
# ONNX Runtime runs the int8 networks that we export, as an independent check (//tests/peers:onnx_test). Optional.
LOCKSTEP_ONNXRUNTIME_PIN="onnxruntime==1.23.2" # supports Python 3.10 and sends no telemetry, unlike 1.32.0
LOCKSTEP_ONNX_PIN="onnx==1.23.2" # its checker and its model files, for the same test
LOCKSTEP_PYTHON_MINIMUM="3.10" # requirement of the torch pin

# Not installed by us: the CUDA toolkit, 12.0 or newer (tested: 13.0; cuda/cuda.bzl checks it). Without it, GPU targets
# are skipped.
