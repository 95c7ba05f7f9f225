#!/usr/bin/env bash
# Checks and times the chain on a GPU machine, from a portable folder (tools/package.sh), and prints a short table.
#
#   benchmarks/gpu_chain.sh PACKAGE CIFAR10 OUT
#
# PACKAGE: made by tools/package.sh. CIFAR10: the binary version, or a part of it. OUT: gets each record, as
# it is and as JSON, the report, and the log. Runs the packaged GPU tests first: no time is taken of a program that is wrong. One GPU: the
# sweep; more: scaling over 1, 2, ... as well. Exits 1 when a test failed.
set -uo pipefail

if [ $# -ne 3 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit 2
fi
package="$(cd "$1" && pwd)" cifar="$(cd "$2" && pwd)"
mkdir -p "$3"
out="$(cd "$3" && pwd)"
work="$(mktemp -d)"
status=0
cd "$work" # names without folders, so that the records tell the commands and not the machine
ln -s "$cifar" cifar-10-batches-bin

gpus=$(nvidia-smi --list-gpus | grep -c '^GPU')
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
[ "$gpus" -gt 1 ] && nvidia-smi topo -m | head -$((gpus + 1))

for test in "$package"/gpu_test_*; do
  [ -x "$test" ] || continue
  if timeout 200 "$test" >test.log 2>&1; then
    printf 'test %s: %s\n' "$(basename "$test")" "$(grep -E '^\[  (PASSED|SKIPPED)' test.log | tr '\n' ' ')"
  else
    printf 'test %s FAILED\n' "$(basename "$test")"
    tail -40 test.log
    status=1
  fi
done

run() {
  local name="$1" began=$SECONDS
  shift
  "$package/$1" "${@:2}" >>"$out/log.txt" 2>"$name.err"
  local code=$?
  printf '%-12s exit %d  %3d s\n' "$name" "$code" "$((SECONDS - began))"
  cat "$name.err" >>"$out/log.txt"
  if [ $code -ne 0 ]; then
    tail -5 "$name.err"
    status=1
  fi
}

export_json() {
  "$package/report" --print="$1.rec" --format=json >"$out/$1.json" 2>/dev/null
}

run dataset cifar_prep --input=cifar-10-batches-bin --allow_partial --output=dataset.rec
run sweep train_sweep --input=dataset.rec --model=resnet18 --device=cuda --batch=32,128,512 --output=sweep.rec
export_json sweep
inputs=dataset.rec,sweep.rec
if [ "$gpus" -gt 1 ]; then
  ranks=1
  for n in 2 4 8; do
    [ "$n" -le "$gpus" ] && ranks="$ranks,$n"
  done
  run scale scale_run --input=dataset.rec --model=resnet18 --device=cuda --ranks="$ranks" --batch=32,128,512 --output=scale.rec
  export_json scale
  run comm_model comm_model --input=scale.rec --sweep=sweep.rec --output=comm_model.rec
  export_json comm_model
  inputs="$inputs,scale.rec,comm_model.rec"
fi
run report report --input="$inputs" --output=report.html
cat report.md 2>/dev/null
for file in report.md sweep.rec scale.rec comm_model.rec; do
  [ -f "$file" ] && cp "$file" "$out/"
done
rm -rf "$work"
exit $status
