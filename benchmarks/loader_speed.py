"""Compares BatchLoader with torch's DataLoader on the same transforms: ratios from one run.

    bazel run //benchmarks:loader_speed

Both have 2 workers (threads here, processes there) and batches of 128, and run whole epochs of 50,000 images in memory:
crop with padding 4, flip, normalisation to fp32. peers/loader_pytorch.py and loader_epochs.cc describe the baselines
and the timed interval. Every program stays up, runs one epoch that is not counted, and then all alternate for --repeats
epochs; while one runs, the others wait. The ratio is our images/s / the baseline's; required: 10 or more. The kinds pil
and tensor need torchvision (and Pillow) in the Python that is used; without it they are left out, and a line reports
this. --output appends every epoch as a JSON line.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys

import measurements

KINDS = ["pil", "tensor", "own", "batched"]


class Program:
    """A program that runs one epoch for each line that it reads."""

    def __init__(self, *command):
        environment = dict(os.environ, OMP_NUM_THREADS="1")  # otherwise each worker process would use all cores
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def rate(self):
        """Images per second of one epoch."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().split()
        if len(line) != 2 or line[0] != "50000":
            sys.exit(f"{self.process.args}: expected an epoch of 50,000 images, found {line}")
        return 50_000 / float(line[1])

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def has_torchvision(python):
    return subprocess.run([python, "-c", "import torchvision, PIL"], stderr=subprocess.DEVNULL).returncode == 0


def show(name, values, ratios=None):
    ratio = "" if ratios is None else f"   ratio {statistics.median(ratios):6.1f}  {min(ratios):.1f} to {max(ratios):.1f}"
    print(f"  {name:24} median {statistics.median(values):10,.0f} images/s  {min(values):,.0f} to {max(values):,.0f}{ratio}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=os.path.abspath, required=True)
    parser.add_argument("--peer", type=os.path.abspath, required=True)
    parser.add_argument("--python", default=sys.executable, help="one that imports torch")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=measurements.path, default="", help="file to which every epoch is appended as JSON")
    given = parser.parse_args()
    kinds = given.kinds
    if not has_torchvision(given.python):
        kinds = [kind for kind in kinds if kind in ("own", "batched")]
        print("without torchvision and Pillow: the kinds pil and tensor are left out")
    shape = [str(given.batch), str(given.workers)]
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, "
          f"batch {given.batch}, {given.workers} workers, {given.repeats} repeats", flush=True)
    ours = Program(given.ours, *shape)
    peers = {kind: Program(given.python, given.peer, kind, *shape) for kind in kinds}
    for program in [ours, *peers.values()]:
        program.rate()  # warm-up
    rates = {"ours": []}
    rates.update({kind: [] for kind in kinds})
    for _ in range(given.repeats):
        rates["ours"].append(ours.rate())
        for kind, peer in peers.items():
            rates[kind].append(peer.rate())
    writer = measurements.Writer(given.output, measurements.versions_of(given.python, "torch", "torchvision", "PIL"))
    for name, values in rates.items():
        writer.add(name, batch=given.batch, workers=given.workers, images_per_second=values)
    show("BatchLoader", rates["ours"])
    for kind in kinds:
        show(f"DataLoader, {kind}", rates[kind], [a / b for a, b in zip(rates["ours"], rates[kind])])
    for program in [ours, *peers.values()]:
        program.stop()


if __name__ == "__main__":
    main()
