#!/usr/bin/env bash
# Runs compute-sanitizer's four tools on the GPU tests of a portable folder (tools/package.sh) and on a short training.
# Prints a line for each run, and the findings that are not explained in tools/sanitize_gpu_known.txt.
#
#   tools/sanitize_gpu.sh [--tools=memcheck,racecheck,initcheck,synccheck] [--programs=REGEX] [--seconds=600] PACKAGE OUT
#
# OUT gets a log of each run. --seconds: the limit of one run. racecheck and synccheck check Lockstep's kernels only:
# libraries have many kernels, and we cannot fix them. initcheck must see the memory that libraries write.
# Exit codes: 0 nothing new, 2 wrong usage, 4 a new finding, a program that failed, or one that reached its limit,
# 5 no compute-sanitizer or no GPU.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them

usage() { sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"; }
tools=memcheck,racecheck,initcheck,synccheck
programs=.
seconds=600
while [ "${1#--}" != "${1:-}" ]; do
  case "$1" in
    --tools=*) tools="${1#*=}" ;;
    --programs=*) programs="${1#*=}" ;;
    --seconds=*) seconds="${1#*=}" ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[ $# -eq 2 ] || { usage >&2; exit 2; }
package="$(cd "$1" && pwd)" || exit 2
mkdir -p "$2" || exit 2
out="$(cd "$2" && pwd)"
known="$(cd "$(dirname "$0")" && pwd)/sanitize_gpu_known.txt"
command -v compute-sanitizer >/dev/null || { echo "sanitize_gpu: error: compute-sanitizer is not on PATH" >&2; exit 5; }
nvidia-smi >/dev/null 2>&1 || { echo "sanitize_gpu: error: nvidia-smi finds no GPU" >&2; exit 5; }

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# findings LOG: prints each kind of finding once, "count what | kernel", without addresses and threads.
findings() {
  awk '
    function flush() { if (what != "") print what " | " kernel; what = ""; kernel = "?" }
    /^========= *$/ { flush(); next }
    /^========= (Error|Warning): Race reported/ {
      flush(); what = $3 " " $4 " between"; kernel = $0
      sub(/.* access at /, "", kernel); sub(/\+0x[0-9a-f]+.*/, "", kernel); sub(/\(CUtensorMap_st.*/, "", kernel); next
    }
    /^========= (Invalid|Uninitialized|Host API|Internal Sanitizer Error|Barrier error|Potential|Divergent|Program hit|Leaked|Misaligned|Out-of-range)/ {
      flush(); what = $0; sub(/^========= /, "", what); sub(/ (at address|0x).*/, "", what); next
    }
    /^=========     at / && kernel == "?" { kernel = $0; sub(/^=========     at /, "", kernel); sub(/\+0x[0-9a-f]+.*/, "", kernel) }
    BEGIN { kernel = "?" }
    END { flush() }' "$1" | sort | uniq -c | sed 's/^ *//'
}

# reason_for TOOL PROGRAM FINDING: prints the reason of the line "tool, program regex, finding regex, reason" that
# explains the finding; if FINDING is "-", the reason of the line that leaves the program out.
reason_for() {
  local tool program finding reason
  while IFS=$'\t' read -r tool program finding reason; do
    [ "$tool" = "$1" ] && [[ "$2" =~ $program ]] || continue
    if [ "$3" = - ] || [ "$finding" = - ]; then
      [ "$3" = "$finding" ] || continue
    else
      [[ "$3" =~ $finding ]] || continue
    fi
    echo "$reason"
    return 0
  done <"$known"
  return 1
}

status=0
# check TOOL NAME COMMAND...: makes one run, prints one line.
check() {
  local tool="$1" name="$2" log="$out/$1.$2.log" begin=$SECONDS rc new=0 explained=0 line
  shift 2
  local only=() reason
  if reason="$(reason_for "$tool" "$name" -)"; then
    printf '%-10s %-32s         left out: %s\n' "$tool" "$name" "$reason"
    return
  fi
  case "$tool" in racecheck | synccheck) only=(--kernel-name kns=lockstep) ;; esac
  timeout -k 5 "$seconds" compute-sanitizer --tool "$tool" --target-processes all --print-limit 1000 \
    ${only[@]+"${only[@]}"} "$@" >"$log" 2>&1
  rc=$?
  while read -r line; do
    [ -n "$line" ] || continue
    if reason_for "$tool" "$name" "${line#* }" >/dev/null; then
      explained=$((explained + 1))
    else
      new=$((new + 1))
      printf '  new: %s\n' "$line" >>"$work/new"
    fi
  done < <(findings "$log")
  local verdict="ok"
  if [ "$rc" -ne 0 ]; then verdict="FAILED (exit $rc)"; fi
  if [ "$rc" -eq 124 ] || [ "$rc" -eq 137 ]; then verdict="NOT OVER after $seconds s"; fi
  grep -q '^========= .*SUMMARY' "$log" || verdict="$verdict, NO SUMMARY"
  [ "$new" -eq 0 ] || verdict="$verdict, $new NEW"
  [ "$verdict" = ok ] || status=4
  printf '%-10s %-32s %4d s  %s, %d explained\n' "$tool" "$name" $((SECONDS - begin)) "$verdict" "$explained"
  [ ! -f "$work/new" ] || { cat "$work/new"; rm "$work/new"; }
}

if [[ short_training =~ $programs ]]; then
  "$package/cifar_prep" --input_format=synthetic --train_images=600 --test_images=40 --output="$work/d.rec" 2>/dev/null
fi
for tool in ${tools//,/ }; do
  for program in "$package"/gpu_test_*; do
    name="$(basename "$program")" && name="${name#gpu_test_}"
    [[ "$name" =~ $programs ]] || continue
    check "$tool" "$name" "$program"
  done
  if [[ short_training =~ $programs ]]; then
    check "$tool" short_training "$package/train_sweep" --input="$work/d.rec" --preset=fast --batch_size=256,32 \
      --epochs=2 --noevaluate --timeout=24h --force --output="$work/s.rec"
  fi
done
exit $status
