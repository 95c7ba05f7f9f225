#!/usr/bin/env bash
# Writes compile_commands.json into the root of the checkout, for clangd and other programs that read C++.
#
#   tools/compile_commands.sh              all sources that can be built on this machine
#   tools/compile_commands.sh PATTERN...   sources of these targets, such as //lib/record/...
#
# Build the same targets first (bazel build //...), because generated headers must exist. This script builds nothing.
# Run it again after adding a file, changing a BUILD file or `bazel clean`.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

case "${1:-}" in
  -*)
    sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
    [ "$1" = --help ] && exit 0 || exit 2
    ;;
esac
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

patterns=("$@")
[ $# -gt 0 ] || patterns=(//...)
information="$(bazel info output_base execution_root 2>/dev/null)"
database="$(mktemp compile_commands.json.XXXXXX)"
trap 'rm -f "$database"' EXIT
# Union of the patterns. Targets of rules that this machine cannot build are skipped. Tests are listed by their own
# sources, not by those in which they are joined (lib/unit_tests.bzl).
bazel aquery --build_manual_tests --build_tag_filters=-joined "mnemonic(\"CppCompile\", set(${patterns[*]}))" --output=jsonproto --noshow_progress --keep_going |
  python3 tools/compile_commands.py --workspace="$PWD" \
    --output_base="$(sed -n 's/^output_base: //p' <<<"$information")" \
    --execution_root="$(sed -n 's/^execution_root: //p' <<<"$information")" >"$database"
mv -f "$database" compile_commands.json
trap - EXIT
printf 'compile_commands.json: %s files\n' "$(grep -c '"file":' compile_commands.json)" >&2
