#!/usr/bin/env bash
# Runs the whole lab: from any CIFAR-10 (or the embedded synthetic images) to a finished report.
#
#   bazel run //:lab                                synthetic images, minutes on a CPU
#   bazel run //:lab -- --input=PATH                CIFAR-10, as a folder or an archive
#   bazel run //:lab -- --questions                 also the experiments: large batches, sampler, batch norm's buffers
#   bazel run //:lab -- --output=DIR --force        another folder; make everything again
#   bazel run //:lab -- --style=lab --format=html,latex   every question, also blank ones; and a LaTeX document
#
# Prints each tool's command before running it, so that the commands can be used without this script. Steps whose
# result already exists are not run again (each tool prints `cached`).
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

usage() {
  sed -n '2,11s/^# \{0,1\}//p' "$0"
  printf '\nFlags: --input=PATH --output=DIR --batch_size=N,N,... --images=N (synthetic) --repeats=N --calibration_images=N (quantize) --model=resnet18|lenet5 --device=auto|cpu|cuda --questions --seeds=N (per row of an experiment) --style=STYLE --format=FORMATS (of the report) --force --allow_partial\n'
}

fail_usage() {
  printf 'lab: error: %s\n' "$1" >&2
  exit 2
}

# show WORD: prints WORD quoted for a shell, in characters that cannot control a terminal.
show() {
  local LC_ALL=C # only ASCII is printable in this locale
  case "$1" in
    *[!\ -~]* | *\'*) printf '%q' "$1" ;;
    *[\ \;]*) printf "'%s'" "$1" ;;
    *) printf '%s' "$1" ;;
  esac
}

input="" output="lockstep_lab" model="" batch="" images="" repeats="" device="auto" force="" partial="" calibration="" questions="" seeds="" page_flags=()
for argument in "$@"; do
  case "$argument" in
    --help | -h) usage; exit 0 ;;
    --input=*) input="${argument#*=}" ;;
    --output=*) output="${argument#*=}" ;;
    --model=*) model="${argument#*=}" ;;
    --batch_size=*) batch="${argument#*=}" ;;
    --images=*) images="${argument#*=}" ;;
    --repeats=*) repeats="${argument#*=}" ;;
    --device=*) device="${argument#*=}" ;;
    --calibration_images=*) calibration="${argument#*=}" ;;
    --seeds=*) seeds="${argument#*=}" ;;
    --style=* | --format=*) page_flags+=("$argument") ;;
    --questions) questions=1 ;;
    --force) force="--force" ;;
    --allow_partial) partial="--allow_partial" ;;
    *) fail_usage "unknown argument $(show "$argument"); --help lists the flags" ;;
  esac
done

case "$output" in
  "") fail_usage "--output=: expected the name of a folder; leave the flag out for lockstep_lab" ;;
  *,*) fail_usage "--output=$(show "$output"): expected a folder without a comma in its name, because lists of files are separated by commas; choose another name" ;;
esac

# Finds the tools: in this script's runfiles or a test's, next to it (tools/package.sh), or in the checkout's bazel-bin.
# Links to this script are followed, but not links of runfiles, which lead into the checkout.
self="${BASH_SOURCE[0]}"
here="$(cd -- "$(dirname -- "$self")" && pwd)"
origin="$(dirname -- "$(readlink -f -- "$self")")"
runfiles="$here/$(basename "$self").runfiles"
if [ -d "$runfiles/_main/tools" ]; then # Bazel 7 and newer
  root="$runfiles/_main" tools="$runfiles/_main/tools"
elif [ -d "$runfiles/lockstep/tools" ]; then
  root="$runfiles/lockstep" tools="$runfiles/lockstep/tools"
elif [ -x "$here/tools/cifar_prep" ]; then
  root="$here" tools="$here/tools"
elif [ -x "$origin/cifar_prep" ]; then
  root="$origin" tools="$origin"
else
  root="$(dirname -- "$origin")" tools="$(dirname -- "$origin")/bazel-bin/tools"
fi
published="$root/data/published"
case "$published" in
  *,*) fail_usage "$(show "$published"): expected a folder without a comma in its name, because lists of files are separated by commas; move the tools to another folder" ;;
esac
if [ ! -x "$tools/cifar_prep" ]; then
  printf 'lab: error: the tools are not at %s; build them: bazel build //tools:all\n' "$(show "$tools")" >&2
  exit 1
fi
# Relative paths refer to the caller's folder, also under `bazel run`.
cd -- "${BUILD_WORKING_DIRECTORY:-$PWD}"

gpus=0 sweep_threads="" bf16=""
if [ "$device" != cpu ] && command -v nvidia-smi >/dev/null 2>&1; then
  gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU' || true)
  capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1)"
  [[ ! "${capability%%.*}" =~ ^([89]|[1-9][0-9]+)$ ]] || bf16=1 # compute capability 8.0 or newer
fi
if [ "$gpus" -gt 0 ]; then
  ranks="1"
  for n in 2 4 8; do
    [ "$n" -le "$gpus" ] && ranks="$ranks,$n"
  done
  scale_batch="${batch:-32,128,512}" lenet_epochs=10
  : "${batch:=32,64,128,256,512,1024,2048}" "${images:=50000}" "${repeats:=5}" "${seeds:=3}"
else
  # Sized so that two CPU cores finish in minutes. The numbers are measured but do not predict a GPU.
  ranks="1,2" lenet_epochs=40
  : "${batch:=32,64}" "${images:=256}" "${seeds:=2}"
  scale_batch="$batch"
  # Two ranks share the cores. The sweep gets as many threads as one rank, so that its points are base cases.
  threads=$(($(nproc) / 2))
  sweep_threads="--threads=$((threads > 0 ? threads : 1))"
  if [ -n "$input" ]; then
    # ResNet-18 on 50,000 images takes two cores half an hour per epoch (17 images per second and core).
    : "${model:=lenet5}"
    lenet_epochs=4
  fi
  # An epoch of LeNet-5 is short. For ResNet-18, only one epoch finishes within minutes.
  if [ "$model" = lenet5 ]; then : "${repeats:=5}"; else : "${repeats:=1}"; fi
fi
: "${model:=resnet18}"
max_ranks="${ranks##*,}"
if [ -z "$calibration" ]; then
  calibration=400 # the lab's number, or all images if there are fewer
  if [ -z "$input" ] && [ "$images" -lt "$calibration" ]; then
    calibration="$images"
  fi
fi

# --- Batches: every --batch_size is scaled; the sweep has the base cases of the strong speed-ups, N x batch ---
comma_list() { # reads numbers, one per line; prints them ascending, without duplicates, separated by commas
  sort -n -u | paste -s -d ,
}
fits() { [ -n "$input" ] || [ $(($1 * max_ranks)) -le "$images" ]; }
scaled=()
for one in ${scale_batch//,/ }; do
  [[ "$one" =~ ^[0-9]{1,9}$ ]] || fail_usage "--batch_size=$(show "$batch"): expected numbers separated by commas"
  if fits "$one"; then
    scaled+=("$one")
  else
    printf 'lab: batch %s is not scaled: on %s ranks it exceeds %s images\n' "$one" "$max_ranks" "$images"
  fi
done
[ ${#scaled[@]} -gt 0 ] ||
  fail_usage "no --batch_size of $scale_batch fits $images images on $max_ranks ranks; give more --images"
sweep_batch=$({
  printf '%s\n' ${batch//,/ }
  for one in "${scaled[@]}"; do
    for n in ${ranks//,/ }; do
      printf '%s\n' $((one * n))
    done
  done
} | comma_list)
scale_batch=$(IFS=, && printf '%s' "${scaled[*]}")

# Optional parts of the lab: each variable is 1 or empty.
fast="" data_parallel="" sent=""
[ -z "$bf16" ] || [ "$model" != resnet18 ] || fast=1 # the fused step exists for ResNet-18 in bf16 only
if [ "$max_ranks" -gt 1 ] && { [ "$gpus" -gt 0 ] || [ -n "$questions" ]; }; then data_parallel=1; fi
if [ -n "$questions" ] && { [ "$gpus" -gt 0 ] || [ -z "$input" ]; }; then sent=1; fi
steps=$((8 + 3 * ${fast:-0} + 2 * ${data_parallel:-0} + 2 * ${questions:-0} + ${sent:-0}))

# Prints every document in data/published, separated by commas.
published_tables() {
  local files=("$published"/hand_in_*.textproto)
  local IFS=,
  printf '%s' "${files[*]}"
}

step=0
run() {
  step=$((step + 1))
  printf '\n[%d/%d] %s' "$step" "$steps" "$(basename "$1")"
  local argument
  for argument in "${@:2}"; do
    printf ' %s' "$(show "${argument//"$root/"/}")" # paths relative to the checkout
  done
  printf '\n'
  "$@"
}

# RECORD FLAG...: prints --force if the command of RECORD lacks one of these flags, else $force. Remaking records that
# are computed from records loses no measurements; it is needed after --questions or with more published tables.
unless_made_with() {
  local record="$1" flag
  for flag in "${@:2}"; do
    grep -aqF -e "$flag" "$record" 2>/dev/null || { printf -- --force && return; }
  done
  printf '%s' "$force"
}

records=() # records that the report reads
mkdir -p -- "$output" 2>/dev/null ||
  fail_usage "--output=$(show "$output"): expected a folder, or a name at which one can be made; choose another"

# scale NAME FLAG...: makes a scale record of the lab's model; explain NAME FLAG...: runs comm_model on it.
scale() {
  run "$tools/scale_run" --input="$output/dataset.rec" --model="$model" --device="$device" --ranks="$ranks" \
    --repeats="$repeats" --noevaluate "${@:2}" --output="$output/scale$1.rec" $force
  records+=("$output/scale$1.rec")
}
explain() {
  run "$tools/comm_model" --input="$output/scale$1.rec" "${@:2}" --output="$output/comm_model$1.rec" \
    $(unless_made_with "$output/comm_model$1.rec" "${@:2}")
  records+=("$output/comm_model$1.rec")
}
# question NAME FLAG...: runs one experiment on all ranks.
question() {
  run "$tools/scale_run" --input="$output/dataset.rec" --device="$device" --ranks="$max_ranks" --experiment="$1" \
    --seeds="$seeds" "${@:2}" --output="$output/$1.rec" $force
  records+=("$output/$1.rec")
}

# If there are three numbers of ranks or more, the last one is hidden from the models, predicted and compared.
fit=""
[ "$(tr -cd , <<<"$ranks" | wc -c)" -lt 2 ] || fit="--fit_ranks=$((max_ranks / 2))"

started=$SECONDS
if [ -n "$input" ]; then
  run "$tools/cifar_prep" --input="$input" --output="$output/dataset.rec" $partial $force
else
  run "$tools/cifar_prep" --input_format=synthetic --train_images="$images" --test_images=$((images / 4)) \
    --output="$output/dataset.rec" $force
fi
run "$tools/train_sweep" --input="$output/dataset.rec" --model="$model" --device="$device" --batch_size="$sweep_batch" \
  --repeats="$repeats" $sweep_threads --output="$output/sweep.rec" $force
run "$tools/train_sweep" --input="$output/dataset.rec" --model=lenet5 --device="$device" --batch_size=32 \
  --epochs="$lenet_epochs" --checkpoint="$output/lenet5.pt" --output="$output/lenet5.rec" $force
run "$tools/train_sweep" --input="$output/dataset.rec" --model=lenet5_bias --device="$device" --batch_size=32 \
  --epochs="$lenet_epochs" --checkpoint="$output/lenet5_bias.pt" --output="$output/lenet5_bias.rec" $force
records+=("$output/dataset.rec" "$output/sweep.rec" "$output/lenet5.rec" "$output/lenet5_bias.rec")
scale "" --batch_size="$scale_batch"
explain "" --sweep="$output/sweep.rec" $fit --audit="$(published_tables)"
if [ -n "$fast" ]; then
  run "$tools/train_sweep" --input="$output/dataset.rec" --preset=fast --device="$device" --batch_size="$sweep_batch" \
    --repeats="$repeats" --output="$output/sweep_fast.rec" $force
  records+=("$output/sweep_fast.rec")
  scale _fast --preset=fast --batch_size="$scale_batch"
  explain _fast --sweep="$output/sweep_fast.rec" $fit
fi
if [ -n "$data_parallel" ]; then
  scale _dp --mode=dp --batch_size="$scale_batch"
  explain _dp --sweep="$output/sweep.rec"
fi
if [ -n "$questions" ]; then
  # A CPU trains LeNet-5, which is small, for questions that do not need ResNet-18.
  base=128 large=8192 asked="$model" preset="lab"
  [ -z "$fast" ] || preset="fast"
  [ "$gpus" -gt 0 ] || asked=lenet5
  there="$("$tools/report" --print="$output/dataset.rec" --format=json 2>/dev/null | grep -oE '"image_count": [0-9]+' | sed -n "1s/.* //p")"
  if [ "$there" -lt 16384 ]; then
    # A tenth of the images is held out.
    large=$(((there - there / 10) / max_ranks * max_ranks)) base=$((there / 8 / max_ranks * max_ranks))
    base=$((base > 0 ? base : max_ranks))
  fi
  rows="" # all rows
  if [ "$asked" != resnet18 ]; then
    rows="$base;$large" # only the short rows
    for remedy in "linear rate" warm-up clipping LARS "label smoothing"; do
      rows="$rows;$large, $remedy"
    done
  fi
  question large_batch --model="$asked" --preset="$preset" --batch_size="$base,$large" ${rows:+"--rows=$rows"}
  question sampler_epoch --model="$asked" --preset="$preset" --batch_size="$base"
  # Batch norm over all ranks, if this device supports it.
  some=""
  sent_epochs=$((gpus > 0 ? 5 : 2))
  if [ -n "$sent" ]; then
    "$tools/scale_run" --input="$output/dataset.rec" --device="$device" --ranks="$max_ranks" --experiment=what_is_sent \
      --model=resnet18 --batch_size="$base" --dry_run >/dev/null 2>&1 || some="--rows=gradients only;buffers broadcast"
    question what_is_sent --model=resnet18 --batch_size="$base" --epochs="$sent_epochs" ${some:+"$some"}
  else
    printf '\nlab: what_is_sent is left out: it needs batch norm (ResNet-18), on a GPU or on synthetic images\n'
  fi
fi
run "$tools/quantize" --input="$output/dataset.rec" --checkpoint="$output/lenet5.pt,$output/lenet5_bias.pt" \
  --calibration_images="$calibration" --output="$output/quantized.rec" $force
records+=("$output/quantized.rec")
page_of="--input=$(IFS=, && printf '%s' "${records[*]}")"
# Flags of the last page.
page_force="$(unless_made_with "$output/report.rec" "$page_of")"
asked_before="$("$tools/report" --print="$output/report.rec" --format=json 2>/dev/null |
  grep -oE '^ *"--(style|format)=[a-z,]+"' | tr -d ' "' | sort -u | paste -s || true)"
[ "$asked_before" = "$(printf '%s\n' ${page_flags[@]+"${page_flags[@]}"} | sort -u | paste -s)" ] || page_force="--force"
run "$tools/report" --output="$output/report.html" "$page_of" ${page_flags[@]+"${page_flags[@]}"} $page_force

[ "$repeats" -gt 1 ] || printf '\nEach epoch was timed once; --repeats=5 gives the spread that report --check needs.\n'
printf '\nDone in %d s. The report: %s/report.html (and report.md next to it)\n' "$((SECONDS - started))" "$(show "$(cd -- "$output" && pwd)")"
