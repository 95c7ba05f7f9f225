#!/usr/bin/env bash
# Compiles the code that needs neither LibTorch nor CUDA for 64-bit Arm, with warnings as errors, and runs its unit
# tests under QEMU. Prints the number of sources that were compiled, and the number of tests that passed.
#
#   tools/arm64.sh              everything
#   tools/arm64.sh --compile    without tests
#   tools/arm64.sh --help       this text
#
# Needs the files that third_party/arm64/fetch.sh fetches. Exit codes: 0 success, 1 a source does not compile or a
# test failed, 2 wrong usage, 3 nothing was fetched.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them
cd "$(dirname "$0")/.." || exit 1

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }

compile_only=""
case "$#:${1:-}" in
  0:) ;;
  1:--compile) compile_only=yes ;;
  1:--help | 1:-h) usage; exit 0 ;;
  *) printf 'arm64.sh: expected --compile, --help or nothing, found: %s\n' "$*" >&2; exit 2 ;;
esac
if [ ! -e "${LOCKSTEP_ARM64:-.arm64}/ready" ]; then
  echo "arm64.sh: no cross compiler in ${LOCKSTEP_ARM64:-.arm64}. Run third_party/arm64/fetch.sh, or set LOCKSTEP_ARM64 to its folder." >&2
  exit 3
fi

patterns=(//lib/... //tools/... //benchmarks/... //third_party/...)
flags=(--config=arm64 --keep_going --noshow_progress --color=no)
if [ -n "$compile_only" ]; then flags+=(--build_tag_filters=-unit_test); fi

# Builds objects only: most of the rest of a build is linking.
bazel build "${flags[@]}" --output_groups=compilation_outputs "${patterns[@]}"
compiled=$?
sources="$(bazel aquery "${flags[@]}" "mnemonic('CppCompile', set(${patterns[*]}))" 2>/dev/null |
  sed -n "s/^action 'Compiling \(.*\)'\$/\1/p" | sort -u)"
sources="$(wc -l <<<"$sources")"
if [ "$compiled" -eq 0 ]; then
  echo "arm64: $sources sources compiled, 0 warnings"
else
  echo "arm64: of $sources sources not all compile, see above"
fi
if [ -n "$compile_only" ]; then exit $((compiled != 0)); fi

events="$(mktemp)"
trap 'rm -f "$events"' EXIT
# Tests of scripts are left out: they would start programs for Arm without QEMU.
bazel test "${flags[@]}" --build_tests_only --test_lang_filters=cc --build_event_json_file="$events" "${patterns[@]}"
tested=$?
.ci/count_tests "$events" || tested=1
exit $((compiled != 0 || tested != 0))
