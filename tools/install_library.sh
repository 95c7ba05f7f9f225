#!/usr/bin/env bash
# Installs the library for other programs: DistributedDataParallel for any torch::nn::Module.
#
#   tools/install_library.sh [--cpu] PREFIX
#   tools/install_library.sh --built=FOLDER PREFIX
#
# --cpu           without NCCL, for machines without GPUs; default: with NCCL if the build finds it
# --built=FOLDER  copies files that are already built below FOLDER, such as bazel-bin; builds nothing
#
# PREFIX/include/lockstep/distributed_data_parallel.h
# PREFIX/lib/liblockstep.a
# PREFIX/lib/cmake/Lockstep/         for find_package(Lockstep)
# PREFIX/share/doc/lockstep/         README.md and the licence
#
# A program also needs the LibTorch with which the library was built, and a C++17 compiler.
# lib/distributed_data_parallel has the documentation, and examples/train_module a program.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

flags=() built="" prefix=""
for argument in "$@"; do
  case "$argument" in
    --cpu) flags=(--@cuda//:detected=false --@nccl//:detected=false --@cudnn//:detected=false) ;;
    --built=*) built="$(cd -- "${argument#--built=}" && pwd)" ;;
    -*) prefix="" && break ;;
    *) [ -z "$prefix" ] && prefix="$argument" || { prefix="" && break; } ;;
  esac
done
if [ -z "$prefix" ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
mkdir -p -- "$prefix"
prefix="$(cd -- "$prefix" && pwd)"
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

package=lib/distributed_data_parallel
if [ -z "$built" ]; then
  bazel build "${flags[@]}" "//$package:archive" "//$package:cmake_config" >&2
  built="$(bazel info "${flags[@]}" bazel-bin 2>/dev/null)"
fi

# FILE FOLDER: copies FILE to PREFIX/FOLDER, and replaces an older one.
copy() {
  mkdir -p "$prefix/$2"
  install -m 644 "$1" "$prefix/$2/"
}
copy "$package/distributed_data_parallel.h" include/lockstep
copy "$built/$package/liblockstep.a" lib
copy "$built/$package/LockstepConfig.cmake" lib/cmake/Lockstep
copy "$built/$package/LockstepConfigVersion.cmake" lib/cmake/Lockstep
copy "$package/README.md" share/doc/lockstep
copy LICENSE share/doc/lockstep
printf 'installed: %s (%s)\n' "$prefix" "$(du -sh "$prefix/lib/liblockstep.a" | cut -f1)" >&2
