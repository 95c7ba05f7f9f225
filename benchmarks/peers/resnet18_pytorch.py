"""Baseline of train_sweep --preset=fast: Python PyTorch's ResNet-18 step on one GPU, in seconds per 50,000 images.

    python3 benchmarks/peers/resnet18_pytorch.py [--batch 512 128 32] [--kind graph compile_graph]
        [--dataset dataset.rec] [--output FILE]

bf16 autocast, channels-last, SGD with momentum (fused=True), cudnn.benchmark. Timed: as many whole steps as an epoch of
50,000 images has (without the tail). Without --dataset all steps use one batch that is already on the GPU: no loading
or augmentation, which our times include. With --dataset each step also does this work: it takes its images from those
of the record in the GPU's memory in the epoch's random order, and crops, flips and normalizes them
(resident_batches.py), inside the graph and the compiled function if there is one. Kinds:

  eager              launch by launch
  graph              the whole step (forward, backward, update) in a CUDA graph
  compile            model and loss under torch.compile, launch by launch
  compile_graph      the same with the whole step in a CUDA graph: the fastest that compiles in seconds
  compile_graph_max  compile_graph with mode="max-autotune-no-cudagraphs": minutes to compile at each batch size

The first epoch is not counted; median of --repeats (min to max). --output appends every epoch as a JSON line.
"""

import argparse
import math
import os
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import measurements  # noqa: E402
import resident_batches  # noqa: E402

KINDS = ["eager", "graph", "compile", "compile_graph", "compile_graph_max"]
WARM_UP_STEPS = 12


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


def make_resnet18():
    model = ResNet18()
    assert sum(p.numel() for p in model.parameters()) == 11_173_962
    return model


def make_step(batch, kind, make_model=make_resnet18, classes=10, data=None):
    """Returns a function that queues one training step on a batch of `data`, or on one random batch."""
    data = data or resident_batches.OneBatch(batch, classes)
    model = make_model().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, fused=True)

    def loss_of():
        images, labels = data.next()
        with torch.autocast("cuda", torch.bfloat16):
            return F.cross_entropy(model(images), labels)

    if kind.startswith("compile"):
        torch._dynamo.reset()
        loss_of = torch.compile(loss_of, mode="max-autotune-no-cudagraphs" if kind.endswith("max") else None)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of()
        loss.backward()
        optimizer.step()
        data.advance()
        return loss

    return step


def captured(step):
    """Returns a function that replays the step as a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss

    return replay


def check_learned(first, last, classes):
    """Checks the losses of the first and the last step. Raises AssertionError if the network did not learn.

    The labels of one batch are random, so the expected loss of a network that has not seen them is at least
    ln(classes). Knowing the share of each class in the batch already gives less, and slow networks learn these shares,
    too. A loss that is NaN, grows, or stays the same because no weight is updated, is an error.
    """
    chance = math.log(classes)
    assert last < min(first, chance), (
        f"training changed the loss from {first} to {last}, expected less than before and than chance ({chance:.4f})")


def time_epochs(step, batch, repeats, classes=10, begin_epoch=lambda epoch: None):
    """Returns the seconds of each timed epoch, scaled to 50,000 images. Checks that the network learned."""
    steps = 50_000 // batch
    first = step().item()
    seconds = []
    for epoch in range(repeats + 1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        begin_epoch(epoch)
        for _ in range(steps):
            loss = step()
        torch.cuda.synchronize()
        if epoch > 0:
            seconds.append((time.perf_counter() - begin) * 50_000 / (steps * batch))
    check_learned(first, loss.item(), classes)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128, 32])
    parser.add_argument("--kind", nargs="+", default=["graph", "compile_graph"], choices=KINDS)
    parser.add_argument("--dataset", default="", help="dataset record whose augmented images are the batches")
    parser.add_argument("--repeats", type=int, default=5, help="timed epochs")
    parser.add_argument("--output", default="", help="file to which every timed epoch is appended as JSON")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    images = resident_batches.training_images(args.dataset)
    writer = measurements.Writer(args.output, measurements.torch_versions(), torch.cuda.get_device_name(), gpus=1)
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}, bf16 autocast, channels-last; s per 50,000 images")
    for kind in args.kind:
        case = kind + (", augmented" if images else "")
        for batch in args.batch:
            begin = time.perf_counter()
            data = resident_batches.make(images, batch)
            step = make_step(batch, kind, data=data)
            run = captured(step) if "graph" in kind else step
            prepared = time.perf_counter() - begin
            seconds = time_epochs(run, batch, args.repeats, begin_epoch=data.begin_epoch)
            writer.add(case, batch=batch, seconds=seconds, prepare_seconds=prepared)
            print(f"{batch:5d}  {statistics.median(seconds):7.4f} ({min(seconds):.4f} to {max(seconds):.4f})  {case}; "
                  f"compiled and captured in {prepared:.0f} s", flush=True)


if __name__ == "__main__":
    main()
