"""Reads the sources of the tables of benchmarks/README.md: record files, JSON lines, and the output of tools."""

import csv
import json
import pathlib
import re
import shlex
import statistics

import record_file

# Flags of older records, and their names today (lib/base/renamed_flags.cc). suggested_commands_test finds others.
CURRENT_FLAGS = {"batch": "batch_size", "memory_format=channels_last": "channels_last"}


class MissingRecords(Exception):
    """Raised if the files that a table is generated from do not exist yet."""


class Sample:
    """Every timed value of one case, pooled over all processes of one version."""

    def __init__(self, values, processes=1):
        self.values = sorted(values)
        self.processes = processes
        if not self.values:
            raise ValueError("a sample must not be empty")

    n = property(lambda self: len(self.values))
    median = property(lambda self: statistics.median(self.values))
    mean = property(lambda self: statistics.fmean(self.values))
    minimum = property(lambda self: self.values[0])
    maximum = property(lambda self: self.values[-1])
    deviation = property(lambda self: statistics.stdev(self.values) if self.n > 1 else None)


class Record:
    """One record file. Its entries are those that `report --print=FILE --format=json` prints."""

    def __init__(self, path):
        self.path = path
        self.entries = record_file.read(path.read_bytes())
        self.header = self.entries[0]["header"]

    def all(self, kind):
        """Returns the entries of one kind: "point", "prediction", "end"."""
        return [entry[kind] for entry in self.entries if kind in entry]

    commit = property(lambda self: self.header["build"]["git_commit"][:12] + ("+" if self.header["build"].get("git_dirty") else ""))
    date = property(lambda self: self.header["start_time"][:10])
    @property
    def command(self):
        """The command line with the flags of today, without --force."""
        words = [word for word in self.header["command_line"] if word != "--force"]
        for old, current in CURRENT_FLAGS.items():
            words = [re.sub(f"^--{old}(?=$|=)", f"--{current}", word) for word in words]
        return shlex.join(words)

    def versions(self):
        names = {"cuda": "CUDA", "cudnn": "cuDNN", "nccl": "NCCL", "libtorch": "LibTorch"}
        libraries = self.header.get("libraries", {})
        return {name: libraries[key] for key, name in names.items() if libraries.get(key)}

    def machine(self):
        devices = self.header.get("device") or []
        if not devices:
            return self.header["host"]["cpu_model"]
        number = f"{len(devices)} x " if len(devices) > 1 else ""
        return f"{number}{devices[0]['name']}, driver {devices[0]['driver_version']}"


class Series:
    """The lines of a file that benchmarks/measurements.py wrote."""

    def __init__(self, path):
        self.path = path
        self.lines = [json.loads(line) for line in path.read_text().splitlines() if line]

    def sample(self, field="seconds", **wanted):
        """Returns every value of `field` of the lines whose other fields are `wanted`, or None if there is no such line."""
        lines = [line for line in self.lines if all(line.get(name) == value for name, value in wanted.items())]
        values = [value for line in lines for value in line[field]]
        return Sample(values, len(lines)) if values else None

    def versions(self):
        names = {"pytorch": "PyTorch", "jax": "JAX"}
        return {names[key]: value for line in self.lines for key, value in line["versions"].items() if key in names}


class Results:
    """The folder benchmarks/results. Remembers which files were read."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def paths(self, pattern):
        found = sorted(self.folder.glob(pattern))
        if not found:
            raise MissingRecords(pattern)
        return found

    def records(self, pattern):
        """Returns the records of one version that match `pattern`. Raises ValueError if their commits differ."""
        found = [Record(path) for path in self.paths(pattern)]
        commits = {record.commit for record in found}
        if len(commits) != 1:
            raise ValueError(f"{pattern}: expected records of one version, found commits {sorted(commits)}")
        return found

    def record(self, path):
        return self.records(path)[0]

    def series(self, path):
        return Series(self.paths(path)[0])

    def text(self, path):
        return self.paths(path)[0].read_text()

    def rows(self, path):
        """Returns the rows of a CSV file, as dictionaries."""
        return list(csv.DictReader(self.text(path).splitlines()))

    def lines(self, path):
        """Returns the objects of a file of JSON lines."""
        return [json.loads(line) for line in self.text(path).splitlines() if line]


def benchmark_counters(text, pattern):
    """Returns (match, {counter: value}) of the lines that Google Benchmark printed and whose name `pattern` matches."""
    scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "m": 1e-3, "u": 1e-6, "n": 1e-9}
    found = []
    for line in text.splitlines():
        match = re.match(pattern, line)
        if match:
            counters = re.findall(r"(\w+)=([-\d.e+]+)([kMGmun]?)(?=\s|$)", line)
            found.append((match, {name: float(value) * scale[unit] for name, value, unit in counters}))
    return found
