#!/usr/bin/env bash
# Packs and unpacks the inputs of a fuzz target, data/testdata/fuzz/TARGET.tar.gz. Equal inputs give equal bytes.
#
#   corpus.sh list TARGET             print the names of the inputs
#   corpus.sh unpack TARGET FOLDER    write the inputs into FOLDER, which is made if it does not exist
#   corpus.sh pack TARGET FOLDER      make the archive from the files in FOLDER; removes inputs that are not there
#   corpus.sh add TARGET FILE ...     add files to the archive, which is made if it does not exist
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }
fail() {
  echo "corpus.sh: error: $1" >&2
  exit "${2:-1}"
}

# pack_folder ARCHIVE FOLDER: files only, sorted by name, without owner and times.
pack_folder() {
  local other
  other="$(find "$2" -mindepth 1 ! -type f -print -quit)"
  [ -z "$other" ] || fail "expected files only, found $other"
  [ -n "$(find "$2" -type f -print -quit)" ] || fail "$2: expected files, found none"
  find "$2" -type f -printf '%P\0' | LC_ALL=C sort -z |
    tar -C "$2" --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 --null --verbatim-files-from \
      --files-from=- -cf - | gzip -n -9 >"$1.new" || { rm -f "$1.new"; exit 1; }
  mv "$1.new" "$1"
}

[ "${1:-}" = --help ] && usage && exit 0
action="${1:-}" target="${2:-}"
[[ "$target" =~ ^[a-z0-9_]+_fuzz$ ]] || { usage >&2; exit 2; }
archive="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/$target.tar.gz"
[ "$action" = pack ] || [ "$action" = add ] || [ -f "$archive" ] || fail "expected $archive, found none"

case "$action $#" in
  "list 2") tar -tzf "$archive" ;;
  "unpack 3")
    mkdir -p "$3"
    tar -xzf "$archive" -C "$3"
    ;;
  "pack 3") pack_folder "$archive" "$3" ;;
  "add "[3-9]* | "add 1"[0-9]* | "add 2"[0-9]*)
    work="$(mktemp -d)"
    trap 'rm -rf "$work"' EXIT
    [ ! -f "$archive" ] || tar -xzf "$archive" -C "$work"
    cp -- "${@:3}" "$work"
    pack_folder "$archive" "$work"
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac
