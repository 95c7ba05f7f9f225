"""Accuracy of a recipe whose gradients are sent between hosts in fp32, bf16 or fp8; the hosts are simulated on one GPU.

    python3 benchmarks/peers/fp8_gradients.py dataset.rec [--hosts 2] [--format fp32 bf16 fp8] [--error_feedback]
        [--scale tensor] [--seed 1 2 3] [--epochs 26] [--recipe short26] [--kind compile_graph] [--output FILE]

Trains by recipe_pytorch.py, except that each batch is split over the hosts. A host computes the gradient of its share
of the images, with the batch-norm statistics of this share; all hosts update the same running statistics, in turn. The
gradients are then exchanged in two halves:

  reduce-scatter  each host rounds its gradient to --format once; the rounded gradients are added in fp32
  all-gather      the sum is rounded to --format once more

NCCL's ring rounds more often: it rounds the sum after each host. Formats:

  fp32  nothing is rounded
  bf16  autocast already computes gradients of convolutions in bf16, so that only their sum is rounded
  fp8   e4m3 (1 sign, 4 exponent and 3 mantissa bits, largest value 448), with an fp32 scale that makes the largest
        absolute value 448: one scale for each tensor, or for each block of 1,048,576 elements (--scale block)

--error_feedback: each sender, which is a host or the owner of a sum, adds the error of its last rounding to its next
gradient before it rounds again.

Prints one JSON line for each run, and appends it to --output with machine and versions. The fields are those of
recipe_pytorch.py and `relative_error`: the median over steps of ||sent - true|| / ||true||, where `true` is the sum of
the gradients of the hosts in this step. With error feedback the error contains what is left from earlier steps.
"""

import argparse
import functools
import hashlib
import json

import recipe_pytorch
import resident_batches
import torch
from recipes import RECIPES
from resnet18_pytorch import measurements
from torch import nn
from torch.nn import functional as F

FORMATS = ["fp32", "bf16", "fp8"]
BLOCK = 1 << 20  # elements
FP8 = torch.float8_e4m3fn
LARGEST_FP8 = torch.finfo(FP8).max


class Rounding:
    """Rounds the gradients of one sender to a format, and keeps the error if there is error feedback."""

    def __init__(self, sizes, form, error_feedback, device):
        """`sizes`: numbers of consecutive elements that share a scale."""
        self.sizes, self.form = sizes, form
        self.error = torch.zeros(sum(sizes), device=device) if error_feedback else None
        if form == "fp8":
            pieces = torch.arange(len(sizes), dtype=torch.int32, device=device)
            self.piece = pieces.repeat_interleave(torch.tensor(sizes, device=device))  # index of each element's scale

    def rounded(self, values):
        if self.form == "fp32":
            return values
        if self.form == "bf16":
            return values.bfloat16().float()
        largest = torch.stack(torch._foreach_norm(values.split(self.sizes), float("inf")))
        scale = (largest / LARGEST_FP8).clamp_min(torch.finfo(torch.float32).tiny).index_select(0, self.piece)
        return (values / scale).to(FP8).float() * scale

    def send(self, values):
        """Returns the values that arrive for fp32 `values`, one vector of all parameters."""
        if self.error is None:
            return self.rounded(values)
        wanted = values + self.error
        sent = self.rounded(wanted)
        self.error.copy_(wanted - sent)
        return sent

    def reset(self):
        if self.error is not None:
            self.error.zero_()


class SplitTraining(recipe_pytorch.Training):
    """Training whose batches are split over simulated hosts, which exchange their gradients."""

    def __init__(self, recipe, kind, seed, images, model, hosts, form, scale="tensor", error_feedback=False):
        super().__init__(recipe, kind, seed, images, model)
        self.hosts, self.batch = hosts, recipe["batch_size"]
        for module in self.model.modules():
            if isinstance(module, nn.BatchNorm2d):  # updated once for each host: `hosts` updates decay like one
                module.momentum = 1 - (1 - module.momentum) ** (1 / hosts)
        self.parameters = list(self.model.parameters())
        for parameter in self.parameters:
            # The fused update needs gradients in the layout of the parameter.
            parameter.grad = torch.zeros_like(parameter)
        self.sizes = [parameter.numel() for parameter in self.parameters]
        count = sum(self.sizes)
        sharing = self.sizes if scale == "tensor" else [min(BLOCK, count - at) for at in range(0, count, BLOCK)]
        device = self.parameters[0].device
        *self.senders, self.sum_sender = (Rounding(sharing, form, error_feedback, device) for _ in range(hosts + 1))
        self.relative_errors = torch.zeros(len(self.rates), device=device)
        self.next_batch = self.data.next
        self.loss_of = self.loss_of_share
        if kind != "graph" and recipe_pytorch.DEVICE == "cuda":
            self.next_batch = torch.compile(self.data.next)
            self.loss_of = torch.compile(self.loss_of_share, dynamic=False)  # shares may have two sizes

    def loss_of_share(self, images, labels):
        return F.cross_entropy(self.logits(images), labels, reduction="sum") / self.batch

    def compute_gradients(self):
        """Computes the exchanged gradients of a batch. Returns its loss."""
        images, labels = self.next_batch()
        losses, true, total = [], 0, 0
        for sender, *share in zip(self.senders, images.tensor_split(self.hosts), labels.tensor_split(self.hosts)):
            loss = self.loss_of(*(part.clone() for part in share))  # compiled once, not for each offset of a part
            gradients = torch.autograd.grad(loss, self.parameters)
            values = torch.cat([gradient.flatten() for gradient in gradients])
            losses.append(loss.detach())
            true, total = true + values, total + sender.send(values)
        sent = self.sum_sender.send(total)
        self.relative_errors.index_copy_(0, self.done, ((sent - true).norm() / true.norm()).view(1))
        for parameter, values in zip(self.parameters, sent.split(self.sizes)):
            parameter.grad.copy_(values.view_as(parameter))
        return torch.stack(losses).sum()

    def prepare(self):
        step = super().prepare()
        for sender in (*self.senders, self.sum_sender):
            sender.reset()
        return step

    def more_fields(self):
        return {"relative_error": self.relative_errors[:self.done.item()].median().item()}


def at_least_two(text):
    value = int(text)
    if value < 2:
        raise argparse.ArgumentTypeError(f"expected at least 2 hosts, found {value}: one host sends nothing")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--hosts", type=at_least_two, default=2)
    parser.add_argument("--format", choices=FORMATS, nargs="+", default=FORMATS)
    parser.add_argument("--error_feedback", action="store_true")
    parser.add_argument("--scale", choices=["tensor", "block"], default="tensor", help="what has one scale in fp8")
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--epochs", type=int, help="epochs of the schedule instead of the recipe's")
    parser.add_argument("--recipe", choices=RECIPES, default="short26")
    parser.add_argument("--kind", choices=["graph", "compile_graph"], default="compile_graph")
    parser.add_argument("--output", default="", help="file to which the JSON lines are appended")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    with open(args.dataset, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    splits = resident_batches.read_splits(args.dataset, recipe_pytorch.DEVICE)
    recipe = RECIPES[args.recipe]
    if args.epochs:
        recipe = {**recipe, "epochs": args.epochs}
    device = torch.cuda.get_device_name() if recipe_pytorch.DEVICE == "cuda" else ""
    writer = measurements.Writer(args.output, measurements.torch_versions(), device, gpus=1)
    for seed in args.seed:
        for form in args.format:
            make_training = functools.partial(SplitTraining, hosts=args.hosts, form=form, scale=args.scale,
                                              error_feedback=args.error_feedback)
            found = {"recipe": args.recipe, "format": form, "hosts": args.hosts, "error_feedback": args.error_feedback,
                     "scale": args.scale if form == "fp8" else "", "dataset_sha256": digest,
                     **recipe_pytorch.run(recipe, args.kind, seed, splits, make_training=make_training)}
            writer.add(args.kind, **found)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
