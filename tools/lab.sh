#!/usr/bin/env bash
# The whole lab in a row: any CIFAR-10 (or the embedded synthetic images) to a finished report.
#
#   bazel run //:lab                                synthetic images, minutes on a CPU
#   bazel run //:lab -- --input=DIR                 CIFAR-10 in its binary layout
#   bazel run //:lab -- --output=DIR --force        another folder; make everything again
#
# Prints each tool's command before running it, so that this script can be left behind. Steps whose result is there
# already are not run again (each tool says `cached`).
set -euo pipefail

usage() {
  sed -n '2,9s/^# \{0,1\}//p' "$0"
  printf '\nFlags: --input=DIR --output=DIR --batch=N,N,... --images=N (synthetic) --repeats=N --calibration_images=N (quantize) --model=resnet18|lenet5 --device=auto|cpu|cuda --force --allow_partial\n'
}

fail_usage() {
  printf 'lab: error: %s\n' "$1" >&2
  exit 2
}

input="" output="lockstep_lab" model="" batch="" images="" repeats="" device="auto" force="" partial="" calibration=""
for argument in "$@"; do
  case "$argument" in
    --help | -h) usage; exit 0 ;;
    --input=*) input="${argument#*=}" ;;
    --output=*) output="${argument#*=}" ;;
    --model=*) model="${argument#*=}" ;;
    --batch=*) batch="${argument#*=}" ;;
    --images=*) images="${argument#*=}" ;;
    --repeats=*) repeats="${argument#*=}" ;;
    --device=*) device="${argument#*=}" ;;
    --calibration_images=*) calibration="${argument#*=}" ;;
    --force) force="--force" ;;
    --allow_partial) partial="--allow_partial" ;;
    *) fail_usage "unknown argument $argument; --help lists the flags" ;;
  esac
done

# Where the tools are: in this script's runfiles or a test's, beside it (tools/package.sh), or in the checkout's bazel-bin.
self="${BASH_SOURCE[0]}"
here="$(cd "$(dirname "$self")" && pwd)"
if [ -d "$here/$(basename "$self").runfiles/lockstep" ]; then
  root="$here/$(basename "$self").runfiles/lockstep" tools="$here/$(basename "$self").runfiles/lockstep/tools"
elif [ -x "$here/tools/cifar_prep" ]; then
  root="$here" tools="$here/tools"
elif [ -x "$here/cifar_prep" ]; then
  root="$here" tools="$here"
else
  root="$(cd "$here/.." && pwd)" tools="$(cd "$here/.." && pwd)/bazel-bin/tools"
fi
published="$root/data/published"
if [ ! -x "$tools/cifar_prep" ]; then
  printf 'lab: error: the tools are not at %s; build them: bazel build //tools:all\n' "$tools" >&2
  exit 1
fi
# Relative paths mean the caller's folder, also under `bazel run`.
cd "${BUILD_WORKING_DIRECTORY:-$PWD}"

gpus=0 sweep_threads=""
if [ "$device" != cpu ] && command -v nvidia-smi >/dev/null 2>&1; then
  gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU' || true)
fi
if [ "$gpus" -gt 0 ]; then
  ranks="1"
  for n in 2 4 8; do
    [ "$n" -le "$gpus" ] && ranks="$ranks,$n"
  done
  # The sweep has the batches N x 32, 128, 512 too: base cases of the strong speed-up.
  scale_batch="${batch:-32,128,512}" lenet_epochs=10
  : "${batch:=32,64,128,256,512,1024,2048}" "${images:=50000}" "${repeats:=5}"
  scale_repeats="$repeats"
else
  # Sized so that two CPU cores finish in minutes; the numbers are real but say little of a GPU.
  ranks="1,2"
  : "${batch:=32,64,128}" "${images:=256}" "${repeats:=1}"
  scale_batch="${batch%%,*}" scale_repeats="$repeats" lenet_epochs=40
  # Two ranks share the cores; the sweep gets as many threads as one rank, so that its points are base cases.
  threads=$(($(nproc) / 2))
  sweep_threads="--threads=$((threads > 0 ? threads : 1))"
  if [ -n "$input" ]; then
    # ResNet-18 on 50,000 images takes two cores half an hour an epoch (17 images a second and core).
    : "${model:=lenet5}"
    lenet_epochs=4
  fi
fi
: "${model:=resnet18}"
if [ -z "$calibration" ]; then
  calibration=400 # the lab's number, or all there are
  if [ -z "$input" ] && [ "$images" -lt "$calibration" ]; then
    calibration="$images"
  fi
fi

# Every document in data/published, separated by commas.
published_tables() {
  local files=("$published"/hand_in_*.textproto)
  local IFS=,
  printf '%s' "${files[*]}"
}

step=0
run() {
  step=$((step + 1))
  printf '\n[%d/8] %s' "$step" "$(basename "$1")"
  printf ' %s' "${@:2}"
  printf '\n'
  "$@"
}

mkdir -p "$output"
started=$SECONDS
if [ -n "$input" ]; then
  run "$tools/cifar_prep" --input="$input" --output="$output/dataset.rec" $partial $force
else
  run "$tools/cifar_prep" --input_format=synthetic --train_images="$images" --test_images=$((images / 4)) \
    --output="$output/dataset.rec" $force
fi
run "$tools/train_sweep" --input="$output/dataset.rec" --model="$model" --device="$device" --batch="$batch" \
  --repeats="$repeats" $sweep_threads --output="$output/sweep.rec" $force
run "$tools/train_sweep" --input="$output/dataset.rec" --model=lenet5 --device="$device" --batch=32 \
  --epochs="$lenet_epochs" --checkpoint="$output/lenet5.pt" --output="$output/lenet5.rec" $force
run "$tools/train_sweep" --input="$output/dataset.rec" --model=lenet5_bias --device="$device" --batch=32 \
  --epochs="$lenet_epochs" --checkpoint="$output/lenet5_bias.pt" --output="$output/lenet5_bias.rec" $force
run "$tools/scale_run" --input="$output/dataset.rec" --model="$model" --device="$device" --ranks="$ranks" \
  --batch="$scale_batch" --repeats="$scale_repeats" --noevaluate --output="$output/scale.rec" $force
run "$tools/comm_model" --input="$output/scale.rec" --sweep="$output/sweep.rec" \
  --fit_ranks=$((${ranks##*,} / 2)) --audit="$(published_tables)" --output="$output/comm_model.rec" $force
run "$tools/quantize" --input="$output/dataset.rec" --checkpoint="$output/lenet5.pt,$output/lenet5_bias.pt" \
  --calibration_images="$calibration" --output="$output/quantized.rec" $force
run "$tools/report" --output="$output/report.html" $force \
  --input="$output/dataset.rec,$output/sweep.rec,$output/lenet5.rec,$output/lenet5_bias.rec,$output/scale.rec,$output/comm_model.rec,$output/quantized.rec"

printf '\nDone in %d s. The report: %s/report.html (and report.md beside it)\n' "$((SECONDS - started))" "$(cd "$output" && pwd)"
