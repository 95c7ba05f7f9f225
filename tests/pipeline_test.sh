#!/usr/bin/env bash
# The whole chain on few images: every tool's record is printed whole by stock protoc, and the report is finished.
# Arguments: the lab script, the folder of the schemas (header.proto in it).
set -euo pipefail
lab="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
protos="$(cd "$(dirname "$2")/../.." && pwd)"
out="${TEST_TMPDIR:-$(mktemp -d)}/lab"

fail() {
  printf 'FAILED: %s\n' "$1"
  exit 1
}

BUILD_WORKING_DIRECTORY="$(dirname "$out")" "$lab" --output=lab --device=cpu --images=96 --batch=32,64 --repeats=1 \
  >"$out.log" 2>&1 || { cat "$out.log"; fail "the lab did not finish"; }

decode() {
  protoc --decode="lockstep.proto.$1" -I "$protos" "$protos/lib/proto/$2.proto" <"$out/$3" >"$out/$3.txt" ||
    fail "protoc does not decode $3"
  for part in 'header {' 'trailer {' 'crc32: '; do
    grep -q "$part" "$out/$3.txt" || fail "$3 printed by protoc has no $part"
  done
  # protoc prints what the schema does not know as a number: a whole record has none.
  if grep -Eq '^ *[0-9]+(:| \{)' "$out/$3.txt"; then
    fail "$3 holds fields that its schema does not know"
  fi
}
decode DatasetFile dataset dataset.rec
decode SweepFile sweep sweep.rec
decode SweepFile sweep lenet5.rec
decode ScaleFile scale scale.rec
decode CommModelFile comm_model comm_model.rec
decode QuantizedFile quantized quantized.rec

grep -q '<svg' "$out/report.html" || fail "the report has no plot"
grep -q 'Table 3' "$out/report.html" || fail "the report has no Table 3"
grep -q 'Table 3' "$out/report.md" || fail "the Markdown report has no Table 3"
if grep -Eiq '<script|https?://[^"]*\.(js|css)' "$out/report.html"; then
  fail "the report loads something"
fi

BUILD_WORKING_DIRECTORY="$(dirname "$out")" "$lab" --output=lab --device=cpu --images=96 --batch=32,64 --repeats=1 \
  >"$out.second.log" 2>&1 || { cat "$out.second.log"; fail "the second run did not finish"; }
cached=$(grep -c ': cached ' "$out.second.log")
[ "$cached" = 8 ] || { cat "$out.second.log"; fail "the second run says cached $cached times, not 8"; }
printf 'PASSED: the chain, its records, and the report\n'
