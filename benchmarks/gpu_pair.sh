#!/usr/bin/env bash
# Runs the measurements that need several GPUs of one host, from a portable folder (tools/package.sh); minutes per
# section. Sections use two GPUs unless stated otherwise.
#
#   benchmarks/gpu_pair.sh PACKAGE DATASET OUT SECTION...
#
# PACKAGE: made by tools/package.sh. DATASET: a dataset.rec. OUT: gets the records and log.txt. Sections:
#   tests      the packaged tests that need two GPUs
#   faults     ranks killed, stopped, out of memory, in replayed graphs and eager steps (tests/gpu_faults.py)
#   resume     the fused step on two GPUs, over NCCL and by default, stopped and resumed, compared with a run
#              that was not stopped: the same weights
#   exchange   the fused step over NCCL and over copies between GPUs, and PyTorch's DDP in a CUDA graph;
#              REDUCERS=own,peer,peer_sharded
#   timeline   one step of both ranks, kernel by kernel: the median one, and one longer than 90 % of them; and the
#              kernels at which such steps fall behind short ones
#   all_reduce our collectives over all GPUs and NCCL's, size by size, with their record, and PyTorch's
#   all        all GPUs of the host predicted from up to half of them, then run with that prediction and scored; PyTorch's
#              DDP in a CUDA graph on all. Two GPUs are predicted from one and the record of all_reduce, which must be
#              run first
#   hosts      all ranks as two virtual hosts: all-reduce and fast step, flat over NCCL and hierarchical, and PyTorch's
#              DDP in a CUDA graph, between the hosts over sockets. The step is predicted from one host and the
#              all-reduces between the hosts, before it is run. Four GPUs; or under NVIDIA MPS two with
#              LOCKSTEP_RANKS_PER_GPU=2, or one with 4
#   accuracy   200 epochs at 128 per GPU on two, and 256 on one; SEEDS=3
#   lab        the whole lab with its questions, on a tenth of the pictures: JPEG names their folder
#   ways       DDP over NCCL and DataParallel, lab and fast, fp32 and bf16 as communication dtype: one record
#   slow_link  predicted from one GPU and the all-reduce before it is run, then scored, without peer-to-peer;
#              ALL_REDUCE_PERF names nccl-tests' all_reduce_perf
#   questions  the experiments sampler_epoch and what_is_sent, three seeds each
#   large      batches of 8,192 and 32,768 with as many updates as 128 makes in five epochs; SEEDS=3
#   report     makes the report of all records in OUT
# Exits 1 if a test or a tool failed. LOCKSTEP_RANKS_PER_GPU=2 runs it on one GPU, where times are meaningless.
set -uo pipefail
unset CDPATH # cd would look for folders there, and print them

if [ $# -lt 4 ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  exit 2
fi
here="$(cd "$(dirname "$0")" && pwd)"
package="$(cd "$1" && pwd)"
dataset="$(cd "$(dirname "$2")" && pwd)/$(basename "$2")"
mkdir -p "$3"
out="$(cd "$3" && pwd)"
. "$here/gpu_run.sh"
# Multicast over NVLink stays off: a fault in it can take a shared host's GPUs down.
export NCCL_NVLS_ENABLE=0
reducers="${REDUCERS:-own,peer,peer_sharded}" # reducers of the section exchange
gpus="$(nvidia-smi --list-gpus | grep -c '^GPU')"
cd "$out"
[ -e dataset.rec ] || ln -s "$dataset" dataset.rec
ddp_script="$here/peers/resnet18_ddp_pytorch.py"
# RANKS COMMAND...: times PyTorch's DDP in a CUDA graph; COMMAND runs the script.
ddp_graph() {
  torchrun --nproc-per-node "$1" "${@:2}" "$ddp_script" --kind graph --communication-dtype bf16 \
    --repeats "${ddp_repeats:-5}" 2>>log.txt | tee -a log.txt
}
scale() { run "$1" scale_run --input=dataset.rec --output="$1.rec" "${@:2}"; }

section_tests() {
  local test
  for test in nccl_test reduce_gpu_test exchange_gpu_test scale_graph_gpu_test data_parallel_cuda_test; do
    run_test "$package/gpu_test_$test"
  done
}

section_faults() {
  python3 "$here/../tests/gpu_faults.py" "$package" --out=faults --flag=--reducer=own || status=1
  python3 "$here/../tests/gpu_faults.py" "$package" --out=faults_peer --flag=--reducer=peer_sharded \
    --cases='fast (own_spawn|kill|stop)' || status=1
}

# A state is kept after each epoch; the run gets SIGTERM soon after the first one.
section_resume() {
  local reducer flags stopped
  for reducer in own auto; do
    flags="--preset=fast --reducer=$reducer --deterministic --ranks=2 --batch_size=128 --repeats=40 --noevaluate --resume"
    stopped="stopped_$reducer"
    scale "whole_$reducer" $flags --checkpoint="whole_$reducer.pt"
    "$package/scale_run" --input=dataset.rec $flags --checkpoint="$stopped.pt" --output="$stopped.rec" >>log.txt 2>&1 &
    until compgen -G "$stopped.rec.point*.state" >/dev/null || ! kill -0 $!; do sleep 0.2; done
    sleep 2
    kill -TERM $!
    wait $!
    printf '%-12s exit %d, %s\n' terminated $? "$(echo "$stopped".rec.point*.state)"
    scale "$stopped" $flags --checkpoint="$stopped.pt"
    cmp "whole_$reducer.pt" "$stopped.pt" && echo "resume: $reducer: the same weights" || status=1
  done
}

section_exchange() {
  scale exchange --preset=fast --reducer="$reducers" --ranks=1,2 --batch_size=512,128,32 --repeats=5 --noevaluate
  ddp_graph 1
  ddp_graph 2
}

# Records all kernels of the last epochs; the last epoch is the instrumented one.
section_timeline() {
  local batch
  for batch in 512 128 32; do
    CUDA_INJECTION64_PATH="$package/libexec/libkernel_timeline.so" KERNEL_TIMELINE="$out/noted_${batch}_%p.txt" \
      KERNEL_TIMELINE_LAST=200000 scale "noted_$batch" --preset=fast --ranks=2 --batch_size="$batch" --repeats=1 \
      --noevaluate --ablation=false
    python3 "$here/timeline_step.py" noted_"${batch}"_*.txt >"timeline_$batch.txt" || status=1
    python3 "$here/timeline_step.py" --longer_than=0.9 noted_"${batch}"_*.txt >"timeline_${batch}_long.txt" || status=1
    python3 "$here/timeline_step.py" --late --longer_than=0.9 noted_"${batch}"_*.txt >"timeline_${batch}_late.txt" ||
      status=1
    head -qn 1 "timeline_$batch.txt" "timeline_${batch}_long.txt"
    rm -f noted_"${batch}"_*.txt
  done
}

section_all_reduce() {
  "$package/gpu_all_reduce_benchmark" --benchmark_out=gpu_all_reduce.json --benchmark_out_format=json \
    --record=collective_times.rec 2>>log.txt | tee -a log.txt ||
    status=1
  torchrun --nproc-per-node "$gpus" "$here/peers/all_reduce_pytorch.py" --output all_reduce_peers.jsonl 2>>log.txt |
    tee -a log.txt || status=1
}

# The prediction is a file before the run begins, and the run's record holds its digest. One GPU gets the reducer of
# two, whose all-reduces then are those through peer memory.
section_all() {
  local flags="--preset=fast --batch_size=512,128,32 --repeats=5 --noevaluate" fewer=1 reducer="" sums="" n
  for ((n = 2; n < gpus; n *= 2)); do fewer="$fewer,$n"; done
  if [ "$fewer" = 1 ]; then
    reducer=--reducer=peer_sharded sums=--all_reduce=collective_times.rec
  fi
  scale fewer $flags --ranks="$fewer" $reducer
  run predict_all comm_model --input=fewer.rec $sums \
    --predict_ranks="$gpus" --output=predicted_all.rec --format=text
  sha256sum predicted_all.rec
  scale all $flags --ranks="$fewer,$gpus" --prediction=predicted_all.rec
  run score_all comm_model --input=all.rec --score=predicted_all.rec --output=scored_all.rec --format=text
  tail -20 log.txt
  ddp_graph "$gpus"
}

# REDUCER RANKS: the fast step on 1 and on RANKS ranks of one host, a record for each batch. If ranks share GPUs, a
# second host trains meanwhile, the same batch on as many ranks, because in the run that is predicted it does so, too.
one_host() {
  local batch flags load="" attempt
  for batch in 512 128 32; do
    flags="--preset=fast --batch_size=$batch --noevaluate --ablation=false --reducer=$1"
    if [ "${LOCKSTEP_RANKS_PER_GPU:-1}" -gt 1 ]; then
      for attempt in 1 2; do # MPS refuses the first program after one was stopped
        "$package/scale_run" --input=dataset.rec --output="load_$1_$batch.rec" $flags --ranks="$2" --repeats=100000 \
          >"load_$1_$batch.log" 2>&1 &
        load=$!
        until grep -q images/s "load_$1_$batch.log" || ! kill -0 "$load" 2>>log.txt; do sleep 1; done # until it trains
        kill -0 "$load" 2>>log.txt && break
      done
    fi
    scale "one_host_$1_$batch" $flags --ranks="1,$2" --repeats=3
    [ -n "$load" ] || continue
    if kill -TERM "$load" 2>>log.txt; then
      wait "$load"
    else
      echo "one_host_$1_$batch: no second host trained meanwhile, see load_$1_$batch.log"
      status=1
    fi
  done
}

# The prediction is a file before the run begins, and the run's record holds its digest. Each form is predicted from one
# host that adds its gradients as that form does within a host, and from all-reduces between the hosts.
section_hosts() {
  local per_host=$((gpus * ${LOCKSTEP_RANKS_PER_GPU:-1} / 2)) zeros ones reducer
  printf -v zeros '0,%.0s' $(seq "$per_host")
  printf -v ones '1,%.0s' $(seq "$per_host")
  local ranks=$((2 * per_host)) of_rank="$zeros${ones%,}" ddp_repeats=3
  local -x NCCL_SOCKET_IFNAME="${NCCL_SOCKET_IFNAME:-lo}"
  LOCKSTEP_HOST_OF_RANK="$of_rank" run between_hosts gpu_all_reduce_benchmark --ranks="$ranks" --types=bf16 \
    --collectives=all_reduce --max_bytes=67108864 --record=between_hosts.rec
  for reducer in own hierarchical; do
    one_host "$reducer" "$per_host"
    run "predict_$reducer" comm_model --input="$(ls one_host_"$reducer"_*.rec | paste -sd,)" --what_if="$ranks" \
      --devices_per_host="$per_host" --inter_host_all_reduce=between_hosts.rec --format=text \
      --output="predicted_$reducer.rec"
    sha256sum "predicted_$reducer.rec"
  done
  export LOCKSTEP_HOST_OF_RANK="$of_rank"
  for reducer in own hierarchical; do
    scale "hosts_$reducer" --preset=fast --batch_size=512,128,32 --repeats=3 --noevaluate --ablation=false \
      --reducer="$reducer" --ranks="$ranks" --prediction="predicted_$reducer.rec"
    run "score_$reducer" comm_model --input="hosts_$reducer.rec" --score="predicted_$reducer.rec" \
      --output="scored_$reducer.rec" --format=text
  done
  unset LOCKSTEP_HOST_OF_RANK
  # Each process sees one GPU, and NCCL takes both halves of the processes for two hosts; or each process for a host, if
  # those of one half share a GPU, which NCCL refuses within a host.
  local per_id=$((per_host > gpus ? 1 : per_host))
  local place="CUDA_VISIBLE_DEVICES=\$((LOCAL_RANK % $gpus)) NCCL_HOSTID=host-\$((LOCAL_RANK / $per_id)) LOCAL_RANK=0"
  ddp_graph "$ranks" --no-python bash -c "$place exec python3 \"\$@\"" ddp
}

# The same number of updates with the same number of pictures: one recipe on two GPUs and on one.
section_accuracy() {
  local seed recipe="--preset=fast --epochs=200 --schedule=cosine"
  for seed in $(seq "${SEEDS:-3}"); do
    scale "accuracy_two_$seed" $recipe --ranks=2 --batch_size=128 --seed="$seed" --ablation=false
    run "accuracy_one_$seed" train_sweep --input=dataset.rec $recipe --batch_size=256 --seed="$seed" \
      --output="accuracy_one_$seed.rec"
  done
}

# Each class's first pictures, in the folders of JPEG.
section_lab() {
  mkdir -p part
  (cd "$JPEG" && { find train -name '0[0-4]??.jpg' && find test -name '0[01]??.jpg'; } | tar cf - -T -) | tar xf - -C part
  "$package/lab" --input=part --allow_partial --questions --repeats=3 --output=lab >>log.txt 2>&1 || status=1
  grep -E '^step [0-9]+ of|answered' log.txt | tail -20
}

section_ways() {
  scale ways --preset=lab,fast --mode=ddp,dp --gradient_compression=none,bf16 --reducer=own --ranks=1,2 \
    --batch_size=128 --repeats=1 --noevaluate
}

# The prediction is a file before the run begins, and the run's record holds its digest. Times over sockets differ by 14
# % from a line; by default a fit is accepted up to 5 %.
section_slow_link() {
  echo 'all_reduce { median_error: 0.2 worst_error: 0.5 min_degrees_of_freedom: 1 }' >loose.textproto
  scale one --preset=lab --ranks=1 --batch_size=32,128,512 --repeats=1 --noevaluate
  export NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1
  "$ALL_REDUCE_PERF" -g 2 -b 1K -e 128M -f 2 -n 5 -w 2 -J all_reduce.json >>log.txt 2>&1 || status=1
  run predict comm_model --input=one.rec --all_reduce=all_reduce.json --predict_ranks=2 \
    --model_spec=loose.textproto --output=predicted.rec
  scale slow --preset=lab --ranks=2 --batch_size=512,128,32 --repeats=1 --noevaluate --prediction=predicted.rec
  unset NCCL_P2P_DISABLE NCCL_SHM_DISABLE
  run score comm_model --input=slow.rec --score=predicted.rec --output=scored.rec
}

section_questions() {
  scale sampler_epoch --experiment=sampler_epoch --preset=fast --ranks=2 --batch_size=128 --seeds=3
  scale what_is_sent --experiment=what_is_sent --precision=bf16 --channels_last --ranks=2 --batch_size=512 \
    --seeds=3
}

section_large() {
  local batch
  for batch in 8192 32768; do
    scale "large_$batch" --experiment=large_batch --preset=fast --ranks=2 --batch_size="128,$batch" \
      --seeds="${SEEDS:-3}" --rows="128;$batch, longer;$batch, all, longer"
  done
}

section_report() {
  local records
  records="$(ls ./*.rec | grep -v '^./report\.rec$' | paste -sd,)"
  run report report --input="$records" --output=report.html --force # an additional section changes the input
}

for section in "${@:4}"; do
  if ! declare -F "section_$section" >/dev/null; then
    echo "gpu_pair.sh: no section $section"
    exit 2
  fi
done
for section in "${@:4}"; do
  echo "== $section"
  "section_$section"
done
exit $status
