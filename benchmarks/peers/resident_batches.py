"""Training batches made on the GPU from images in its memory, for PyTorch's baselines.

Everything of a batch is a few operations on tensors, which torch.compile fuses and a CUDA graph captures: the images of
the batch by the epoch's order, cutout, crop, flip and normalization. Rules and order of the steps are those of
lib/dataset/augment.h; the random draws differ.
"""

import collections

import dataset_record
import recipes
import torch

SIDE, PADDING = 32, 4

# Values of the fields of TrainingSpec with these names. The default is torchvision's augmentation.
Rule = collections.namedtuple("Rule", "border flip cutout", defaults=["ZERO", "RANDOM", 0])


def read_splits(path, device):
    """Returns {TRAINING: (pixels, labels), TEST: ...} of a dataset record: uint8 (n, 3, 32, 32) and int64 (n)."""
    return {split: (torch.frombuffer(pixels, dtype=torch.uint8).view(-1, 3, SIDE, SIDE).to(device),
                    torch.frombuffer(labels, dtype=torch.uint8).to(device).long())
            for split, (pixels, labels) in dataset_record.read(path).items()}


def training_images(path):
    """Returns (pixels, labels) of the record's training images on the GPU, or None if `path` is empty."""
    return read_splits(path, "cuda")[dataset_record.TRAINING] if path else None


def make(images, batch, rank=0, ranks=1):
    """Returns ResidentBatches of training_images, or OneBatch if they are None."""
    return ResidentBatches(*images, batch, rank=rank, ranks=ranks) if images else OneBatch(batch, classes=10)


class OneBatch:
    """One batch of random images that every step uses, with the methods of ResidentBatches that a step calls."""

    def __init__(self, batch, classes):
        self.images = torch.randn(batch, 3, SIDE, SIDE, device="cuda").to(memory_format=torch.channels_last)
        self.labels = torch.randint(0, classes, (batch,), device="cuda")

    def set_layout(self, layout):
        self.images = self.images.contiguous(memory_format=layout)

    def begin_epoch(self, epoch):
        pass

    def next(self):
        return self.images, self.labels

    def advance(self):
        pass


class ResidentBatches:
    """Batches of one rank. An epoch must begin with begin_epoch(); a step must call next(), and advance() at its end,
    after the backward pass, which may make parts of the batch again."""

    def __init__(self, pixels, labels, batch, rule=Rule(), normalization=None, seed=0, rank=0, ranks=1):
        """`pixels`: uint8 (n, 3, 32, 32) on the device of the batches. All ranks must get the same images and seed.
        Crop, flip and cutout are drawn by the device's generator."""
        self.device = pixels.device
        self.pixels = pixels.permute(0, 2, 3, 1).contiguous()  # the channels of a pixel lie side by side, as in a batch
        self.labels, self.batch, self.rule, self.layout = labels, batch, rule, torch.channels_last
        self.seed, self.rank, self.ranks = seed, rank, ranks
        normalization = normalization or recipes.NORMALIZATION
        self.mean = torch.tensor(normalization["mean"], device=self.device)
        self.std = torch.tensor(normalization["std"], device=self.device)
        self.order = torch.empty(len(labels) // ranks, dtype=torch.long, device=self.device)
        self.at = torch.zeros(1, dtype=torch.long, device=self.device)  # place in `order` of the next batch
        self.odd_epoch = torch.zeros((), dtype=torch.bool, device=self.device)
        self.first_flips = torch.rand(len(labels), device=self.device) < 0.5  # flips of even epochs, if they alternate
        # A record may list the images class by class: warm-up steps in that order would learn a single class.
        self.begin_epoch(0)

    def set_layout(self, layout):
        """Sets the memory format of the images that next() returns."""
        self.layout = layout

    def begin_epoch(self, epoch):
        """Draws the order of an epoch, counted from 0, which is the same on all ranks."""
        generator = torch.Generator(self.device).manual_seed(self.seed * 1_000_003 + epoch)
        drawn = torch.randperm(len(self.labels), device=self.device, generator=generator)
        self.order.copy_(drawn[self.rank::self.ranks][:len(self.order)])
        self.odd_epoch.fill_(epoch % 2 == 1)
        self.at.zero_()

    def draw(self, below, *shape):
        return torch.randint(0, below, shape, device=self.device)

    def next(self):
        """Returns the images in fp32 and the labels of the batch."""
        index = self.order[(self.at + torch.arange(self.batch, device=self.device)) % len(self.order)]
        at = torch.arange(SIDE, device=self.device)
        # Places within the flipped image of each row and column of the crop.
        rows = at + self.draw(2 * PADDING + 1, self.batch, 1) - PADDING
        columns = at + self.draw(2 * PADDING + 1, self.batch, 1) - PADDING
        if self.rule.border == "REFLECT":
            rows, columns = reflected(rows), reflected(columns)
        flip = self.draw(2, self.batch) == 1
        if self.rule.flip == "ALTERNATING":
            flip = self.first_flips[index] ^ self.odd_epoch
        from_columns = torch.where(flip[:, None], SIDE - 1 - columns, columns).clamp(0, SIDE - 1)
        from_rows = rows.clamp(0, SIDE - 1)
        values = self.pixels[index[:, None, None], from_rows[:, :, None], from_columns[:, None, :]].float()
        if self.rule.border == "ZERO":
            values = values * within(rows, columns, 0, 0, SIDE)[..., None]
        values = (values / 255 - self.mean) / self.std
        if self.rule.cutout:
            top, left = (self.draw(SIDE - self.rule.cutout + 1, self.batch, 1) for _ in range(2))
            values = values.masked_fill(within(rows, columns, top, left, self.rule.cutout)[..., None], 0)
        return values.permute(0, 3, 1, 2).contiguous(memory_format=self.layout), self.labels[index]

    def advance(self):
        self.at.add_(self.batch)


def reflected(at):
    """Returns the places that a reflected border shows (reflect of torch.nn.functional.pad)."""
    at = at.abs()
    return torch.where(at > SIDE - 1, 2 * (SIDE - 1) - at, at)


def within(rows, columns, top, left, side):
    """Returns whether each pixel of (n, rows, columns) is within the square of this side."""
    inside_rows, inside_columns = (rows >= top) & (rows < top + side), (columns >= left) & (columns < left + side)
    return inside_rows[:, :, None] & inside_columns[:, None, :]


def normalized(pixels, normalization):
    """Returns whole images as input of the network: fp32 in channels-last."""
    mean, std = (torch.tensor(normalization[name], device=pixels.device).view(3, 1, 1) for name in ("mean", "std"))
    return ((pixels.float() / 255 - mean) / std).contiguous(memory_format=torch.channels_last)
