#!/usr/bin/env bash
# Checks a change in seconds, without building it: format, names, layers, documents and words.
#
#   tools/presubmit.sh             print every fault; exit 1 if there is one
#   tools/presubmit.sh --fix       format the sources in place first
#   tools/presubmit.sh --install   first install clang-format into .venv by pip, if this machine lacks the right version
#
# Only files that git tracks are checked: add a new file first (git add).
#
# .ci/run calls it. The version of clang-format is in third_party/versions.sh.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them

case "${1:-}" in
  "" | --fix | --install) ;;
  *)
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
    [ "$1" = --help ] && exit 0 || exit 2
    ;;
esac
cd "$(dirname "$0")/.."
# shellcheck source=third_party/versions.sh
source third_party/versions.sh

status=0
find_clang_program clang-format
if [ -z "$clang_program" ] && [ "${1:-}" = --install ]; then
  install_clang_program clang-format "$LOCKSTEP_CLANG_FORMAT_PIN"
fi
formatter="$clang_program"
if [ -z "$formatter" ]; then
  echo "presubmit.sh: expected clang-format $LOCKSTEP_CLANG_FORMAT_VERSION on PATH or in .venv, found none; get it by: .venv/bin/python3 -m pip install $LOCKSTEP_CLANG_FORMAT_PIN" >&2
  exit 1
fi
# Files that git tracks, like in the checks in tests/ (tests/source_tree.py).
sources=()
while IFS= read -r -d '' path; do
  [ ! -f "$path" ] || sources+=("$path")
done < <(git ls-files -z '*.h' '*.cc' '*.cu' '*.cuh')
if [ ${#sources[@]} -eq 0 ]; then
  echo "presubmit.sh: git ls-files names no sources; expected a checkout that git may read" >&2
  exit 1
fi
if [ "${1:-}" = --fix ]; then
  "$formatter" -i "${sources[@]}"
fi
# The checks run next to each other and to the formatter. Each has a pipe with its output and then its exit code.
checks=(words layers documents names booleans build_files benchmark_page corpora)
pipes=()
for check in "${checks[@]}"; do
  exec {pipe}< <(python3 "tests/${check}_test.py" --root . 2>&1; echo $?)
  pipes+=("$pipe")
done
unformatted="$("$formatter" --dry-run -Werror "${sources[@]}" 2>&1 | grep -E 'error:' | cut -d: -f1-2 | sort -u)"
if [ -n "$unformatted" ]; then
  printf '%s\nformat: the lines above; tools/presubmit.sh --fix formats them\n' "$unformatted" >&2
  status=1
else
  echo "format: ${#sources[@]} files are formatted by $formatter"
fi
for i in "${!checks[@]}"; do
  mapfile -t -u "${pipes[i]}" log
  if [ "${log[-1]}" -eq 0 ]; then
    echo "${checks[i]}: $(printf '%s\n' "${log[@]}" | sed -n 's/^Ran \([0-9]* tests\).*/\1/p')"
  else
    printf '%s\n' "${log[@]::${#log[@]}-1}" >&2
    status=1
  fi
done
exit "$status"
