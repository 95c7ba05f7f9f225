"""Baseline of scale_run --preset=fast: Python PyTorch's data-parallel ResNet-18 step, in seconds per 50,000 images.

    NCCL_NVLS_ENABLE=0 torchrun --nproc-per-node 2 benchmarks/peers/resnet18_ddp_pytorch.py [--batch 512 128 32]
        [--kind graph compile_graph] [--dataset dataset.rec] [--communication-dtype fp32 bf16] [--precision bf16 fp32]
        [--output FILE]

DistributedDataParallel with gradient_as_bucket_view. bf16 is autocast in channels-last with SGD fused; fp32 is plain,
NCHW, without TF32. Kinds: eager; graph, the whole step including all-reduces in a CUDA graph; compile_graph, the same
with the model under torch.compile, whose DDPOptimizer splits it at the buckets, and separate batch-norm statistics per
rank (broadcast_buffers=False); compile_graph_max, the same with mode="max-autotune-no-cudagraphs".
--communication-dtype bf16 is PyTorch's own bf16_compress_hook. Timed like resnet18_pytorch.py: whole steps of an epoch
on one batch that is already on each GPU, or with --dataset on augmented batches of the record, each made on its GPU.
The batch is per GPU. The first epoch is not counted; median of --repeats (min to max), of the slowest rank. --output
appends every epoch as a JSON line.
"""

import argparse
import itertools
import os
import statistics
import time

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

import resident_batches
from resnet18_pytorch import ResNet18, measurements

WARM_UP_STEPS = 15  # DDP records its first ten steps (torch.cuda documentation, "CUDA Graphs", "Usage with DDP")


def make_step(data, kind, communication_dtype, precision):
    """Returns a function that queues one training step on a batch of `data`. Must be called in the stream of its later
    capture."""
    bf16 = precision == "bf16"
    layout = torch.channels_last if bf16 else torch.contiguous_format
    network = ResNet18().cuda().to(memory_format=layout)
    compiled = kind.startswith("compile")
    model = DistributedDataParallel(network, device_ids=[torch.cuda.current_device()], gradient_as_bucket_view=True,
                                    broadcast_buffers=not compiled)
    if communication_dtype == "bf16":
        model.register_comm_hook(None, default_hooks.bf16_compress_hook)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, fused=True)
    data.set_layout(layout)
    next_batch = data.next
    if compiled:
        torch._dynamo.reset()
        mode = "max-autotune-no-cudagraphs" if kind.endswith("max") else None
        model = torch.compile(model, mode=mode)
        next_batch = torch.compile(next_batch) if isinstance(data, resident_batches.ResidentBatches) else next_batch

    def step():
        optimizer.zero_grad(set_to_none=False)
        images, labels = next_batch()
        with torch.autocast("cuda", torch.bfloat16, enabled=bf16, cache_enabled=not compiled):
            loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        data.advance()
        return loss

    return step


def make_replay(data, kind, communication_dtype, precision):
    """Returns a function that runs one step and returns its loss, by launches or by the replay of a graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())  # the data is made there
    with torch.cuda.stream(stream):
        step = make_step(data, kind, communication_dtype, precision)
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    dist.barrier()
    torch.cuda.synchronize()
    if kind == "eager":
        return step
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
        loss = step()

    def replay():
        graph.replay()
        return loss

    return replay


def time_epochs(step, batch, repeats, begin_epoch):
    """Returns the slowest rank's seconds of each timed epoch, scaled to 50,000 images."""
    ranks = dist.get_world_size()
    steps = 50_000 // (batch * ranks)
    seconds = []
    for epoch in range(repeats + 1):
        torch.cuda.synchronize()
        dist.barrier()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        begin_epoch(epoch)
        for _ in range(steps):
            loss = step()
        torch.cuda.synchronize()
        own = torch.tensor([(time.perf_counter() - begin) * 50_000 / (steps * batch * ranks)], device="cuda")
        dist.all_reduce(own, dist.ReduceOp.MAX)
        if epoch > 0:
            seconds.append(own.item())
    assert loss.item() < 2, f"after {(repeats + 1) * steps} steps the loss is {loss.item()}, expected below chance"
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128, 32])
    parser.add_argument("--kind", nargs="+", default=["graph", "compile_graph"],
                        choices=["eager", "graph", "compile_graph", "compile_graph_max"])
    parser.add_argument("--dataset", default="", help="dataset record whose augmented images are the batches")
    parser.add_argument("--communication-dtype", nargs="+", default=["bf16"], choices=["fp32", "bf16"])
    parser.add_argument("--precision", default="bf16", choices=["bf16", "fp32"])
    parser.add_argument("--repeats", type=int, default=5, help="timed epochs")
    parser.add_argument("--output", default="", help="file to which every timed epoch is appended as JSON")
    args = parser.parse_args()
    # Multicast over NVLink stays off: a fault in it can take a shared host's GPUs down.
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    os.environ.setdefault("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")  # its watchdog queries events, which a capture forbids
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.backends.cudnn.benchmark = True
    rank, ranks = dist.get_rank(), dist.get_world_size()
    writer = measurements.Writer(args.output if rank == 0 else "", measurements.torch_versions(), torch.cuda.get_device_name(),
                                 gpus=ranks)
    if rank == 0:
        print(f"PyTorch {torch.__version__}, {ranks} x {torch.cuda.get_device_name()}, DDP in {args.precision}; s per 50,000 "
              f"images, batch of each GPU", flush=True)
    images = resident_batches.training_images(args.dataset)
    torch.manual_seed(rank)  # each rank draws other augmentations; DDP gives all ranks the weights of rank 0
    for kind, dtype in itertools.product(args.kind, args.communication_dtype):
        case = f"{kind}{', augmented' if images else ''}, {dtype} on the wire"
        for batch in args.batch:
            data = resident_batches.make(images, batch, rank, ranks)
            replay = make_replay(data, kind, dtype, args.precision)
            seconds = time_epochs(replay, batch, args.repeats, data.begin_epoch)
            writer.add(case, batch=batch, seconds=seconds)
            if rank == 0:
                spread = f"{statistics.median(seconds):7.4f} ({min(seconds):.4f} to {max(seconds):.4f})"
                print(f"{batch:5d}  {spread}  {case}", flush=True)
    os._exit(0)  # a process group with captured collectives may hang in its destructor (pytorch#115388)


if __name__ == "__main__":
    main()
