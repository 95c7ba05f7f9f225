"""Baseline of gpu_all_reduce_benchmark: Python PyTorch's all-reduces over the GPUs of one host, in CUDA graphs.

    NCCL_NVLS_ENABLE=0 torchrun --nproc-per-node 2 benchmarks/peers/all_reduce_pytorch.py [--type bf16 float]
        [--max_bytes 1073741824] [--output FILE]

Ways: NCCL through torch.distributed, and the kernels of torch's symmetric memory that need no multicast. In place. The
first sum is compared exactly; then graphs of up to 20 calls are replayed 30 times, each after a barrier: median and
95th percentile in us per call of rank 0, wrong elements of all ranks. --output appends every replay as a JSON line.
"""

import argparse
import os
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric_memory

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import measurements  # noqa: E402

TYPES = {"bf16": torch.bfloat16, "float": torch.float32}
REPLAYS = 30


def terms(count, rank, dtype):
    """Returns the same values as benchmarks/collective_terms.h: whole numbers from 1 whose sums are exact."""
    most, exact = (31, 1 << 8) if dtype == torch.bfloat16 else (524287, 1 << 24)
    places = torch.arange(count, device="cuda", dtype=torch.int64)
    return (places * 2654435761 + rank * 40507).remainder_(min(most, exact // dist.get_world_size())).add_(1).to(dtype)


def seconds(call):
    dist.barrier()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3


def measure(data, call):
    """Returns (wrong elements, sorted seconds per call)."""
    data.copy_(terms(data.numel(), dist.get_rank(), data.dtype))
    torch.cuda.synchronize()
    dist.barrier()
    call()
    expected = sum(terms(data.numel(), rank, data.dtype).float() for rank in range(dist.get_world_size()))
    wrong = (data.float() != expected).sum()
    dist.all_reduce(wrong)
    del expected
    data.zero_()
    once = torch.tensor([min(seconds(call) for _ in range(3))], device="cuda")
    dist.broadcast(once, 0)
    calls = max(1, min(20, int(2e-3 / once.item())))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    graph.replay()
    return wrong.item(), sorted(seconds(graph.replay) / calls for _ in range(REPLAYS))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--type", nargs="+", choices=TYPES, default=list(TYPES))
    parser.add_argument("--max_bytes", type=int, default=1 << 30, help="bytes")
    parser.add_argument("--output", default="", help="file to which every replay is appended as JSON")
    given = parser.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", device_id=torch.device("cuda", torch.cuda.current_device()))
    group, kernels = dist.group.WORLD, torch.ops.symm_mem
    writer = measurements.Writer(given.output if dist.get_rank() == 0 else "", measurements.torch_versions(),
                                 torch.cuda.get_device_name(), gpus=dist.get_world_size())
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, {torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    for name in given.type:
        buffer = symmetric_memory.empty(given.max_bytes // TYPES[name].itemsize, dtype=TYPES[name], device="cuda")
        symmetric_memory.rendezvous(buffer, group)
        size = 1024
        while size <= given.max_bytes:
            data = buffer[: size // buffer.itemsize]
            ways = {
                "nccl": lambda: dist.all_reduce(data),
                "symm_mem_one_shot": lambda: data.copy_(kernels.one_shot_all_reduce(data, "sum", group.group_name)),
                "symm_mem_two_shot": lambda: kernels.two_shot_all_reduce_(data, "sum", group.group_name),
            }
            for way, call in ways.items():
                if way == "symm_mem_one_shot" and size > 8 << 20:
                    continue  # too slow: it sends everything to every rank
                wrong, times = measure(data, call)
                writer.add(way, type=name, bytes=size, wrong_elements=wrong, seconds=times)
                if dist.get_rank() == 0:
                    median, late = times[len(times) // 2], times[int(0.95 * (len(times) - 1) + 0.5)]
                    factor = 2 * (dist.get_world_size() - 1) / dist.get_world_size()
                    print(f"{name:5} {size:11} {way:18} {median * 1e6:9.2f} us, p95 {late * 1e6:9.2f}, busbw "
                          f"{size / median * factor / 1e9:6.1f} GB/s, {wrong} wrong", flush=True)
            size *= 2
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
