#!/usr/bin/env bash
# Runs fetch.sh and tools/arm64.sh up to the points at which they would use the network or Bazel.
set -euo pipefail

fetch="$1"
arm64="$2"
versions="$3"
scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/fetch_test.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT

# expect CODE TEXT COMMAND...: checks the exit code, and a text in the output, which must be one line.
expect() {
  local code="$1" text="$2" status=0
  shift 2
  "$@" >"$scratch/output" 2>&1 || status=$?
  if [ "$status" -ne "$code" ] || ! grep -qF -- "$text" "$scratch/output" || [ "$(wc -l <"$scratch/output")" -ne 1 ]; then
    printf 'FAIL: %s\nexpected exit code %s and one line with "%s", got exit code %s and:\n' "$*" "$code" "$text" "$status" >&2
    cat "$scratch/output" >&2
    exit 1
  fi
}

# A complete folder stays unchanged.
mkdir "$scratch/complete"
(eval "$(sed -n "/^PACKAGES=(/,/)/p" "$fetch")"; eval "$(grep '^COMPILER=(' "$fetch")"
  printf '%s\n' "${PACKAGES[*]} ${COMPILER[*]}") >"$scratch/complete/ready"
expect 0 "ready: $scratch/complete" "$fetch" "$scratch/complete"
[ "$(ls "$scratch/complete")" = ready ]

# Every library of the build is fetched for arm64.
source "$versions"
eval "$(sed -n "/^PACKAGES=(/,/)/p" "$fetch")"
for need in "${LOCKSTEP_PACKAGES[@]}"; do
  name="${need%% *}"
  if [[ "$name" == *-dev && " ${PACKAGES[*]} " != *" $name "* ]]; then
    printf 'FAIL: expected %s of versions.sh in PACKAGES of fetch.sh\n' "$name" >&2
    exit 1
  fi
done

# A machine without apt.
mkdir "$scratch/bin"
for program in bash cat dirname mkdir; do ln -s "$(command -v "$program")" "$scratch/bin/"; done
expect 1 "expected Debian" env PATH="$scratch/bin" "$fetch" "$scratch/other"

expect 2 "found: --folder" "$fetch" --folder
expect 2 "found: a b" "$fetch" a b
expect 2 "found: --all" "$arm64" --all
expect 3 "Run third_party/arm64/fetch.sh" env LOCKSTEP_ARM64="$scratch/other" "$arm64"
"$fetch" --help | grep -q "LOCKSTEP_ARM64=FOLDER"
"$arm64" --help | grep -q -- "--compile"
