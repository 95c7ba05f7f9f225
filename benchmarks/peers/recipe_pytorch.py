"""Baseline of train_sweep --recipe: Python PyTorch training ResNet-18 by the same recipe on the same dataset record.

    python3 benchmarks/peers/recipe_pytorch.py dataset.rec [--recipe short26] [--kind compile_graph] [--seed 1]
        [--output FILE]

The recipe is that of recipes.py; benchmarks/recipe.py compares it with the record of train_sweep. A whole step (batch
from the images in the GPU's memory, augmentation, forward, backward, update, next learning rate) is one CUDA graph, and
an epoch is its replays. Channels-last, cudnn.benchmark, SGD fused, PyTorch's own initialization. Kinds:

  graph          bf16 autocast, launch by launch in the graph
  compile_graph  the same with augmentation, model and loss under torch.compile
  half           compile_graph with weights in fp16 and batch norm in fp32, like the published script: the loss is a
                 sum, and rate and weight decay are scaled so that the updates are those of its mean

Printed, and appended to --output as a JSON line: accuracy on the test images after the last epoch, plain and by the sum
of the logits of each image and its mirror image; seconds of training; of the evaluation of both; and of the preparation
before them (data set, model, compilation, capture, one evaluation that is not counted), which train_sweep's record does
not contain either. Without a GPU, to try it, a step is neither compiled nor captured.
"""

import argparse
import hashlib
import time

import resident_batches
import torch
from dataset_record import TEST, TRAINING
from recipes import RECIPES, rates
from resnet18_pytorch import ResNet18, captured, measurements
from torch import nn
from torch.nn import functional as F

KINDS = ["graph", "compile_graph", "half"]
EVALUATION_BATCH = 2000
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def make_model(half):
    model = ResNet18().to(DEVICE, memory_format=torch.channels_last)
    if half:
        for module in model.modules():
            if not isinstance(module, nn.BatchNorm2d):
                for parameter in module.parameters(recurse=False):
                    parameter.data = parameter.data.half()
    return model


class Training:
    """The model, its data and one step of a recipe."""

    def __init__(self, recipe, kind, seed, images, model=None):
        self.half = kind == "half"
        self.model = model or make_model(self.half)
        rule = resident_batches.Rule(*(recipe[name] for name in resident_batches.Rule._fields))
        self.data = resident_batches.ResidentBatches(*images, recipe["batch_size"], rule, recipe["normalization"], seed)
        self.steps = len(images[1]) // recipe["batch_size"]  # drop_last
        self.scale = recipe["batch_size"] if self.half else 1  # factor of the loss
        self.rates = torch.tensor(rates(recipe, self.steps), device=DEVICE) / self.scale
        self.done = torch.zeros(1, dtype=torch.long, device=DEVICE)  # steps
        self.optimizer = torch.optim.SGD(
            self.model.parameters(), lr=self.rates[0].clone(), momentum=recipe["momentum"],
            weight_decay=recipe["weight_decay"] * self.scale, nesterov=recipe["optimizer"] == "NESTEROV",
            fused=DEVICE == "cuda")  # the fused update of fp16 weights on a CPU is wrong in PyTorch 2.11
        self.loss = torch.zeros((), device=DEVICE)
        self.loss_of = self.loss_of_next
        if kind != "graph" and DEVICE == "cuda":
            torch._dynamo.reset()
            self.loss_of = torch.compile(self.loss_of_next)

    def logits(self, images):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=not self.half):
            return self.model(images.half() if self.half else images).float()

    def loss_of_next(self):
        images, labels = self.data.next()
        return F.cross_entropy(self.logits(images), labels, reduction="sum" if self.half else "mean")

    def compute_gradients(self):
        """Computes the gradients of a batch. Returns its loss."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss_of()
        loss.backward()
        return loss.detach()

    def step(self):
        loss = self.compute_gradients()
        self.optimizer.step()
        self.loss.copy_(loss / self.scale)
        self.data.advance()
        self.done.add_(1)
        self.optimizer.param_groups[0]["lr"].copy_(self.rates.index_select(0, self.done).squeeze())
        return self.loss

    def prepare(self):
        """Returns a function that runs a step, by the replay of a graph on a GPU, from the state before this call."""
        if DEVICE == "cpu":
            return self.step
        before = {name: value.clone() for name, value in self.model.state_dict().items()}
        replay = captured(self.step)
        self.model.load_state_dict(before)
        for state in self.optimizer.state.values():
            state["momentum_buffer"].zero_()
        self.done.zero_()
        self.optimizer.param_groups[0]["lr"].copy_(self.rates[0])
        return replay

    def more_fields(self):
        """Returns fields of the JSON line that only this class of training has, after its last step."""
        return {}

    def evaluate(self, images, labels):
        """Returns the shares of the images that are right, plain and with their mirror images."""
        self.model.eval()
        right = torch.zeros(2, dtype=torch.long, device=DEVICE)
        with torch.inference_mode():
            for some, wanted in zip(images.split(EVALUATION_BATCH), labels.split(EVALUATION_BATCH)):
                plain = self.logits(some)
                both = plain + self.logits(some.flip(3))
                right += torch.stack([(of.argmax(1) == wanted).sum() for of in (plain, both)])
        self.model.train()
        return [value / len(labels) for value in right.tolist()]


def synchronize():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def run(recipe, kind, seed, splits, model=None, make_training=Training):
    """Trains by the recipe. Returns the fields of the JSON line."""
    torch.manual_seed(seed)
    marks = [time.perf_counter()]
    training = make_training(recipe, kind, seed, splits[TRAINING], model)
    step = training.prepare()
    test = resident_batches.normalized(splits[TEST][0], recipe["normalization"]), splits[TEST][1]
    training.evaluate(*test)  # chooses cuDNN's kernels
    synchronize()
    marks.append(time.perf_counter())
    for epoch in range(recipe["epochs"]):
        training.data.begin_epoch(epoch)
        for _ in range(training.steps):
            step()
    synchronize()
    marks.append(time.perf_counter())
    plain, mirrored = training.evaluate(*test)
    marks.append(time.perf_counter())
    loss = training.loss.item()
    if not loss < 3:  # ln(10) is chance; also true for NaN
        raise SystemExit(f"{kind}, seed {seed}: the loss of the last step is {loss}: the training diverged")
    prepare, train, evaluate = (end - begin for begin, end in zip(marks, marks[1:]))
    return {"epochs": recipe["epochs"], "batch": recipe["batch_size"], "seed": seed, "test_accuracy": plain,
            "mirrored_test_accuracy": mirrored, "train_seconds": train, "evaluate_seconds": evaluate,
            "prepare_seconds": prepare, "last_loss": loss, **training.more_fields()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--recipe", choices=RECIPES, default="short26")
    parser.add_argument("--kind", choices=KINDS, default="compile_graph")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", default="", help="file to which a JSON line is appended")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    with open(args.dataset, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    splits = resident_batches.read_splits(args.dataset, DEVICE)
    found = run(RECIPES[args.recipe], args.kind, args.seed, splits)
    device = torch.cuda.get_device_name() if DEVICE == "cuda" else ""
    writer = measurements.Writer(args.output, measurements.torch_versions(), device, gpus=1)
    writer.add(args.kind, recipe=args.recipe, dataset_sha256=digest, **found)
    print(f"{args.recipe}, {args.kind}, seed {args.seed}: test {100 * found['test_accuracy']:.2f} %, mirrored "
          f"{100 * found['mirrored_test_accuracy']:.2f} %; {found['train_seconds']:.2f} s of training, "
          f"{found['evaluate_seconds']:.3f} s of evaluation, {found['prepare_seconds']:.0f} s of preparation",
          flush=True)


if __name__ == "__main__":
    main()
