"""Baseline of lib/train/train_step on the CPU: Python PyTorch's ResNet-18 step.

    python3 benchmarks/peers/cpu_step_pytorch.py BATCH THREADS fp32|bf16 nchw|channels_last

For each line on standard input, a number of steps, the program runs these steps and prints "STEPS SECONDS CPU_SECONDS":
wall clock, and all threads. Written like users of PyTorch do: SGD with fused=True, zero_grad to None, bf16 by
torch.autocast with fp32 weights, channels-last by model.to and images.to. images.to runs in every step, because a
loader's batches are NCHW. The network is the one in resnet18_pytorch.py.
"""

import contextlib
import sys
import time

import torch
from resnet18_pytorch import ResNet18
from torch.nn import functional as F


def make_step(batch, precision, memory_format):
    torch.manual_seed(1)
    model = ResNet18().to(memory_format=memory_format)
    assert sum(p.numel() for p in model.parameters()) == 11_173_962
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, fused=True)
    images, labels = torch.randn(batch, 3, 32, 32), torch.arange(batch) % 10

    def autocast():
        return torch.autocast("cpu", torch.bfloat16) if precision == "bf16" else contextlib.nullcontext()

    def step():
        optimizer.zero_grad(set_to_none=True)
        with autocast():
            loss = F.cross_entropy(model(images.to(memory_format=memory_format)), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def main():
    batch, threads, precision, layout = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    torch.set_num_threads(threads)
    step = make_step(batch, precision, torch.channels_last if layout == "channels_last" else torch.contiguous_format)
    for line in sys.stdin:
        begin, cpu_begin = time.perf_counter(), time.process_time()
        losses = [step() for _ in range(int(line))]
        seconds, cpu_seconds = time.perf_counter() - begin, time.process_time() - cpu_begin
        assert torch.isfinite(torch.stack(losses)).all()
        print(len(losses), seconds, cpu_seconds, flush=True)


if __name__ == "__main__":
    main()
