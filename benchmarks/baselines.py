"""Baselines of the fast step of ResNet-18 by name: labels, commands, and cases in the JSON lines that they write.

Used by headline.py and the tables. NAME trains on one batch that is already on each GPU, NAME_augmented on the images
of the dataset, augmented on the GPU, like train_sweep --preset=fast.
"""

import collections
import pathlib
import sys

PEERS = pathlib.Path(__file__).resolve().parent / "peers"
DEFAULT = ["graph", "compile_graph", "scan"]

Baseline = collections.namedtuple("Baseline", "label kind augmented")
KINDS = {
    "graph": "PyTorch, the step in a CUDA graph",
    "compile_graph": "PyTorch, compiled, in a CUDA graph",
    "compile_graph_max": "PyTorch, compiled with max-autotune, in a CUDA graph",  # minutes to compile for each batch
    "scan": "JAX, an epoch in one program",
}
BASELINES = {
    **{kind: Baseline(label, kind, False) for kind, label in KINDS.items()},
    **{f"{kind}_augmented": Baseline(f"{label}, augmented images", kind, True) for kind, label in KINDS.items()},
}


def case(name, gpus):
    """Returns the `case` of the baseline's lines."""
    kind, augmented = BASELINES[name].kind, ", augmented" if BASELINES[name].augmented else ""
    return kind + augmented + (", bf16 on the wire" if gpus > 1 and kind != "scan" else "")


def command(name, gpus, batches, repeats):
    """Returns the command, which reads dataset.rec and appends to baselines.jsonl in its working folder."""
    kind = BASELINES[name].kind
    flags = ["--batch", *map(str, batches), f"--repeats={repeats}", "--output=baselines.jsonl"]
    if BASELINES[name].augmented:
        flags.append("--dataset=dataset.rec")
    if kind == "scan":
        # The check of the gradients compiles two more programs; it is the same for all baselines by JAX.
        check = [] if gpus == 1 and not BASELINES[name].augmented else ["--check=false"]
        return [sys.executable, PEERS / "resnet18_jax.py", f"--gpus={gpus}", *check, *flags]
    if gpus == 1:
        return [sys.executable, PEERS / "resnet18_pytorch.py", f"--kind={kind}", *flags]
    torchrun = [sys.executable, "-m", "torch.distributed.run", f"--nproc-per-node={gpus}"]
    return [*torchrun, PEERS / "resnet18_ddp_pytorch.py", f"--kind={kind}", *flags]
