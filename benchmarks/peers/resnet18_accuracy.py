"""Python PyTorch's ResNet-18 trained on the same dataset records as train_sweep: the peer of its accuracy.

    python3 benchmarks/peers/resnet18_accuracy.py dataset.rec [--epochs 200] [--schedule cosine] [--seed 1]

Batch 128, SGD 0.1 / 0.9 / 5e-4, crop with padding 4, flip, cross entropy, cosine to 0 (a step an epoch) or one-cycle (a step a
batch, without cycling momentum), bf16 autocast, channels-last, PyTorch's own initialisation: kuangliu/pytorch-cifar's recipe.
Whole batches are trained by a CUDA graph, the last one of an epoch by itself.
Test accuracy is that of the last epoch. The records are read field by field (lib/proto/dataset.proto), so that no package
beside torch is needed.
"""

import argparse
import time

import torch
from torch.nn import functional as F

from resnet18_pytorch import ResNet18


def fields(data):
    """(number, value) of each field of a protobuf message; values of length-delimited ones as memoryviews."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 2:
            length = varint()
            value = data[at : at + length]
            at += length
        else:
            length = {1: 8, 5: 4}[kind]
            value = data[at : at + length]
            at += length
        yield key >> 3, value


def read_dataset(path):
    """{1: (pixels, labels) of the training images, 2: of the test images}, uint8 tensors on the GPU."""
    splits = {1: ([], []), 2: ([], [])}
    with open(path, "rb") as file:
        for number, record in fields(memoryview(file.read())):
            for kind, value in fields(record) if number == 1 else []:
                if kind == 4:
                    chunk = dict(fields(value))
                    splits[chunk[1]][0].append(torch.frombuffer(bytearray(chunk[3]), dtype=torch.uint8).view(-1, 3, 32, 32))
                    splits[chunk[1]][1].append(torch.frombuffer(bytearray(chunk[4]), dtype=torch.uint8))
    return {split: (torch.cat(pixels).cuda(), torch.cat(labels).cuda().long()) for split, (pixels, labels) in splits.items()}


def augmented(pixels, crop=4):
    """Each image of the batch cropped and flipped by its own draw; uint8."""
    count = pixels.shape[0]
    padded = F.pad(pixels, (crop,) * 4)
    rows = torch.randint(0, 2 * crop + 1, (count, 1), device="cuda") + torch.arange(32, device="cuda")
    columns = torch.randint(0, 2 * crop + 1, (count, 1), device="cuda") + torch.arange(32, device="cuda")
    columns = torch.where(torch.rand(count, 1, device="cuda") < 0.5, columns.flip(1), columns)
    image = torch.arange(count, device="cuda")
    return padded.permute(0, 2, 3, 1)[image[:, None, None], rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--epochs", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--schedule", choices=["cosine", "one_cycle"], default="cosine")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.backends.cudnn.benchmark = True
    data = read_dataset(args.dataset)
    images, labels = data[1]
    mean = (images.float() / 255).mean((0, 2, 3)).view(1, 3, 1, 1)
    std = (images.float() / 255).std((0, 2, 3)).view(1, 3, 1, 1)

    def network_input(pixels):
        return ((pixels.float() / 255 - mean) / std).to(memory_format=torch.channels_last)

    model = ResNet18().cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=torch.tensor(0.1, device="cuda"), momentum=0.9, weight_decay=5e-4, fused=True)
    steps = (len(images) + args.batch - 1) // args.batch
    correct = torch.zeros((), dtype=torch.long, device="cuda")

    def step(batch):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(network_input(augmented(images[batch])))
            loss = F.cross_entropy(logits, labels[batch])
        loss.backward()
        optimizer.step()
        correct.add_((logits.argmax(1) == labels[batch]).sum())

    # The steps before the capture are undone.
    before = {name: value.clone() for name, value in model.state_dict().items()}
    whole = torch.arange(args.batch, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(5):
            step(whole)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(whole)
    model.load_state_dict(before)
    for state in optimizer.state.values():
        state["momentum_buffer"].zero_()

    if args.schedule == "cosine":
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    else:
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, args.epochs * steps, cycle_momentum=False)
    begin = time.perf_counter()
    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(images), device="cuda")
        correct.zero_()
        for batch in order.split(args.batch):
            if len(batch) == args.batch:
                whole.copy_(batch)
                graph.replay()
            else:
                step(batch)
            if args.schedule == "one_cycle":
                schedule.step()
        if args.schedule == "cosine":
            schedule.step()
        if (epoch + 1) % 8 == 0 or epoch + 1 == args.epochs:
            model.eval()
            with torch.no_grad():
                right = sum(
                    (model(network_input(x)).argmax(1) == y).sum() for x, y in zip(data[2][0].split(1000), data[2][1].split(1000))
                )
            print(
                f"epoch {epoch + 1}/{args.epochs}: train {correct.item() / len(images):.4f}  test {right.item() / len(data[2][1]):.4f}"
                f"  {time.perf_counter() - begin:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
