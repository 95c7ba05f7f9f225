#!/usr/bin/env bash
# Makes a portable folder of the six tools for a machine that has a Python with torch, but no Bazel.
#
#   tools/package.sh OUT [ARCHITECTURES]
#
# ARCHITECTURES: GPUs to build for, in the form of --@cuda//:architectures; default: all (third_party/cuda/README.md);
# none: without CUDA, for a machine that has no toolkit.
#
# OUT/<tool>          a launcher: finds torch's and NVIDIA's shared libraries on that machine, then starts the tool
# OUT/doctor          reports which parts of that machine work, also without torch
# OUT/lab             the six tools in a row, as `bazel run //:lab`
# OUT/libexec/<tool>  the stripped binaries
# OUT/lib/            shared libraries that neither torch nor a plain Linux system has; empty, unless a build links one
# OUT/gpu_test_*      the test programs that need a GPU
# OUT/*_benchmark     the benchmarks that need a GPU; libexec/libkernel_timeline.so belongs to them
# OUT/built_with.txt  the torch that the folder was built with; the launchers compare it with the one that they find
# OUT/data, OUT/proto the published tables, and the schemas for `protoc --decode`
# OUT/share           manual pages and shell completion (tools/manual.sh)
# OUT/README.md       how to use the folder
#
# Works from any folder; the finished folder can be moved and be read-only. The machine must have at least glibc 2.34
# and the libstdc++ of GCC 11. This script checks that; programs built on a machine newer than Debian 12 need more.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

if [ $# -lt 1 ] || [ $# -gt 2 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
mkdir -p -- "$1"
out="$(cd -- "$1" && pwd)"
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

tools="cifar_prep train_sweep scale_run comm_model quantize report doctor lab"
architectures="${2:-portable}"
for_gpus=("--@cuda//:architectures=$architectures")
if [ "$architectures" = none ]; then
  for_gpus=(--@cuda//:detected=false --@nccl//:detected=false --@cudnn//:detected=false)
fi
bazel build "${for_gpus[@]}" $(printf '//tools:%s ' $tools) //third_party/libtorch:built_with >&2
bin="$(bazel info bazel-bin 2>/dev/null)"

rm -rf "$out/libexec" "$out/lib" "$out/data" "$out/proto" "$out/share"
mkdir -p "$out/libexec" "$out/lib" "$out/data/published" "$out/proto/lib/proto"

copy_libraries() {
  tools/package_libraries.sh "$1" | while read -r path; do
    cp -L "$path" "$out/lib/"
  done
}

# PROGRAM NAME: copies PROGRAM to OUT/libexec/NAME, stripped.
pack() {
  cp -f "$1" "$out/libexec/$2"
  chmod u+w "$out/libexec/$2"
  strip "$out/libexec/$2"
}

# Writes the launcher of a program. The launcher of a program that links LibTorch finds torch first.
write_launcher() {
  local launcher=tools/launcher.sh
  [[ "$(ldd "$out/libexec/$1")" != *libtorch* ]] || launcher=tools/torch_launcher.sh
  rm -f "$out/$1" # cp would write through a link there
  cp "$launcher" "$out/$1"
  chmod +x "$out/$1"
}

for tool in $tools; do
  # If a tool is two programs, take the one that does the work: the launcher finds LibTorch before it starts.
  program="$bin/tools/libexec/$tool"
  [ -f "$program" ] || program="$bin/tools/$tool"
  pack "$program" "$tool"
  copy_libraries "$out/libexec/$tool"
  write_launcher "$tool"
done

# Tests tagged gpu (tests that skip themselves without a GPU) are included, if they can be built.
gpu_tests=""
[ "$architectures" = none ] || gpu_tests="$(bazel query 'attr(tags, "\bgpu\b", tests(//...))' 2>/dev/null || true)"
if [ -n "$gpu_tests" ] && bazel build "${for_gpus[@]}" $gpu_tests >&2; then
  for label in $gpu_tests; do
    path="${label#//}" name="gpu_test_${label##*:}"
    [ -f "$bin/${path%%:*}/${path##*:}" ] || continue
    pack "$bin/${path%%:*}/${path##*:}" "$name"
    write_launcher "$name"
  done
fi

find "$out/libexec" "$out/lib" -type f -print0 | xargs -0 python3 tools/symbol_versions.py >&2

# Benchmarks are included too, with the library that they are linked with, which may need a newer libstdc++.
gpu_benchmarks="$(bazel query 'attr(tags, "\bgpu\b", kind(cc_binary, //benchmarks:all))' 2>/dev/null || true)"
if [ -n "$gpu_tests" ] && bazel build "${for_gpus[@]}" $gpu_benchmarks //benchmarks:libkernel_timeline.so >&2; then
  for label in $gpu_benchmarks //benchmarks:libkernel_timeline.so; do
    name="${label##*:}"
    [ -f "$bin/benchmarks/$name" ] || continue
    pack "$bin/benchmarks/$name" "$name"
    copy_libraries "$out/libexec/$name"
    [ "$name" = libkernel_timeline.so ] || write_launcher "$name"
  done
fi

# Prints the GPU code that a portable program must hold. The name of @cuda's folder depends on the version of Bazel, so
# Bazel is asked for it.
portable_code() {
  local place
  place="$(bazel query --output=location @cuda//:portable_code.txt 2>/dev/null)"
  cat "$(dirname "${place%%:*}")/portable_code.txt"
}

# A program that lacks code for a GPU would otherwise fail only on a machine with that GPU.
if [ "$architectures" = portable ] && [ -n "$gpu_tests" ]; then
  python3 third_party/cuda/gpu_code.py --expect="$(portable_code)" "$out/libexec/train_sweep" >&2
fi

cp -f "$bin/third_party/libtorch/built_with.txt" "$out/built_with.txt"
chmod u+w "$out/built_with.txt"
python3 tools/manual.py --tools="$bin/tools" --output="$out/share" --date="$(git log -1 --format=%cs 2>/dev/null || true)"
cp tools/portable.md "$out/README.md"
cp data/published/*.textproto data/published/*.csv "$out/data/published/"
cp lib/proto/*.proto "$out/proto/lib/proto/"
printf 'packaged: %s (%s)\n' "$out" "$(du -sh "$out" | cut -f1)" >&2
