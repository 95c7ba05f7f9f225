#!/bin/sh
# Prints a record file as text, so that `git diff` shows changes of records (.gitattributes, CONTRIBUTING.md).
#
#   git config diff.lockstep_record.textconv tools/record_text.sh     once per checkout
#   tools/record_text.sh sweep.rec
#
# Needs protoc. A file that protoc cannot decode is printed as its digest and size.
set -eu
unset CDPATH # cd would look for folders there, and print them

[ $# -eq 1 ] || { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
case "$1" in --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;; esac
root="$(cd "$(dirname "$0")/.." && pwd)"
protoc="${LOCKSTEP_PROTOBUF_ROOT:+$LOCKSTEP_PROTOBUF_ROOT/bin/}protoc"

# The header, which comes first, begins with the schema: the name of the file's message.
schema="$(head -c 200 "$1" | LC_ALL=C grep -ao 'lockstep\.proto\.[A-Za-z]*File' | head -n 1)" || true
proto="$(LC_ALL=C grep -l "^message ${schema##*.} {" "$root"/lib/proto/*.proto 2>/dev/null)" || true
if [ -z "$schema" ] || [ -z "$proto" ] ||
  ! "$protoc" --decode="$schema" -I "$root" "$proto" <"$1" 2>/dev/null; then
  printf 'no record file: SHA-256 %s, %s bytes\n' "$(sha256sum <"$1" | cut -d ' ' -f 1)" "$(wc -c <"$1")"
fi
