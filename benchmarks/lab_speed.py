"""Compares train_sweep --preset=lab with eager Python PyTorch: ratios from one session.

    python3 benchmarks/lab_speed.py --package FOLDER [--batch 512 32] [--ways lab graph] [--images 50000]

FOLDER holds train_sweep, cifar_prep and report: one made by tools/package.sh, or bazel-bin/tools. Synthetic images;
fp32 without TF32, NCHW, augmentation and two loader workers on both sides. At each batch size the programs alternate,
for --turns times --repeats epochs after one that is not counted; while one runs, nothing else does. Settings and timed
intervals are the same on both sides. Compared are:

  steps  our SweepPoint.step_seconds with the baseline's STEP_SECONDS in `steps` mode: copy, forward, backward and
         update of all steps, summed on the device's timeline. Ours copies each batch into page-locked memory first; the
         baseline's batches are already there.
  epoch  our SweepPoint.epoch_seconds with the baseline's EPOCH_SECONDS in `epoch` mode: including loading.

The ways are ours: lab; graph (--cuda_graph=true: the same kernels, each step replays a CUDA graph); fused (--step=fused
--precision=fp32: our fused step, channels-last, from a data set on the GPU). The ratio is the baseline's
seconds / ours, of medians, with the range of all pairs of a turn; required: 1 or more at 512, with --cuda_graph 1.5
or more at 32. Seconds are per 50,000 images. --output appends every epoch as a JSON line.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

import measurements

WAYS = {"lab": [], "graph": ["--cuda_graph=true"], "fused": ["--step=fused", "--precision=fp32", "--cuda_graph=true"]}
EPOCH = 50_000
# Prints the versions and the GPU of the Python that runs the baseline, which may be another Python than this one.
VERSIONS = """import json, sys
sys.path.insert(0, sys.argv[1])
import measurements, torch
print(json.dumps({"versions": measurements.torch_versions(),
                  "device": torch.cuda.get_device_name() if torch.cuda.is_available() else ""}))"""


class Peer:
    """A program that trains one epoch for each line that it reads."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.announced = self.process.stdout.readline().strip()

    def seconds(self, images):
        """Returns the seconds of one epoch: (steps, epoch)."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().split()
        if len(line) != 3 or int(line[0]) != images:
            sys.exit(f"{self.process.args}: expected an epoch of {images} images, found {line}")
        return float(line[1]), float(line[2])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    def __init__(self, given, folder):
        self.given, self.folder = given, folder
        self.run("cifar_prep", "--input_format=synthetic", f"--train_images={given.images}", "--test_images=10", "--output=dataset.rec")

    def run(self, tool, *flags):
        command = [os.path.join(self.given.package, tool), *flags]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()[-500:]}")
        return done.stdout

    def seconds(self, way, batch):
        """Returns the seconds of each timed epoch: (steps, epoch)."""
        self.run("train_sweep", "--input=dataset.rec", "--preset=lab", f"--batch_size={batch}", f"--repeats={self.given.repeats}",
                 "--noevaluate", "--force", "--output=sweep.rec", *self.given.flags, *WAYS[way])
        record = json.loads(self.run("report", "--print=sweep.rec", "--format=json"))
        points = [entry["point"] for entry in record["record"] if "point" in entry]
        if len(points) != 1 or points[0]["outcome"] != "COMPLETED":
            sys.exit(f"batch {batch}, {way}: expected one completed point, found {points}")
        return list(zip(points[0]["step_seconds"]["value"], points[0]["epoch_seconds"]["value"]))


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def compare(batch, way, name, which, ours, peer, scale):
    """`ours` and `peer` are turns of epochs of (steps, epoch)."""
    own = [epoch[which] * scale for turn in ours for epoch in turn]
    other = [epoch[which] * scale for turn in peer for epoch in turn]
    pairs = [b[which] / a[which] for mine, its in zip(ours, peer) for a, b in zip(mine, its)]
    ratio = statistics.median(other) / statistics.median(own)
    print(f"  {batch:6d}  {way:6} {name:6} ours {spread(own)}  PyTorch {spread(other)}  "
          f"ratio {ratio:.3f} ({min(pairs):.3f} to {max(pairs):.3f})", flush=True)


def measure(given, ours, batch, writer):
    command = [given.python, given.peer]
    shape = [str(batch), str(given.images), str(given.workers)]
    peers = {kind: Peer(*command, kind, *shape) for kind in given.kinds}
    for peer in peers.values():
        peer.seconds(given.images)  # warm-up
    theirs, own = {kind: [] for kind in peers}, {way: [] for way in given.ways}
    for _ in range(given.turns):
        for way in given.ways:
            own[way].append(ours.seconds(way, batch))
        for kind, peer in peers.items():
            theirs[kind].append([peer.seconds(given.images) for _ in range(given.repeats)])
    for peer in peers.values():
        peer.stop()
    scale = EPOCH / given.images
    for name, turns in [*own.items(), *((f"PyTorch, {kind}", turns) for kind, turns in theirs.items())]:
        epochs = [epoch for turn in turns for epoch in turn]
        writer.add(name, batch=batch, images=given.images, step_seconds=[steps * scale for steps, _ in epochs],
                   seconds=[whole * scale for _, whole in epochs])
    for way in given.ways:
        for kind in given.kinds:
            compare(batch, way, kind, 0 if kind == "steps" else 1, own[way], theirs[kind], scale)
    return next(iter(peers.values())).announced


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=os.path.abspath, required=True)
    parser.add_argument("--peer", type=os.path.abspath, default=os.path.join(here, "peers", "resnet18_lab_pytorch.py"))
    parser.add_argument("--python", default=sys.executable, help="one that imports torch")
    parser.add_argument("--batch", type=int, nargs="*", default=[512, 32])
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=["lab", "graph"])
    parser.add_argument("--kinds", nargs="*", choices=["steps", "epoch"], default=["steps", "epoch"])
    parser.add_argument("--images", type=int, default=EPOCH)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help="epochs of a turn")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--flags", nargs="*", default=[], help="more flags of train_sweep, such as --flags=--model=resnet18")
    parser.add_argument("--output", type=measurements.path, default="", help="file to which every epoch is appended as JSON")
    given = parser.parse_args()
    given.flags = [f"--loader_workers={given.workers}", *given.flags]
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}; "
          f"{given.images} images, {given.turns} turns of {given.repeats} epochs; seconds per {EPOCH} images", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(given, folder)
        versions = json.loads(subprocess.run([given.python, "-c", VERSIONS, here], capture_output=True, text=True, check=True).stdout)
        writer = measurements.Writer(given.output, versions["versions"], versions["device"], gpus=1 if versions["device"] else 0)
        announced = [measure(given, ours, batch, writer) for batch in given.batch]
    print(announced[0], flush=True)


if __name__ == "__main__":
    main()
