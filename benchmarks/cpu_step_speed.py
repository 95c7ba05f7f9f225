"""Compares the train step on the CPU with Python PyTorch's: ratios from one run.

    bazel run //benchmarks:cpu_step_speed -- [--batch 128] [--threads 1 2]

Both run ResNet-18 with the same LibTorch, the same threads, and one batch of random images; cpu_step_seconds.cc and
peers/cpu_step_pytorch.py document the timed interval. For each case (precision, layout, threads) both programs stay up,
run a few steps that are not counted, and alternate for --repeats times --steps; while one runs, the other waits. The
ratio is the baseline's seconds / ours; required: 1 or more. The ratio of processor seconds (all threads) is also given:
another program's work on the same cores changes it less. --output appends every turn as a JSON line.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys

import measurements

CASES = ["fp32 nchw", "fp32 channels_last", "bf16 channels_last"]


class Program:
    """A program that runs the number of steps that it reads from standard input."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, steps):
        """Returns the seconds of one step: (wall, processor)."""
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline().split()
        if len(line) != 3 or int(line[0]) != steps:
            sys.exit(f"{self.process.args}: expected {steps} steps, found {line}")
        return float(line[1]) / steps, float(line[2]) / steps

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def spread(values):
    return f"{statistics.median(values):.3f} ({min(values):.3f} to {max(values):.3f})"


def measure(given, case, threads, writer):
    settings = [str(given.batch), str(threads), *case.split()]
    ours, peer = Program(given.ours, *settings), Program(given.python, given.peer, *settings)
    ours.seconds(2), peer.seconds(2)  # warm-up
    pairs = [(ours.seconds(given.steps), peer.seconds(given.steps)) for _ in range(given.repeats)]
    ours.stop(), peer.stop()
    for name, turns in zip(("ours", "PyTorch"), zip(*pairs)):
        writer.add(f"{name}, {case}", batch=given.batch, threads=threads, seconds=[wall for wall, _ in turns],
                   processor_seconds=[processor for _, processor in turns])
    own, other, ratios, cpu_ratios = zip(*((a[0], b[0], b[0] / a[0], b[1] / a[1]) for a, b in pairs))
    print(f"  {case:18} {threads} threads  ours {spread(own)} s  PyTorch {spread(other)} s  ratio {spread(ratios)}  "
          f"processor {spread(cpu_ratios)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=os.path.abspath, required=True)
    parser.add_argument("--peer", type=os.path.abspath, required=True)
    parser.add_argument("--python", default=sys.executable, help="one that imports torch")
    parser.add_argument("--cases", nargs="*", choices=CASES, default=CASES)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--output", type=measurements.path, default="", help="file to which every turn is appended as JSON")
    given = parser.parse_args()
    writer = measurements.Writer(given.output, measurements.versions_of(given.python, "torch"))
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, "
          f"batch {given.batch}, {given.steps} steps a turn, {given.repeats} turns; seconds a step", flush=True)
    for threads in given.threads:
        for case in given.cases:
            measure(given, case, threads, writer)


if __name__ == "__main__":
    main()
