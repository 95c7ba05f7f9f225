"""Baseline of train_sweep --model=NAME --preset=fast: PyTorch's step of the same network on one GPU, in seconds per
50,000 images.

    python3 benchmarks/peers/networks_pytorch.py --model vit_tiny mlp:1024x3 [--classes 10] [--batch 512 128]
        [--kind graph compile_graph] [--output FILE]

Networks, timing and kinds are those of tests/peers/python_networks.py and resnet18_pytorch.py.
"""

import argparse
import os
import statistics
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir), os.path.join(HERE, os.pardir, os.pardir, "tests", "peers")]
import measurements  # noqa: E402
import python_networks  # noqa: E402
import resnet18_pytorch  # noqa: E402


def maker(name, classes):
    """Returns a function that makes the network of --model=NAME with this number of classes."""
    if name.startswith("mlp:"):
        width, depth = map(int, name[len("mlp:"):].split("x"))
        return lambda: python_networks.Mlp(width, depth, classes)
    return lambda: python_networks.NETWORKS[name].make(classes=classes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", nargs="+", required=True, help="values of train_sweep's --model")
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128])
    parser.add_argument("--classes", type=int, default=10)
    parser.add_argument("--kind", nargs="+", default=["graph"], choices=resnet18_pytorch.KINDS)
    parser.add_argument("--repeats", type=int, default=5, help="timed epochs")
    parser.add_argument("--output", default="", help="file to which every timed epoch is appended as JSON")
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    writer = measurements.Writer(args.output, measurements.torch_versions(), torch.cuda.get_device_name(), gpus=1)
    for name in args.model:
        for kind in args.kind:
            for batch in args.batch:
                step = resnet18_pytorch.make_step(batch, kind, maker(name, args.classes), args.classes)
                run = resnet18_pytorch.captured(step) if "graph" in kind else step
                seconds = resnet18_pytorch.time_epochs(run, batch, args.repeats, args.classes)
                writer.add(f"{name} {kind}", classes=args.classes, batch=batch, seconds=seconds)
                print(f"{name:22s} {batch:5d}  {statistics.median(seconds):7.4f} "
                      f"({min(seconds):.4f} to {max(seconds):.4f})  {kind}", flush=True)


if __name__ == "__main__":
    main()
