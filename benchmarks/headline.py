"""Measures the fast step and its baselines in one call, alternating, for the first tables of benchmarks/README.md.

    python3 benchmarks/headline.py --package FOLDER --dataset dataset.rec --output OUT [--gpus 1 2]
        [--baselines graph compile_graph compile_graph_max scan graph_augmented ...] [--turns 3] [--seconds 540]

FOLDER is made by tools/package.sh. On one GPU: train_sweep --preset=fast, and the --baselines (baselines.py): PyTorch's
whole step in a CUDA graph (graph), the same under torch.compile (compile_graph; compile_graph_max: with max-autotune,
which compiles for minutes) and JAX with one program per epoch (scan); with _augmented each also makes augmented batches
of the data set. On several: scale_run --preset=fast --ranks=1,N and the data-parallel form of each baseline. Each
program runs once per turn, in a separate process, at --batch per GPU (512, 128 and 32); nothing else runs meanwhile,
and the order is rotated from turn to turn. From the second turn on, baselines read the programs that they compiled in
the first one. A program that would not end within --seconds is left out of that turn, and the output reports this.

OUT gets the records sweep_TURN.rec and scale_TURN.rec; baselines.jsonl, a line for each case of each baseline's
process; gpu.jsonl, clocks and power of the GPUs during each process by nvidia-smi; log.txt, the output of the programs;
and tables.md, which is also printed: the seconds, the ratio to the best baseline of each batch, clocks and power.
Exits 1 if a program failed. --dry_run prints the commands.
"""

import argparse
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import baselines  # noqa: E402
import gpu_watch  # noqa: E402
import headline_table  # noqa: E402


def programs(given, gpus, turn):
    """Returns {name: command} of one turn on `gpus` GPUs; commands run in the folder --output."""
    flags = ["--input=dataset.rec", "--preset=fast", f"--batch_size={','.join(map(str, given.batch))}", "--noevaluate",
             f"--repeats={given.repeats}", "--force"]
    ours = [given.package / "train_sweep", *flags, f"--output=sweep_{turn}.rec"]
    if gpus > 1:
        ours = [given.package / "scale_run", *flags, f"--ranks=1,{gpus}", "--ablation=false",
                f"--output=scale_{turn}.rec"]
    return {"ours": ours, **{name: baselines.command(name, gpus, given.batch, given.baseline_repeats)
                             for name in given.baselines}}


def as_json(package, record):
    """Returns the content of a record file, as report --convert writes it."""
    text = record.with_suffix(".json")
    subprocess.run([package / "report", f"--convert={record}", f"--output={text}", "--force"], check=True)
    file = json.loads(text.read_text())
    text.unlink()
    return file


def remove_loaded_files(package, record):
    """Writes a record again, without the list of loaded libraries, which names folders of the machine."""
    file = as_json(package, record)
    file.pop("crc32", None)
    for entry in file["record"]:
        entry.get("header", {}).pop("loaded_file", None)
    text = record.with_suffix(".json")
    text.write_text(json.dumps(file))
    subprocess.run([package / "report", f"--convert={text}", f"--output={record}", "--force"], check=True)
    text.unlink()


def json_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Session:
    """Runs programs one after another in the folder --output, until --seconds have passed."""

    def __init__(self, given):
        self.given, self.begin = given, time.monotonic()
        given.output.mkdir(parents=True, exist_ok=True)
        self.longest = {}  # longest run of each program so far, in seconds
        self.failed = False
        self.environment = dict(os.environ, NCCL_NVLS_ENABLE="0", LOCKSTEP_COMMIT=given.commit)
        self.environment.setdefault("TORCHINDUCTOR_CACHE_DIR", str(given.cache / "torch"))
        self.environment.setdefault("JAX_COMPILATION_CACHE_DIR", str(given.cache / "jax"))

    def left(self):
        return max(0, self.given.seconds - (time.monotonic() - self.begin))

    def run(self, name, command):
        """Runs one program unless it would not end in time; returns whether it succeeded."""
        if self.left() < 1.1 * self.longest.get(name, 10):
            print(f"{name}: left out, {self.left():.0f} s are left", flush=True)
            return False
        begin, watch = time.monotonic(), gpu_watch.Watch()
        with open(self.given.output / "log.txt", "a") as log:
            log.write(f"$ {shlex.join(map(str, command))}\n")
            log.flush()
            process = subprocess.Popen(command, cwd=self.given.output, env=self.environment, stdout=log, stderr=log,
                                       start_new_session=True)
            try:
                code = process.wait(self.left())
            except subprocess.TimeoutExpired:
                code = "none: stopped by the limit of --seconds"
                os.killpg(process.pid, signal.SIGKILL)  # the program and the ranks that it started
                process.wait()
        seconds = time.monotonic() - begin
        self.longest[name] = max(seconds, self.longest.get(name, 0))
        with open(self.given.output / "gpu.jsonl", "a") as file:
            file.write(json.dumps({"program": name, "seconds": seconds, **watch.stop()}) + "\n")
        print(f"{name}: exit {code}, {seconds:.0f} s", flush=True)
        self.failed |= code != 0
        return code == 0

    def link(self, name, file):
        """Makes `file` available to the programs as `name`."""
        if not (self.given.output / name).exists():
            (self.given.output / name).symlink_to(file)

    def take_turn(self, turn, programs):
        """Runs {name: command}; turn N begins with the Nth command. The last flag of ours must be --output=RECORD."""
        todo = list(programs.items())
        first = (turn - 1) % len(todo)
        for name, command in todo[first:] + todo[:first]:
            if self.run(name, command) and pathlib.Path(command[0]).parent == self.given.package:
                remove_loaded_files(self.given.package, self.given.output / command[-1].removeprefix("--output="))


def path(text):
    return pathlib.Path(text).resolve()


def session_parser(description, seconds):
    """Returns a parser with the flags that a Session needs; `seconds` is the default of --seconds."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=path, required=True, help="made by tools/package.sh")
    parser.add_argument("--output", type=path, required=True, help="folder for the results")
    parser.add_argument("--cache", type=path, default=path("headline_cache"),
                        help="folder for what the baselines compile")
    parser.add_argument("--seconds", type=float, default=seconds, help="limit of the whole call")
    parser.add_argument("--commit", default="", help="commit of the scripts, if they are no checkout")
    parser.add_argument("--dry_run", action="store_true", help="print the commands only")
    return parser


def flag_parser(description, turns, repeats, baseline_repeats, seconds):
    """Returns a session_parser with the flags of alternating programs, with these defaults."""
    parser = session_parser(description, seconds)
    parser.add_argument("--turns", type=int, default=turns)
    parser.add_argument("--repeats", type=int, default=repeats, help="timed epochs of ours in each process")
    parser.add_argument("--baseline_repeats", type=int, default=baseline_repeats,
                        help="timed epochs of a baseline in each process")
    return parser


def print_commands(programs):
    for command in programs.values():
        print(shlex.join(map(str, command)))


def write_tables(given):
    """Writes and prints tables.md from the files of --output, also those of an earlier call with this output."""
    points = {name: [entry["point"] for record in sorted(given.output.glob(f"{name}_*.rec"))
                     for entry in as_json(given.package, record)["record"] if "point" in entry]
              for name in ("sweep", "scale")}
    lines = json_lines(given.output / "baselines.jsonl")
    tables = [headline_table.seconds(points["sweep" if gpus == 1 else "scale"], lines, gpus, given.batch)
              for gpus in given.gpus]
    tables.append(headline_table.readings(json_lines(given.output / "gpu.jsonl")))
    text = "\n\n".join(filter(None, tables)) + "\n"
    (given.output / "tables.md").write_text(text)
    print(text, end="", flush=True)


def main():
    parser = flag_parser(__doc__, turns=3, repeats=5, baseline_repeats=5, seconds=540)
    parser.add_argument("--dataset", type=path, required=True)
    parser.add_argument("--gpus", type=int, nargs="+", default=[1], help="numbers of GPUs, such as 1 2")
    parser.add_argument("--batch", type=int, nargs="+", default=[512, 128, 32], help="batch sizes per GPU")
    parser.add_argument("--baselines", nargs="*", choices=baselines.BASELINES, default=baselines.DEFAULT,
                        metavar="NAME", help=f"baselines, of {', '.join(baselines.BASELINES)}")
    given = parser.parse_args()
    if given.dry_run:
        for gpus in given.gpus:
            print_commands(programs(given, gpus, 1))
        return
    session = Session(given)
    session.link("dataset.rec", given.dataset)
    for turn in range(1, given.turns + 1):
        for gpus in given.gpus:
            print(f"== turn {turn}, {gpus} GPU{'s' if gpus > 1 else ''}", flush=True)
            todo = programs(given, gpus, turn)
            session.take_turn(turn, {f"{gpus} {name}": command for name, command in todo.items()})
    write_tables(given)
    sys.exit(1 if session.failed else 0)


if __name__ == "__main__":
    main()
