#!/usr/bin/env python3
"""Prints one step of all ranks, kernel by kernel, from the files of libkernel_timeline.so (kernel_timeline.cc).

    python3 benchmarks/timeline_step.py [--longer_than=0.5] [--late] FILE... > timeline.txt

Each FILE is of one rank, in their order; empty ones, of processes that launched nothing, are ignored. A step begins
when the previous step is counted. Of the first rank's steps, only those without timestamps are used, if there are any.
The printed step is the one of median length, or the one that is longer than the given share of them. The output
includes kernels from 10 us before the step to 40 us after it: begin, end and duration in microseconds, rank, stream or
branch of the graph, blocks (0: a copy engine), kernel.

--late instead prints, for each rank, where all steps that are longer fall behind the shortest quarter. Medians in
microseconds: when a kernel begins in a short step, how much later it begins in a long one, and its duration in both.
Only kernels that increase the delay of the kernel before, or that take longer, are printed.
Exit codes: 0, 2 a wrong flag or a file that cannot be read, 3 no such step.
"""

import argparse
import bisect
import collections
import dataclasses
import re
import statistics
import sys

COUNT, TIMESTAMP = "AdvanceBatchKernel", "RecordTimestampKernel"
BEFORE, BEHIND = 10, 40  # us
LATE = 10  # smallest difference in us that is printed


@dataclasses.dataclass
class Kernel:
    begin: float  # us
    duration: float
    stream: int
    blocks: int
    name: str


def name_of(symbol):
    """Returns the class name of our kernels; for others the last letters of the mangled name, which are unique."""
    if symbol.startswith("copy"):
        return symbol
    ours = re.search(r"[A-Z][A-Za-z0-9]*?Kernel(?=[IEvP])", symbol) if "lockstep" in symbol else None
    return ours.group() if ours else "other " + symbol[-40:]


def read(path):
    """Returns the kernels of a file in the order of their begins, and the host's us at which its times begin."""
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
    """Returns (begin, end) of each step, the shortest first: only steps without timestamps, if there are any."""
    counts = [i for i, kernel in enumerate(kernels) if kernel.name == COUNT]
    steps = list(zip(counts, counts[1:]))
    plain = [step for step in steps if not any(kernel.name == TIMESTAMP for kernel in kernels[slice(*step)])]
    times = [(kernels[first].begin, kernels[second].begin) for first, second in plain or steps]
    return sorted(times, key=lambda step: step[1] - step[0])


def medians(kernels, steps):
    """Returns begin within the step and duration of each kernel that most steps have, by its name, blocks and number
    there."""
    begins = [kernel.begin for kernel in kernels]
    found = collections.defaultdict(list)
    for begin, end in steps:
        seen = collections.Counter()
        for kernel in kernels[bisect.bisect_left(begins, begin):bisect.bisect_left(begins, end)]:
            alike = kernel.name, kernel.blocks
            seen[alike] += 1
            found[(*alike, seen[alike])].append((kernel.begin - begin, kernel.duration))
    return {key: tuple(map(statistics.median, zip(*times))) for key, times in found.items()
            if len(times) > len(steps) / 2}


def print_late(number, kernels, steps, longer_than):
    short, longer = steps[:(len(steps) + 3) // 4], steps[int(len(steps) * longer_than):]
    lengths = [statistics.median(end - begin for begin, end in some) for some in (longer, short)]
    print(f"r{number}: {len(longer)} steps of {lengths[0]:.1f}, the shortest {len(short)} of {lengths[1]:.1f}")
    print("    begin      late      took       now")
    in_short, in_longer, before = medians(kernels, short), medians(kernels, longer), 0.0
    for key in sorted(in_short.keys() & in_longer.keys(), key=lambda key: in_short[key]):
        (begin, took), (begin_now, now) = in_short[key], in_longer[key]
        late = begin_now - begin
        if late - before > LATE or now - took > LATE:
            name, blocks, turn = key
            print(f"{begin:9.1f} {late:9.1f} {took:9.1f} {now:9.1f} b{blocks:<5} {name} {turn}")
        before = late


def share(text):
    value = float(text)
    if not 0 <= value < 1:
        raise ValueError(text)
    return value


def main():
    parser = argparse.ArgumentParser(description="One step of all ranks, kernel by kernel.")
    parser.add_argument("--longer_than", type=share, default=0.5, help="share of the steps, from 0 to below 1 [0.5]")
    parser.add_argument("--late", action="store_true", help="where longer steps leave the shortest quarter")
    parser.add_argument("files", nargs="*", metavar="FILE")
    args = parser.parse_args()
    try:
        ranks = [rank for rank in map(read, args.files) if rank[1]]
    except (OSError, ValueError) as error:
        print(f"timeline_step: {error}", file=sys.stderr)
        return 2
    steps_of_ranks = [steps_of(kernels) for _, kernels in (ranks if args.late else ranks[:1])]
    if not steps_of_ranks or not all(steps_of_ranks):
        print("timeline_step: no whole step; a longer KERNEL_TIMELINE_LAST?", file=sys.stderr)
        return 3
    if args.late:
        for number, ((_, kernels), steps) in enumerate(zip(ranks, steps_of_ranks)):
            print_late(number, kernels, steps, args.longer_than)
        return 0
    steps = steps_of_ranks[0]
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
