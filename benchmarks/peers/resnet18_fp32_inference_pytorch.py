"""Baseline of int8 in int8_benchmark.cc: Python PyTorch's ResNet-18 in fp32 on one thread of a CPU, eval mode.

    python3 benchmarks/peers/resnet18_fp32_inference_pytorch.py [BATCH ...]

The network is the one in resnet18_pytorch.py, channels last: unchanged, and after torch.jit.freeze, which folds batch
norm. Prints the median images per second of 15 runs after 3, with the 10th and 90th percentile.
"""

import sys
import time

import torch
from resnet18_pytorch import ResNet18


def measure(network, batch):
    images = torch.randn(batch, 3, 32, 32).to(memory_format=torch.channels_last)
    seconds = []
    for _ in range(18):
        begin = time.perf_counter()
        network(images)
        seconds.append(time.perf_counter() - begin)
    rates = sorted(batch / s for s in seconds[3:])
    return f"{rates[7]:.0f} ({rates[1]:.0f} to {rates[13]:.0f})"


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    with torch.inference_mode():
        plain = ResNet18().eval().to(memory_format=torch.channels_last)
        frozen = torch.jit.freeze(torch.jit.trace(plain, torch.randn(1, 3, 32, 32)))
        for batch in map(int, sys.argv[1:] or ["1", "32"]):
            print(f"PyTorch {torch.__version__}, batch {batch}: {measure(plain, batch)} images/s, "
                  f"frozen {measure(frozen, batch)}", flush=True)


if __name__ == "__main__":
    main()
