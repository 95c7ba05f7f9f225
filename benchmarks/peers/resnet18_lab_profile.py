"""Profiles Python PyTorch's fp32 step of ResNet-18 on one GPU: its kernels, the longest first.

    python3 benchmarks/peers/resnet18_lab_profile.py BATCH [channels_last]

fp32 without TF32, cudnn.benchmark, SGD with momentum 0.9 and weight decay 5e-4 in one fused launch, on one batch that
is already on the GPU: the lab's method (peers/resnet18_lab_pytorch.py). Runs 20 steps under torch.profiler after 10
that are not counted. Prints microseconds and launches per step of each kernel, and the sum of all kernels' times,
which is the device's time if no kernels overlap.
"""

import collections
import os
import sys

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from resnet18_pytorch import ResNet18  # noqa: E402

STEPS = 20
SHOWN = 32


def make_step(batch, memory_format):
    model = ResNet18().cuda().train().to(memory_format=memory_format)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, fused=True)
    images = torch.randn(batch, 3, 32, 32, device="cuda").to(memory_format=memory_format)
    labels = torch.randint(0, 10, (batch,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def main():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    batch, last = int(sys.argv[1]), sys.argv[2:] == ["channels_last"]
    step = make_step(batch, torch.channels_last if last else torch.contiguous_format)
    for _ in range(10):
        step()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        for _ in range(STEPS):
            step()
        torch.cuda.synchronize()
    microseconds, launches = collections.Counter(), collections.Counter()
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith("Optimizer.step"):
            microseconds[event.name] += event.time_range.elapsed_us()
            launches[event.name] += 1
    total = sum(microseconds.values()) / STEPS
    print(f"batch {batch} {'channels-last' if last else 'NCHW'}: {total:.0f} us of kernels a step, "
          f"{sum(launches.values()) / STEPS:.0f} launches, {total * 50_000 / batch * 1e-6:.3f} s per 50,000 images")
    for name, spent in microseconds.most_common(SHOWN):
        print(f"{spent / STEPS:9.1f} us {launches[name] / STEPS:5.1f} x  {name[:150]}")


if __name__ == "__main__":
    main()
