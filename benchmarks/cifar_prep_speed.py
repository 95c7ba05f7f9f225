"""Compares cifar_prep with its baselines: ratios from one run, as medians over alternating repeats, with their spread.

    bazel run //benchmarks:cifar_prep_speed -- --binary=cifar-10-batches-bin --jpeg=cifar10-jpeg.tar.xz

binary  cifar_prep --force on a full-size binary folder (60,000 images; a smaller folder is repeated up to that size,
        and balanced) compared with `cp` + `sha256sum` + `sync` of the same files, all warm. The ratio is the baseline's
        seconds / ours; required: 1 or more.
jpeg    cifar_prep --force on a folder of JPEGs compared with plain libjpeg-turbo decoding (cifar_prep_jpeg_decode.cc)
        on one thread per core: of pictures in memory, and of files that are read during the pass. The ratio is our
        images/s / the baseline's; required: 0.8 or more. Ours is measured with writing and syncing the 184 MB, and
        without (--dry_run: listing, reading, digests, decoding, planes, statistics; like the baseline, it keeps no
        pixels). The ratio is also given for processor seconds (user and system of the whole processes), which other
        work on the cores disturbs less. The baseline's processor seconds include finding the files; its clock does
        not. The rate of one plain thread times the number of cores is also printed: no program reaches it if two cores
        share the resources of one.

Results are checked first: exit 0, and the class counts of CIFAR-10 in the summary. No other program should run
meanwhile. --output appends every repetition as a JSON line.
"""

import argparse
import collections
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import measurements

RECORD = 3073  # bytes of one image in the binary version: label, then 3 x 32 x 32


def by_label(folder, names):
    """Returns the records of these files, grouped by label."""
    records = collections.defaultdict(list)
    for name in names:
        data = (folder / name).read_bytes()
        for begin in range(0, len(data), RECORD):
            records[data[begin]].append(data[begin:begin + RECORD])
    return records


def make_full(source, target):
    """Writes six files of 10,000 records, 1,000 per label, by repeating the records of `source`."""
    target.mkdir()
    for names in ([f"data_batch_{i}.bin" for i in range(1, 6)], ["test_batch.bin"]):
        records, first = by_label(source, names), 0
        for name in names:
            with open(target / name, "wb") as file:
                for i in range(10000):
                    same = records[i % 10]
                    file.write(same[(first + i // 10) % len(same)])
            first += 1000
    shutil.copy(source / "batches.meta.txt", target)


def seconds_of(command, **options):
    begin = time.perf_counter()
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, **options)
    seconds = time.perf_counter() - begin
    if result.returncode != 0:
        sys.exit(f"{command}: exit {result.returncode}: {result.stderr}")
    return seconds, result


def processor_seconds():
    """Returns the user and system seconds of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def prepare(tool, folder, output, *flags):
    """Runs cifar_prep once, checks its summary, and returns its seconds."""
    seconds, result = seconds_of([tool, f"--input={folder}", f"--output={output}", "--force", *flags])
    if "50000 images, 10 classes of 5000" not in result.stderr or "10000 images, 10 classes of 1000" not in result.stderr:
        sys.exit(f"{folder}: not 5,000 and 1,000 images of each class: {result.stderr}")
    return seconds


def copy_and_digest(folder, target):
    """Returns the seconds of the baseline: cp, sha256sum and sync of the same files."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    script = 'cp "$1"/* "$2"/ && sha256sum "$1"/* > "$2"/sums && sync "$2"/* "$2"'
    return seconds_of(["sh", "-c", script, "sh", folder, target])[0]


def show(name, values, unit="s"):
    print(f"  {name:44} median {statistics.median(values):8.3f} {unit}   {min(values):.3f} to {max(values):.3f}")


def show_ratio(name, ratios, wanted):
    print(f"  {name:44} median {statistics.median(ratios):8.2f}     {min(ratios):.2f} to {max(ratios):.2f}   required >= {wanted}")


def measure_binary(given, work, writer):
    full = work / "full"
    make_full(given.binary, full)
    output, copies = work / "binary.rec", work / "copies"
    prepare(given.cifar_prep, full, output), copy_and_digest(full, copies)  # warm-up
    ours, peer = [], []
    for _ in range(given.repeats):
        ours.append(prepare(given.cifar_prep, full, output))
        peer.append(copy_and_digest(full, copies))
    writer.add("binary, ours", seconds=ours)
    writer.add("binary, cp + sha256sum + sync", seconds=peer)
    print("binary folder, 60,000 images, 184 MB")
    show("cifar_prep --force", ours)
    show("cp + sha256sum + sync", peer)
    show_ratio("ratio, peer / ours", [p / o for p, o in zip(peer, ours)], 1)


def measure_jpeg(given, work, writer):
    folder = given.jpeg
    if folder.is_file():
        folder = work / "jpeg"
        folder.mkdir()
        subprocess.run(["tar", "xf", given.jpeg, "-C", folder], check=True)
    cores = len(os.sched_getaffinity(0))
    output = work / "jpeg.rec"
    prepare(given.cifar_prep, folder, output)  # warm-up

    def plain(threads, source):
        command = [given.jpeg_decode, folder, str(threads), source]
        images, seconds = seconds_of(command, stdout=subprocess.PIPE)[1].stdout.split()
        return int(images) / float(seconds)

    def ours(*flags):
        return 60000 / prepare(given.cifar_prep, folder, output, *flags)

    def with_processor(run, *arguments):
        begin = processor_seconds()
        rate = run(*arguments)
        return rate, processor_seconds() - begin

    measured = [(ours(), *with_processor(ours, "--dry_run"), plain(1, "memory"), plain(cores, "memory"),
                 *with_processor(plain, cores, "files")) for _ in range(given.repeats)]
    whole, dry, dry_processor, one, memory, files, files_processor = zip(*measured)
    for name, rates, processor in [
            ("ours", whole, None), ("ours, not written", dry, dry_processor), ("plain, one thread, in memory", one, None),
            ("plain, in memory", memory, None), ("plain, reading files", files, files_processor)]:
        also = {} if processor is None else {"processor_seconds": processor}
        writer.add(f"jpeg, {name}", images_per_second=rates, **also)
    print(f"JPEG folder, 60,000 images, {cores} cores")
    show("cifar_prep --force", whole, "images/s")
    show("cifar_prep --force --dry_run", dry, "images/s")
    show("plain, in memory, one thread", one, "images/s")
    show("plain, in memory, all cores", memory, "images/s")
    show("plain, reading each file, all cores", files, "images/s")
    show("processor, --dry_run", dry_processor)
    show("processor, plain, reading each file", files_processor)
    show_ratio("processor, plain reading files / --dry_run", [p / o for p, o in zip(files_processor, dry_processor)], 0.8)
    for name, peer, share in [("one thread in memory, times cores", one, cores), ("all cores, in memory", memory, 1),
                              ("all cores, reading files", files, 1)]:
        for label, values in [("whole", whole), ("--dry_run", dry)]:
            show_ratio(f"{label} / {name}", [v / (p * share) for v, p in zip(values, peer)], 0.8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cifar_prep", type=os.path.abspath, required=True)
    parser.add_argument("--jpeg_decode", type=os.path.abspath, required=True)
    parser.add_argument("--binary", type=pathlib.Path, help="a folder of the binary version, whole or a subset")
    parser.add_argument("--jpeg", type=pathlib.Path, help="a folder or an archive with train/ and test/")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--work", help="where the temporary files go: on the disk that is to be measured")
    parser.add_argument("--output", type=measurements.path, default="", help="file to which every repetition is appended as JSON")
    given = parser.parse_args()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    writer = measurements.Writer(given.output, {"python": platform.python_version()})
    print(f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, "
          f"{given.repeats} repeats")
    with tempfile.TemporaryDirectory(dir=given.work) as work:
        if given.binary:
            measure_binary(given, pathlib.Path(work), writer)
        if given.jpeg:
            measure_jpeg(given, pathlib.Path(work), writer)


if __name__ == "__main__":
    main()
