"""Python PyTorch's ResNet-18 step on one GPU, the peer of train_sweep --preset=fast: seconds per 50,000 images.

    python3 benchmarks/peers/resnet18_pytorch.py [--batch 512 128 32] [--kind eager graph compile]

bf16 autocast, channels-last, SGD with momentum (fused=True), cudnn.benchmark. Timed: as many whole steps as an epoch of
50,000 images has (the tail as a full batch left out), on one batch that lies on the GPU already: without loading or
augmentation, which ours has. Three kinds: eager, the whole step in a CUDA graph, and torch.compile (which takes up to a
minute to compile at each batch size). The first epoch is not counted; median of 5 (least to most).
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    """Two 3x3 convolutions around a shortcut (He et al. 2016; names as in kuangliu/pytorch-cifar)."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(out)) + self.shortcut(x))


class ResNet18(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        layers, inputs = [], 64
        for outputs, stride in [(64, 1), (128, 2), (256, 2), (512, 2)]:
            layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
            inputs = outputs
        self.layers = nn.Sequential(*layers)
        self.linear = nn.Linear(512, 10)

    def forward(self, x):
        x = self.layers(F.relu(self.bn1(self.conv1(x))))
        return self.linear(F.avg_pool2d(x, 4).flatten(1))


def make_step(batch, compiled):
    """A function that queues one training step, and what keeps it alive."""
    model = ResNet18().cuda().to(memory_format=torch.channels_last)
    assert sum(p.numel() for p in model.parameters()) == 11_173_962
    forward = torch.compile(model) if compiled else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, fused=True)
    images = torch.randn(batch, 3, 32, 32, device="cuda").to(memory_format=torch.channels_last)
    labels = torch.randint(0, 10, (batch,), device="cuda")

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(forward(images), labels)
        loss.backward()
        optimizer.step()

    return step


def captured(step):
    """The step as the replay of a CUDA graph."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(5):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def time_epochs(step, batch, repeats=5):
    steps = 50_000 // batch
    seconds = []
    for epoch in range(repeats + 1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
        if epoch > 0:
            seconds.append((time.perf_counter() - begin) * 50_000 / (steps * batch))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="*", default=[512, 128, 32])
    parser.add_argument("--kind", nargs="*", default=["eager", "graph"], choices=["eager", "graph", "compile"])
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, bf16 autocast, channels-last; s per 50,000 images")
    for batch in args.batch:
        for kind in args.kind:
            step = make_step(batch, kind == "compile")
            seconds = time_epochs(captured(step) if kind == "graph" else step, batch)
            print(f"{batch:5d}  {statistics.median(seconds):7.4f} ({min(seconds):.4f} to {max(seconds):.4f})  {kind}", flush=True)


if __name__ == "__main__":
    main()
