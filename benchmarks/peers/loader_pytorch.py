"""Baseline of lib/cifar/batch_loader: torch's DataLoader on CIFAR-10's training transforms.

    python3 benchmarks/peers/loader_pytorch.py KIND BATCH WORKERS

For each line on standard input one epoch is run and "IMAGES SECONDS" printed. The time includes the loop over the
loader; batches are not used. Images are random uint8 in memory, shuffled. Workers are processes that stay
(persistent_workers) and prefetch two batches each, torch's default. Transforms: RandomCrop(32, padding=4),
RandomHorizontalFlip, ToTensor, Normalize. Kinds:

  pil        torchvision's own transforms on PIL images, as torchvision.datasets.CIFAR10 returns them and kuangliu's
             script trains: the method of the lab's script
  tensor     torchvision.transforms.v2 on uint8 tensors, picture by picture
  own        the same four steps written on tensors with torch alone, for machines without torchvision: pad, slice,
             flip, scale, normalise, nothing else
  batched    the fastest use of a DataLoader in Python: `own` for a whole batch at once (a batch sampler gives the data
             set lists of indices): one crop and one flip per picture, drawn together, gathered by index
"""

import sys
import time

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

IMAGES = 50_000
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


class Pil(Dataset):
    def __init__(self):
        from PIL import Image
        from torchvision import transforms

        self.data = np.random.default_rng(1).integers(0, 256, (IMAGES, 32, 32, 3), dtype=np.uint8)
        self.from_array = Image.fromarray
        self.transform = transforms.Compose([
            transforms.RandomCrop(32, padding=4), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
            transforms.Normalize(MEAN, STD)])

    def __len__(self):
        return IMAGES

    def __getitem__(self, i):
        return self.transform(self.from_array(self.data[i])), i % 10


class Tensors(Dataset):
    """The images as one uint8 tensor (n, 3, 32, 32)."""

    def __init__(self):
        self.data = torch.randint(0, 256, (IMAGES, 3, 32, 32), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return IMAGES


class Tensor(Tensors):
    def __init__(self):
        from torchvision.transforms import v2

        super().__init__()
        self.transform = v2.Compose([v2.RandomCrop(32, padding=4), v2.RandomHorizontalFlip(),
                                     v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])

    def __getitem__(self, i):
        return self.transform(self.data[i]), i % 10


class Own(Tensors):
    def __init__(self):
        super().__init__()
        mean, std = torch.tensor(MEAN).view(3, 1, 1), torch.tensor(STD).view(3, 1, 1)
        self.scale, self.shift = 1 / (255 * std), -mean / std

    def __getitem__(self, i):
        top, left, flip = torch.randint(0, 9, (1,)).item(), torch.randint(0, 9, (1,)).item(), torch.rand(1).item() < 0.5
        image = torch.nn.functional.pad(self.data[i], (4, 4, 4, 4))[:, top:top + 32, left:left + 32]
        if flip:
            image = image.flip(2)
        return image * self.scale + self.shift, i % 10


class Batched(Own):
    def __getitem__(self, indices):
        n = len(indices)
        padded = torch.nn.functional.pad(self.data[indices], (4, 4, 4, 4))
        rows = torch.randint(0, 9, (n, 1)) + torch.arange(32)
        columns = torch.randint(0, 9, (n, 1)) + torch.arange(32)
        columns = torch.where(torch.rand(n, 1) < 0.5, columns.flip(1), columns)
        cropped = padded[torch.arange(n).view(n, 1, 1), :, rows.view(n, 32, 1), columns.view(n, 1, 32)]  # (n, 32, 32, 3)
        return cropped.permute(0, 3, 1, 2) * self.scale + self.shift, torch.tensor(indices) % 10


def make_loader(kind, batch, workers):
    settings = dict(num_workers=workers, persistent_workers=workers > 0)
    if kind == "batched":
        data = Batched()
        return DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), batch, False), **settings)
    data = {"pil": Pil, "tensor": Tensor, "own": Own}[kind]()
    return DataLoader(data, batch_size=batch, shuffle=True, **settings)


def main():
    kind, batch, workers = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    torch.set_num_threads(1)  # like the workers; this process computes nothing
    loader = make_loader(kind, batch, workers)
    for _ in sys.stdin:
        begin, images = time.perf_counter(), 0
        for pictures, labels in loader:
            assert pictures.shape[1:] == (3, 32, 32) and pictures.dtype == torch.float32
            images += len(labels)
        print(images, time.perf_counter() - begin, flush=True)


if __name__ == "__main__":
    main()
