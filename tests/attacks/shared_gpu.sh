#!/usr/bin/env bash
# Trains on a GPU that others use, too, from a portable folder (tools/package.sh): under NVIDIA MPS with a part of the
# multiprocessors; with one or three other processes, with and without MPS; with CUDA_LAUNCH_BLOCKING.
# Every run must succeed within its limit; the sweep's times show the cost of sharing.
#
#   tests/attacks/shared_gpu.sh [--rounds=1] [--seconds=86400] [--limit=180] [--runs=REGEX] PACKAGE OUT
#
# OUT gets the logs. One line per run. --seconds: no run begins later. --limit: seconds of one run. --runs: only runs
# whose name.batch matches (mps_75.512). CUDA_VISIBLE_DEVICES selects the GPU, by default the first one.
# Exit codes: 0 all succeeded, 2 wrong usage, 4 one hung or failed, 5 no GPU.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them

rounds=1
seconds=86400
limit=180
runs=.
while [ "${1#--}" != "${1:-}" ]; do
  case "$1" in
    --rounds=*) rounds="${1#*=}" ;;
    --seconds=*) seconds="${1#*=}" ;;
    --limit=*) limit="${1#*=}" ;;
    --runs=*) runs="${1#*=}" ;;
    *) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; [ "$1" = --help ] && exit 0 || exit 2 ;;
  esac
  shift
done
[ $# -eq 2 ] || { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
package="$(cd "$1" && pwd)" || exit 2
mkdir -p "$2" || exit 2
out="$(cd "$2" && pwd)"
nvidia-smi >/dev/null 2>&1 || { echo "shared_gpu: error: nvidia-smi finds no GPU" >&2; exit 5; }

work="$(mktemp -d)"
export CUDA_MPS_PIPE_DIRECTORY="$work/mps" CUDA_MPS_LOG_DIRECTORY="$work/mps"
export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"
status=0

start_mps() { mkdir -p "$work/mps" && nvidia-cuda-mps-control -d >/dev/null 2>&1 && sleep 1; }
# Kills everything that this run started under MPS: the daemon, its server and processes that hang there.
kill_mps() {
  local pid
  for pid in $(grep -lsz "^CUDA_MPS_PIPE_DIRECTORY=$work/mps\$" /proc/[0-9]*/environ | cut -d/ -f3); do
    kill -9 "$pid" 2>/dev/null
  done
}
stop_mps() {
  timeout 10 sh -c 'echo quit -t 2 | nvidia-cuda-mps-control' >/dev/null 2>&1
  kill_mps
  rm -rf "$work/mps"
}
trap 'stop_mps; rm -rf "$work"' EXIT

flags=()
# together NAME BATCH HOW_MANY [VARIABLE=VALUE...]: runs that many trainings at once, also with $flags.
together() {
  local name="$1" batch="$2" count="$3" begin=$SECONDS i verdict=ok
  shift 3
  [[ "$name.$batch" =~ $runs ]] && [ $SECONDS -lt "$seconds" ] || return 0
  local pids=()
  for ((i = 0; i < count; i++)); do
    env "$@" timeout -k 5 "$limit" "$package/train_sweep" --input="$work/d.rec" --preset=fast --batch_size="$batch" \
      --epochs=3 --noevaluate ${flags[@]+"${flags[@]}"} --force --output="$work/$i.rec" >"$out/$name.$batch.$i.log" 2>&1 &
    pids+=($!)
  done
  for ((i = 0; i < count; i++)); do
    wait "${pids[$i]}"
    local rc=$?
    case $rc in
      0) ;;
      124 | 137) verdict="HUNG" status=4 ;;
      *) verdict="FAILED ($rc): $(tail -1 "$out/$name.$batch.$i.log")" status=4 ;;
    esac
  done
  printf '%-28s batch %4d x %d  %4d s  %s  %s\n' "$name" "$batch" "$count" $((SECONDS - begin)) "$verdict" \
    "$(sed -n 's/.*: \([0-9.]* m\{0,1\}s per epoch\).*/\1/p' "$out/$name.$batch".*.log | sort -u | tr '\n' ',')"
  # A process that hangs under MPS blocks its server.
  case "$verdict:$name" in HUNG:mps*) stop_mps; start_mps ;; esac
}

"$package/cifar_prep" --input_format=synthetic --train_images=50000 --test_images=100 --output="$work/d.rec" 2>/dev/null || exit 1
"$package/cifar_prep" --input_format=synthetic --train_images=4000 --test_images=100 --output="$work/few.rec" 2>/dev/null || exit 1
for ((round = 1; round <= rounds; round++)); do
  for batch in 32 128 512; do
    together alone "$batch" 1
    together launch_blocking "$batch" 1 CUDA_LAUNCH_BLOCKING=1
    together two "$batch" 2
    together four "$batch" 4
  done
  [ $SECONDS -lt "$seconds" ] || break
  start_mps || { echo "shared_gpu: nvidia-cuda-mps-control does not start: no run under MPS" >&2; continue; }
  for batch in 32 128 512; do
    for percent in 25 50 75 90; do
      together "mps_$percent" "$batch" 1 CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=$percent
    done
    # fp32's clusters of eight blocks need a slot each. Fewer images, because it takes over ten times as long.
    flags=(--precision=fp32 --input="$work/few.rec")
    together mps_10_fp32 "$batch" 1 CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=10
    flags=()
    together mps_two_50 "$batch" 2 CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50
    together mps_two "$batch" 2
    together mps_four "$batch" 4
  done
  stop_mps
done
exit $status
