#!/usr/bin/env bash
# Checks and times the chain on a GPU machine, from a portable folder (tools/package.sh), and prints a short table.
#
#   benchmarks/gpu_chain.sh PACKAGE DATASET OUT
#
# PACKAGE: made by tools/package.sh. DATASET: a dataset.rec, or CIFAR-10's binary version or a part of it. OUT: gets the
# records, report.md and log.txt. Runs the packaged GPU tests first, so that no wrong program is timed. One GPU: the
# sweep; several: also scaling over 1, 2, ... Exits 1 if a test or a tool failed.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them

if [ $# -ne 3 ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi
package="$(cd "$1" && pwd)"
dataset="$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
mkdir -p "$3"
out="$(cd "$3" && pwd)"
. "$(dirname "$0")/gpu_run.sh"
work="$(mktemp -d)"
cd "$work" # names without folders, so that the records contain the commands and no path of the machine

gpus=$(nvidia-smi --list-gpus | grep -c '^GPU')
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
[ "$gpus" -gt 1 ] && nvidia-smi topo -m | head -$((gpus + 1))

for test in "$package"/gpu_test_*; do
  [ ! -x "$test" ] || run_test "$test"
done

if [ -f "$dataset" ]; then
  ln -s "$dataset" dataset.rec
else
  ln -s "$dataset" cifar-10-batches-bin
  run dataset cifar_prep --input=cifar-10-batches-bin --allow_partial --output=dataset.rec
fi
run sweep train_sweep --input=dataset.rec --model=resnet18 --device=cuda --batch_size=32,64,128,256,512,1024,2048 --output=sweep.rec
inputs=dataset.rec,sweep.rec
for model in lenet5 lenet5_bias; do
  run $model train_sweep --input=dataset.rec --model=$model --device=cuda --batch_size=32 --epochs=10 --checkpoint=$model.pt --output=$model.rec
  inputs="$inputs,$model.rec"
done
if [ "$gpus" -gt 1 ]; then
  ranks=1
  for n in 2 4 8; do
    [ "$n" -le "$gpus" ] && ranks="$ranks,$n"
  done
  run scale scale_run --input=dataset.rec --model=resnet18 --device=cuda --ranks="$ranks" --batch_size=32,128,512 --output=scale.rec
  run comm_model comm_model --input=scale.rec --sweep=sweep.rec --fit_ranks=$((${ranks##*,} / 2)) --output=comm_model.rec
  inputs="$inputs,scale.rec,comm_model.rec"
fi
run quantize quantize --input=dataset.rec --checkpoint=lenet5.pt,lenet5_bias.pt --output=quantized.rec
run report report --input="$inputs,quantized.rec" --output=report.html
for file in sweep.rec lenet5.rec lenet5_bias.rec scale.rec comm_model.rec quantized.rec report.md; do
  [ -f "$file" ] && cp "$file" "$out/"
done
rm -rf "$work"
exit $status
