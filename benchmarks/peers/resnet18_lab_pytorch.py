"""Baseline of train_sweep --preset=lab: Python PyTorch training ResNet-18 like the lab: fp32 without TF32, NCHW, eager.

    python3 benchmarks/peers/resnet18_lab_pytorch.py steps|epoch BATCH IMAGES WORKERS

For each line on standard input one epoch of IMAGES images is trained, including the shorter last batch, and "IMAGES
STEP_SECONDS EPOCH_SECONDS" printed. SGD with momentum 0.9 and weight decay 5e-4 in one fused launch, cudnn.benchmark,
gradients set to None instead of zero. No loss is copied to the host; the lab's scripts copy one per step.

  steps  batches made before, in page-locked memory, eight of them repeated: only the step is timed
  epoch  batches from a DataLoader with WORKERS processes (peers/loader_pytorch.py, kind `own`), page-locked

STEP_SECONDS: the sum over all steps of copy to the device, forward, loss, backward and update, between two events per
step on the device's timeline (on the CPU: readings of the clock), like train_sweep's step_seconds. EPOCH_SECONDS: the
host's clock from requesting the first batch until the device is done, like train_sweep's epoch_seconds.
"""

import os
import sys
import time

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from loader_pytorch import Own  # noqa: E402
from resnet18_pytorch import ResNet18  # noqa: E402

MADE = 8


class Clock:
    """Sums the times between begin() and end(), without waiting for the device in between."""

    def __init__(self, cuda):
        self.cuda, self.marks = cuda, []

    def mark(self):
        if self.cuda:
            event = torch.cuda.Event(enable_timing=True)
            event.record()
            self.marks.append(event)
        else:
            self.marks.append(time.perf_counter())

    def seconds(self):
        pairs = list(zip(self.marks[::2], self.marks[1::2]))
        return sum(a.elapsed_time(b) / 1000 for a, b in pairs) if self.cuda else sum(b - a for a, b in pairs)


def made_batches(batch, images, cuda):
    """Returns a function that returns an epoch's batches, all made beforehand."""
    def make(size):
        pictures, labels = torch.randn(size, 3, 32, 32), torch.randint(0, 10, (size,))
        return (pictures.pin_memory(), labels.pin_memory()) if cuda else (pictures, labels)

    whole = [make(batch) for _ in range(min(MADE, images // batch))]
    tail = [make(images % batch)] if images % batch else []
    return lambda: [whole[i % MADE] for i in range(images // batch)] + tail


class Some(Own):
    def __init__(self, images):
        super().__init__()
        self.data = self.data[:images]

    def __len__(self):
        return len(self.data)


def loaded_batches(batch, images, workers, cuda):
    loader = DataLoader(Some(images), batch_size=batch, shuffle=True, num_workers=workers, persistent_workers=workers > 0, pin_memory=cuda)
    return lambda: loader


def main():
    kind, batch, images, workers = sys.argv[1], *map(int, sys.argv[2:5])
    cuda = torch.cuda.is_available()
    device = torch.device("cuda" if cuda else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    model = ResNet18().to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, fused=True)
    batches = made_batches(batch, images, cuda) if kind == "steps" else loaded_batches(batch, images, workers, cuda)
    name = torch.cuda.get_device_name() if cuda else f"CPU, {torch.get_num_threads()} threads"
    print(f"PyTorch {torch.__version__}, {name}", flush=True)
    for _ in sys.stdin:
        clock, count = Clock(cuda), 0
        begin = time.perf_counter()
        for pictures, labels in batches():
            clock.mark()
            pictures, labels = pictures.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(pictures), labels)
            loss.backward()
            optimizer.step()
            clock.mark()
            count += len(labels)
        if cuda:
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begin
        print(count, clock.seconds(), seconds, flush=True)


if __name__ == "__main__":
    main()
