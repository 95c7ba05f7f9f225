#!/usr/bin/env bash
# Builds and tests all targets that need LibTorch with a LibTorch release other than the pinned one.
#
#   tools/try_libtorch.sh [--folder=FOLDER] VERSION [BAZEL_OPTION ...]
#
# VERSION       release in pip's form: 2.15.0. With PIP_INDEX_URL pip takes the wheel of that index.
# FOLDER        holds the virtual environment (5 GB), Bazel's outputs (10 GB) and the output of this script; default:
#               ~/.cache/lockstep/libtorch-VERSION. The folder is kept, and a second call uses it again.
# BAZEL_OPTION  option of `bazel test`, such as --test_size_filters=small,medium.
#
# FOLDER/output.txt keeps the output. The last line counts test cases: "torch 2.15.0: N passed, N failed, N skipped".
# Exit codes: 0 all passed, 1 one failed or was not built, 2 wrong usage, 5 pip could not install VERSION.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

usage() { sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }
wrong_usage() {
  printf 'try_libtorch.sh: %s; see --help\n' "$*" >&2
  exit 2
}

folder=""
while [ $# -gt 0 ]; do
  case "$1" in
    --help | -h)
      usage
      exit 0
      ;;
    --folder=?*) folder="${1#--folder=}" ;;
    -*) wrong_usage "expected --folder=FOLDER or VERSION, found: $1" ;;
    *) break ;;
  esac
  shift
done
[[ "${1:-}" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong_usage "expected a release such as 2.15.0, found: ${1:-nothing}"
version="$1"
shift
folder="${folder:-$HOME/.cache/lockstep/libtorch-$version}"
mkdir -p -- "$folder"
folder="$(cd -- "$folder" && pwd)"
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."
# shellcheck source=third_party/versions.sh
source third_party/versions.sh

# installed: succeeds if the virtual environment holds VERSION. Sets `torch` to the folder of the package.
installed() {
  local candidate
  for candidate in "$folder"/venv/lib/python3*/site-packages/torch; do
    if grep -q "^__version__ = '${version//./\\.}['+]" "$candidate/version.py" 2>/dev/null; then
      torch="$candidate"
      return
    fi
  done
  return 1
}

install() {
  installed && return
  echo "installing torch $version into $folder/venv"
  python3 -m venv "$folder/venv" &&
    "$folder/venv/bin/python3" -m pip install --quiet --disable-pip-version-check "torch==$version" "$LOCKSTEP_NUMPY_PIN" &&
    installed
}

# run_bazel COMMAND ...: runs Bazel with a separate output folder, so that the outputs of the pinned LibTorch stay.
run_bazel() {
  bazel --output_base="$folder/bazel" "$1" --repo_env=LIBTORCH="$torch" \
    --repo_env=LOCKSTEP_PYTHON="$folder/venv/bin/python3" --noshow_progress --color=no "${@:2}"
}

# Writes the target patterns: all targets without those that do not need LibTorch. Bazel skips a target that this
# machine cannot build only if a wildcard names it.
write_patterns() {
  echo //... >"$folder/targets.txt"
  run_bazel query 'kind(rule, //... except rdeps(//..., @libtorch//:torch))' | sed 's/^/-/' >>"$folder/targets.txt"
}

# try BAZEL_OPTION ...: builds, tests and counts. Returns 1 if something failed.
try() {
  local status=0 parts=()
  : >"$folder/events.json"
  write_patterns || return 1
  run_bazel test --keep_going --build_event_json_file="$folder/events.json" \
    --target_pattern_file="$folder/targets.txt" "$@" || status=$?
  case "$status" in
    0 | 1 | 3) ;; # the events list the tests that failed and the targets that were not built
    *) parts=("bazel, exit code $status") ;;
  esac
  .ci/count_tests "$folder/events.json" ${parts[@]+"${parts[@]}"} >"$folder/count.txt" || status=1
  sed "\$s/^/torch $version: /" "$folder/count.txt"
  [ "$status" -eq 0 ]
}

if ! install; then
  echo "try_libtorch.sh: pip could not install torch $version, see above; VERSION must be a release that pip's index has" >&2
  exit 5
fi
try "$@" 2>&1 | tee "$folder/output.txt"
