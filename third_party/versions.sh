# What Lockstep needs from others, in one place. Read by install.sh.
# shellcheck shell=bash disable=SC2034

# One line per need: packages | minimum version | override | why.
#   packages  names as Debian 12, Ubuntu 22.04 and 24.04 have them; the first that exists is taken.
#   minimum   lowest version that suffices; - when every release's version does. Of note: Bazel 4.2 is what the BUILD
#             files are tried with; Protocol Buffers 3.15 is the first whose `optional` needs no flag.
#   override  the need is met without the package when this variable is set, or `command:NAME` is on PATH.
LOCKSTEP_PACKAGES=(
  "bazel-bootstrap | 4.2 | command:bazel command:bazelisk | Bazel, the build tool"
  "g++ | 10 | command:g++ | C++20 compiler"
  "protobuf-compiler | 3.15 | LOCKSTEP_PROTOBUF_ROOT | protoc, which compiles the record schemas"
  "libprotobuf-dev | 3.15 | LOCKSTEP_PROTOBUF_ROOT | Protocol Buffers, the record files"
  "libabsl-dev | 20210324 | LOCKSTEP_ABSEIL_ROOT | Abseil, flags and Status"
  "libgtest-dev | 1.11 | LOCKSTEP_GOOGLETEST_ROOT | GoogleTest, the tests"
  "libgmock-dev | 1.11 | LOCKSTEP_GOOGLETEST_ROOT | GoogleMock, matchers of the tests"
  "libbenchmark-dev | 1.6 | LOCKSTEP_BENCHMARK_ROOT | Google Benchmark, benchmarks/"
  "libarchive-dev | - | LOCKSTEP_LIBARCHIVE_ROOT | libarchive, reads the CIFAR-10 archives"
  "liblzma-dev | - | LOCKSTEP_LIBARCHIVE_ROOT | liblzma, which libarchive's static archive wants for xz"
  "libjpeg62-turbo-dev libjpeg-turbo8-dev | - | LOCKSTEP_LIBJPEG_ROOT | libjpeg-turbo, reads JPEG folders"
  "libpng-dev | 1.6 | LOCKSTEP_LIBPNG_ROOT | libpng, reads PNG folders"
  "libssl-dev | 3.0 | LOCKSTEP_OPENSSL_ROOT | OpenSSL, SHA-256 and MD5 digests"
  "zlib1g-dev | - | LOCKSTEP_ZLIB_ROOT | zlib, for libpng and Protocol Buffers"
  "libeigen3-dev | 3.3 | LOCKSTEP_EIGEN_ROOT | Eigen, least squares of the fits"
  "libboost-dev libboost-math-dev | 1.74 | LOCKSTEP_BOOST_MATH_ROOT | Boost.Math, Student's t and medians"
  "libdnnl-dev | - | LOCKSTEP_ONEDNN_ROOT | oneDNN, a rival in benchmarks/; version 2, else left out"
  "libgloo-dev | - | LOCKSTEP_GLOO_ROOT | Gloo's headers, which LibTorch's own header includes"
  "clang-format-14 | 14 | command:clang-format-14 | clang-format, in the version that formats the sources"
  "gnuplot-nox | - | command:gnuplot | gnuplot, draws the report's plots at run time"
  "openmpi-bin | - | command:mpirun | Open MPI, a launcher under which scale_run is tested"
)

# LibTorch comes in the Python wheel: C++ headers and libraries, NCCL and cuDNN, and the Python oracle of the tests. The
# repository rule checks its version, too, so the numbers stand in libtorch/versions.bzl.
torch_constant() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" "${BASH_SOURCE[0]%/*}/libtorch/versions.bzl"; }
LOCKSTEP_TORCH_PIN="torch==$(torch_constant TORCH_PIN)"  # The version that was measured.
LOCKSTEP_TORCH_MINIMUM="$(torch_constant TORCH_MINIMUM)"
LOCKSTEP_TORCH_MAXIMUM="$(torch_constant TORCH_MAXIMUM)"
LOCKSTEP_NUMPY_PIN="numpy==2.2.6"   # The newest that still takes Python 3.10.
# ONNX Runtime runs the int8 networks that we export, as an independent check (//tests/peers:onnx_test). Wanted, not needed.
LOCKSTEP_ONNXRUNTIME_PIN="onnxruntime==1.23.2"  # Takes Python 3.10, as 1.32.0 does not, and sends no telemetry, as that does.
LOCKSTEP_ONNX_PIN="onnx==1.23.2"                # Its checker and its model files, for the same test.
LOCKSTEP_PYTHON_MINIMUM="3.10"      # What the torch pin asks for.

# Not installed by us: the CUDA toolkit, 12.0 or newer (tried: 13.0; cuda/cuda.bzl checks it). Without it, GPU
# targets are skipped.
