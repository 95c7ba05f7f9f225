#!/usr/bin/env bash
# Compiles every C++ source without precompiled headers, which finds a source that does not include all headers that it
# uses. Links nothing and runs nothing.
#
#   tools/check_includes.sh [TARGETS]   default: all of lib, tools and benchmarks
#   tools/check_includes.sh --help      this text
#
# Takes about as long as a first build; the objects are kept in a separate folder of bazel-out (k8-dbg).
# Exit codes: 0 every source compiled, 1 a source did not, 2 wrong usage.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them
cd "$(dirname "$0")/.." || exit 1

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }

case "${1:-}" in
  --help | -h) usage; exit 0 ;;
  -*) printf 'check_includes.sh: expected targets, --help or nothing, found: %s\n' "$1" >&2; exit 2 ;;
esac
targets=("$@")
[ $# -gt 0 ] || targets=(//lib/... //tools/... //benchmarks/...)

# The mode dbg has no precompiled headers (third_party/precompiled). -g0: debug information would take the longest.
# Each test is compiled alone, not joined with those that may include what it lacks (lib/unit_tests.bzl).
if ! bazel build --compilation_mode=dbg --copt=-g0 --output_groups=compilation_outputs --keep_going --noshow_progress \
  --color=no --build_manual_tests --build_tag_filters=-joined "${targets[@]}"; then
  echo "check_includes.sh: a source does not compile without precompiled headers, see above"
  exit 1
fi
echo "check_includes.sh: every source compiles without precompiled headers"
