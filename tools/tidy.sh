#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy on the changed lines of C++ sources and headers.
#
#   tools/tidy.sh                  lines that differ from the previous commit (HEAD~1), committed or not
#   tools/tidy.sh --since=COMMIT   lines that differ from COMMIT
#   tools/tidy.sh FILE.cc ...      all lines of these sources
#   tools/tidy.sh --install ...    first installs clang-tidy into .venv by pip, if this machine lacks the right version
#   tools/tidy.sh --limit=N ...    at most N sources, because a source takes 5 to 60 seconds
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

# changed_lines COMMIT: prints the lines that differ, as JSON of clang-tidy's -line-filter:
# [{"name": "lib/base/progress.cc", "lines": [[10, 12]]}].
changed_lines() {
  git diff --unified=0 --no-color --diff-filter=d "$1" -- 'lib/*' 'tools/*' 'benchmarks/*' | python3 -c '
import json, re, sys
lines = {}
for line in sys.stdin.buffer.read().decode(errors="replace").splitlines():
    if header := re.match(r"\+\+\+ b/(.*\.(?:cc|h))$", line):
        ranges = lines.setdefault(header[1], [])
    elif line.startswith("+++ "):
        ranges = []
    elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        if count:
            ranges.append([first, first + count - 1])
print(json.dumps([{"name": name, "lines": ranges} for name, ranges in lines.items() if ranges]))'
}

install="" since=HEAD~1 limit=1000000 files=() line_filter="-line-filter=[]"
for argument in "$@"; do
  case "$argument" in
    --help | -h) usage; exit 0 ;;
    --install) install=yes ;;
    --since=?*) since="${argument#--since=}" ;;
    --limit=[1-9]*) limit="${argument#--limit=}" ;;
    -*)
      printf 'tidy.sh: expected --since=COMMIT, --install, --limit=N, --help or sources, found: %s\n' "$argument" >&2
      exit 2
      ;;
    *) files+=("$argument") ;;
  esac
done

if [ ${#files[@]} -eq 0 ]; then
  git rev-parse --quiet --verify "$since^{commit}" >/dev/null ||
    { echo "tidy.sh: expected a commit of this repository for --since, found: $since" >&2; exit 3; }
  changed="$(changed_lines "$since")"
  if [ "$changed" = "[]" ]; then # to clang-tidy, an empty list means all lines
    echo "tidy.sh: no line of a source changed since $since"
    exit 0
  fi
  line_filter="-line-filter=$changed"
  while IFS= read -r path; do
    case "$path" in
      *.cc) files+=("$path") ;;
      *.h) for path in "${path%.h}.cc" "${path%.h}_test.cc"; do [ ! -f "$path" ] || files+=("$path"); done ;;
    esac
  done < <(git diff --name-only --diff-filter=d "$since" -- 'lib/*' 'tools/*' 'benchmarks/*')
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
checked=("${known[@]:0:limit}")
printf '%s\0' "${checked[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$clang_program" -p . --quiet --warnings-as-errors='*' "$line_filter" \
    2> >(grep -vE '^[0-9]+ warnings?|^Suppressed|^Use -header' >&2)
status=$?
echo "tidy.sh: ${#checked[@]} of ${#known[@]} sources checked"
exit $((status != 0))
