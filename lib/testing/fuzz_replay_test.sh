#!/usr/bin/env bash
# Tests the main of fuzz targets in a normal build: the inputs that it runs, and its failures.
#
#   fuzz_replay_test.sh PATH_OF_fuzz_replay_sample
set -uo pipefail

sample="$PWD/$1"
cd "$TEST_TMPDIR" || exit 1

# expect EXIT_CODE TEXT ARGUMENTS...: checks that the sample ends with this code and that its output contains TEXT.
expect() {
  local code="$1" text="$2" output status=0
  shift 2
  output="$("$sample" "$@" 2>&1)" || status=$?
  if [ "$status" -ne "$code" ] || [[ "$output" != *"$text"* ]]; then
    printf 'fuzz_replay_sample %s: expected exit %s and "%s", found exit %s and:\n%s\n' "$*" "$code" "$text" "$status" "$output"
    exit 1
  fi
}

mkdir empty good bad
printf 'fine' > good/one
printf 'BA' > good/two
printf 'BADLY' > bad/finding

expect 2 "usage"
expect 1 "missing: expected inputs of the fuzz target" missing
expect 1 "empty: expected inputs of the fuzz target" empty
expect 1 "empty: expected inputs of the fuzz target" good empty
expect 0 "2 inputs, and the empty one" good
expect 0 "1 inputs, and the empty one" good/two
expect 134 "bad/finding" bad  # 128 + SIGABRT
