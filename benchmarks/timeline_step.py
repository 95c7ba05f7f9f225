#!/usr/bin/env python3
"""One step of all ranks, kernel by kernel, from what libkernel_timeline.so (kernel_timeline.cc) wrote.

    python3 benchmarks/timeline_step.py [--longer_than=0.5] FILE... > timeline.txt

A FILE is a rank's, in their order; empty ones, of processes that launched nothing, are left out. A step begins with its
batch. Of the first rank's steps, those without marks of the clock if there are any, the one of median length is
printed, or the one longer than another share of them, with what runs 10 us before it and 40 us behind it: begin, end
and duration in microseconds, rank, stream or branch of the graph, blocks (0: a copy engine), kernel.
Exit codes: 0, 2 a wrong flag or a file that cannot be read, 3 no such step.
"""

import argparse
import dataclasses
import re
import sys

BATCH, MARK = "AugmentBatchKernel", "MarkClockKernel"
BEFORE, BEHIND = 10, 40  # us


@dataclasses.dataclass
class Kernel:
    begin: float  # us
    duration: float
    stream: int
    blocks: int
    name: str


def name_of(symbol):
    """Ours by their class of work alone; of others the last letters of the mangled name, which tell them apart."""
    if symbol.startswith("copy"):
        return symbol
    ours = re.search(r"[A-Z][A-Za-z0-9]*?Kernel(?=[IEvP])", symbol) if "lockstep" in symbol else None
    return ours.group() if ours else "other " + symbol[-40:]


def read(path):
    """The kernels of a file in the order of their begins, and the host's us at which its times begin."""
    origin, kernels = 0.0, []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("# from"):
                origin = int(line.split()[2]) / 1e3
                continue
            begin, duration, stream, blocks, _, _, symbol = line.split(None, 6)
            kernels.append(Kernel(float(begin), float(duration), int(stream), int(blocks), name_of(symbol.strip())))
    return origin, sorted(kernels, key=lambda kernel: kernel.begin)


def steps_of(kernels):
    """(begin, end) of each step between two batches of the usual size: those without marks, if there are any."""
    batches = [i for i, kernel in enumerate(kernels) if kernel.name == BATCH]
    sizes = [kernels[i].blocks for i in batches]
    usual = max(sizes, key=sizes.count, default=0)
    steps = [
        (first, second)
        for first, second in zip(batches, batches[1:])
        if kernels[first].blocks == kernels[second].blocks == usual
    ]
    unmarked = [step for step in steps if not any(kernel.name == MARK for kernel in kernels[slice(*step)])]
    return [(kernels[first].begin, kernels[second].begin) for first, second in unmarked or steps]


def share(text):
    value = float(text)
    if not 0 <= value < 1:
        raise ValueError(text)
    return value


def main():
    parser = argparse.ArgumentParser(description="One step of all ranks, kernel by kernel.")
    parser.add_argument("--longer_than", type=share, default=0.5, help="share of the steps, from 0 to below 1 [0.5]")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    try:
        ranks = [rank for rank in map(read, args.files) if rank[1]]
    except (OSError, ValueError) as error:
        print(f"timeline_step: {error}", file=sys.stderr)
        return 2
    steps = sorted(steps_of(ranks[0][1]), key=lambda step: step[1] - step[0]) if ranks else []
    if not steps:
        print("timeline_step: no whole step; a longer KERNEL_TIMELINE_LAST?", file=sys.stderr)
        return 3
    begin, end = steps[int(len(steps) * args.longer_than)]
    shortest, longest = (step[1] - step[0] for step in (steps[0], steps[-1]))
    which = "median" if args.longer_than == 0.5 else f"longer than {100 * args.longer_than:g} %"
    print(f"step {end - begin:.1f}, {which} of {len(steps)} from {shortest:.1f} to {longest:.1f}")
    rows = []
    for number, (origin, kernels) in enumerate(ranks):
        late = origin - ranks[0][0] - begin
        rows += [(kernel.begin + late, number, kernel) for kernel in kernels]
    for at, number, kernel in sorted(rows, key=lambda row: row[:2]):
        if -BEFORE <= at <= end - begin + BEHIND:
            print(f"{at:9.1f} {at + kernel.duration:9.1f} {kernel.duration:7.1f} r{number} s{kernel.stream:<5} "
                  f"b{kernel.blocks:<5} {kernel.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
