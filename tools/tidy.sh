#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy on C++ sources that changed.
#
#   tools/tidy.sh                  sources that differ from the previous commit (HEAD~1), committed or not
#   tools/tidy.sh --since=COMMIT   sources that differ from COMMIT
#   tools/tidy.sh FILE.cc ...      these sources
#   tools/tidy.sh --install ...    first installs clang-tidy into .venv by pip, if this machine lacks the right version
#   tools/tidy.sh --help           this text
#
# A changed header is checked with the source and the test of its name. Build first (bazel build //...), because
# generated headers must exist. Exit codes: 0 no finding, 1 findings, 2 wrong usage, 3 it cannot run: clang-tidy
# or COMMIT is missing.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=third_party/versions.sh
source third_party/versions.sh

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }

install="" since=HEAD~1 files=()
for argument in "$@"; do
  case "$argument" in
    --help | -h) usage; exit 0 ;;
    --install) install=yes ;;
    --since=?*) since="${argument#--since=}" ;;
    -*)
      printf 'tidy.sh: expected --since=COMMIT, --install, --help or sources, found: %s\n' "$argument" >&2
      exit 2
      ;;
    *) files+=("$argument") ;;
  esac
done

if [ ${#files[@]} -eq 0 ]; then
  changed="$(git diff --name-only --diff-filter=d "$since" -- 'lib/*' 'tools/*' 'benchmarks/*')" ||
    { echo "tidy.sh: expected a commit of this repository for --since, found: $since" >&2; exit 3; }
  while IFS= read -r path; do
    case "$path" in
      *.cc) files+=("$path") ;;
      *.h) for path in "${path%.h}.cc" "${path%.h}_test.cc"; do [ ! -f "$path" ] || files+=("$path"); done ;;
    esac
  done <<<"$changed"
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "tidy.sh: no source changed since $since"
  exit 0
fi

find_clang_program clang-tidy
if [ -z "$clang_program" ] && [ -n "$install" ]; then
  install_clang_program clang-tidy "$LOCKSTEP_CLANG_TIDY_PIN"
fi
if [ -z "$clang_program" ]; then
  printf 'tidy.sh: expected clang-tidy %s on PATH or in .venv, found none; tools/tidy.sh --install gets it\n' \
    "$LOCKSTEP_CLANG_FORMAT_VERSION" >&2
  exit 3
fi

tools/compile_commands.sh >/dev/null || exit 1
# Sources that this machine cannot build, such as those of CUDA, have no command.
mapfile -t known < <(python3 -c 'import json, sys
known = {entry["file"] for entry in json.load(open("compile_commands.json"))}
print(*sorted(known & set(sys.argv[1:])), sep="\n")' "${files[@]}")
if [ -z "${known[0]:-}" ]; then
  echo "tidy.sh: no changed source can be built on this machine"
  exit 0
fi
printf '%s\0' "${known[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$clang_program" -p . --quiet --warnings-as-errors='*' \
    2> >(grep -vE '^[0-9]+ warnings?|^Suppressed|^Use -header' >&2)
status=$?
echo "tidy.sh: ${#known[@]} sources checked"
exit $((status != 0))
