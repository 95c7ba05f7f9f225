#!/usr/bin/env bash
# Runs the whole chain on few images: stock protoc must print every tool's record completely, and the report must be
# finished. Uses lenet5, and resnet18 for what_is_sent. The budget is long, so that a slow machine runs every step.
# Arguments: the lab, the folder of the schemas (header.proto in it).
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them
lab="$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
protos="$(cd "$(dirname "$2")/../.." && pwd)"
out="${TEST_TMPDIR:-$(mktemp -d)}/lab"

fail() {
  printf 'FAILED: %s\n' "$1"
  exit 1
}

# Runs the lab with the given flags; its output goes to $out.log.
run_lab() {
  BUILD_WORKING_DIRECTORY="$(dirname "$out")" "$lab" --output=lab --device=cpu --model=lenet5 --images=32 \
    --batch_size=8,16 --repeats=1 --questions --seeds=1 --minutes=1000 "$@" \
    >"$out.log" 2>&1 || { cat "$out.log"; fail "the lab did not finish"; }
}

# Fails unless the last run made exactly these of its twelve steps again (their numbers in the lab, separated by
# spaces).
expect_made() {
  made=""
  for step in 1 2 3 4 5 6 7 8 9 10 11 12; do
    awk -v step="step $step of 12," 'index($0, step) == 1 {on = 1; next} /^step / {on = 0} on' "$out.log" |
      grep -q ': cached ' ||
      made="$made${made:+ }$step"
  done
  [ "$made" = "$1" ] || { cat "$out.log"; fail "made again: steps '$made', expected '$1'"; }
}

run_lab
expect_made "1 2 3 4 5 6 7 8 9 10 11 12"
grep -q "^lab: a first page after " "$out.log" || fail "there is no page before the last step"

decode() {
  protoc --decode="lockstep.proto.$1" -I "$protos" "$protos/lib/proto/$2.proto" <"$out/$3" >"$out/$3.txt" ||
    fail "protoc does not decode $3"
  for part in 'header {' 'trailer {' 'crc32: '; do
    grep -q "$part" "$out/$3.txt" || fail "$3 printed by protoc has no $part"
  done
  # protoc prints fields that the schema does not contain as numbers: a whole record has none.
  if grep -Eq '^ *[0-9]+(:| \{)' "$out/$3.txt"; then
    fail "$3 holds fields that its schema does not know"
  fi
}
decode DatasetFile dataset dataset.rec
decode SweepFile sweep sweep.rec
decode SweepFile sweep lenet5.rec
decode ScaleFile scale scale.rec
decode CommModelFile comm_model comm_model.rec
decode ScaleFile scale scale_dp.rec
decode CommModelFile comm_model comm_model_dp.rec
for experiment in large_batch sampler_epoch what_is_sent; do
  decode ScaleFile scale "$experiment.rec"
done
decode QuantizedFile quantized quantized.rec
# The sweep provides more base cases; a sweep that is not comparable with the scaling run provides none.
if grep -q 'not comparable' "$out/comm_model.rec.txt"; then
  fail "the lab's own sweep is no base case of its scaling run"
fi

grep -q '<svg' "$out/report.html" || fail "the report has no plot"
grep -q 'Table 3' "$out/report.html" || fail "the report has no Table 3"
grep -q 'Table 3' "$out/report.md" || fail "the Markdown report has no Table 3"
for batch in 8 16; do
  grep -q "^    batch_per_device: $batch\$" "$out/comm_model.rec.txt" || fail "batch $batch was not scaled"
done
grep -q 'strong_speedup { *$' "$out/comm_model.rec.txt" || fail "no strong speed-up in the record"
if sed -n '/strong_speedup {/,/}/p' "$out/comm_model.rec.txt" | grep -q absent_reason; then
  fail "a strong speed-up has no base case in the lab's own sweep"
fi
grep -q 'star {' "$out/comm_model_dp.rec.txt" || fail "comm_model says nothing of DataParallel's star"
for question in Q1 Q2 Q3 Q4 Q5 Q6 Q7 B1 B2 B3 B4 B5; do
  grep -q "^\*\*$question\. " "$out/report.md" || fail "$question is not asked"
  if grep "^\*\*$question\. " "$out/report.md" | grep -q 'No answer:'; then
    fail "$question is not answered"
  fi
done
if grep -Eiq '<script|https?://[^"]*\.(js|css)' "$out/report.html"; then
  fail "the report loads something"
fi

# --- Caching: nothing is made twice; a change makes exactly the steps again that depend on it ---
run_lab
expect_made ""
# Fewer calibration images: the report is also made again, because its input has changed.
rm "$out/quantized.rec"
run_lab --calibration_images=24
expect_made "6 12"
# Removed: a step is made again, and gives other bytes (its start time), so that the report is made again too.
rm "$out/comm_model.rec"
run_lab --calibration_images=24
expect_made "3 12"
# A file that a step writes next to its record counts as part of it.
rm "$out/report.md"
run_lab --calibration_images=24
expect_made "12"
printf 'PASSED: the chain, its records, and the report\n'
