"""Baseline of train_sweep's accuracy: Python PyTorch's ResNet-18 trained on the same dataset records.

    python3 benchmarks/peers/resnet18_accuracy.py dataset.rec [--epochs 200] [--schedule cosine] [--seed 1] [--output FILE]

Batch 128, SGD 0.1 / 0.9 / 5e-4, crop with padding 4, flip, cross entropy, cosine to 0 (a step per epoch) or one-cycle
(a step per batch, without cycling momentum), bf16 autocast, channels-last, PyTorch's own initialisation: the recipe of
kuangliu/pytorch-cifar. A CUDA graph trains whole batches; the last batch of an epoch runs outside of the graph. Images
are normalized like in train_sweep: by the training set's mean and the mean of each image's own standard deviation
(image_std of lib/proto/dataset.proto). Test accuracy is that of the last epoch. Training and evaluation are timed
separately, like in train_sweep's records; --output appends both times and the accuracy as a JSON line.
"""

import argparse
import time

import torch
from torch.nn import functional as F

from resident_batches import read_splits
from resnet18_pytorch import ResNet18, measurements


def normalization(images):
    """Returns (mean, std) of each channel, std as the mean over images of each image's own (divisor n - 1)."""
    mean, std = torch.zeros(3, device=images.device), torch.zeros(3, device=images.device)
    for part in images.split(10_000):
        values = part.float().flatten(2) / 255
        mean += values.mean(2).sum(0)
        std += values.std(2).sum(0)
    return mean.div(len(images)).view(1, 3, 1, 1), std.div(len(images)).view(1, 3, 1, 1)


def augmented(pixels, crop=4):
    """Returns each image of the batch, cropped and flipped by its own random draw; uint8."""
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
    parser.add_argument("--output", default="", help="file to which accuracy and seconds are appended as JSON")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.backends.cudnn.benchmark = True
    data = read_splits(args.dataset, "cuda")
    images, labels = data[1]
    mean, std = normalization(images)

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

    # Restores the state from before the steps that precede the capture.
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
    train_seconds = evaluate_seconds = 0
    for epoch in range(args.epochs):
        torch.cuda.synchronize()
        begin = time.perf_counter()
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
        torch.cuda.synchronize()
        train_seconds += time.perf_counter() - begin
        if (epoch + 1) % 8 == 0 or epoch + 1 == args.epochs:
            begin = time.perf_counter()
            model.eval()
            with torch.no_grad():
                right = sum(
                    (model(network_input(x)).argmax(1) == y).sum() for x, y in zip(data[2][0].split(1000), data[2][1].split(1000))
                )
            accuracy = right.item() / len(data[2][1])
            evaluate_seconds += time.perf_counter() - begin
            print(f"epoch {epoch + 1}/{args.epochs}: train {correct.item() / len(images):.4f}  test {accuracy:.4f}  "
                  f"{train_seconds:.1f} s + {evaluate_seconds:.1f} s", flush=True)
    writer = measurements.Writer(args.output, measurements.torch_versions(), torch.cuda.get_device_name(), gpus=1)
    writer.add(args.schedule, batch=args.batch, epochs=args.epochs, seed=args.seed, test_accuracy=accuracy,
               train_seconds=train_seconds, evaluate_seconds=evaluate_seconds)


if __name__ == "__main__":
    main()
