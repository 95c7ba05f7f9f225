"""Kills every tool that writes (kill -9) at random moments, then repeats the command: no record is lost or made twice.

A point is finished if its record is in the journal (OUTPUT.part) or in the output at the moment of the kill. After the
command is repeated, the record exists once, with the same bytes; the file equals an undisturbed run's except for
measurements (MEASURED); no file is left over; and no process that the tool started is alive.

With more kills per tool, or with the moments of an earlier run (--seed):
    python3 tests/attacks/kills.py --tools bazel-bin/tools --published data/published --kills=100 [--seed=N] [Kills.test_...]
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from marked_processes import VARIABLE, end_orphans, marked_processes, send_signal
from record_bytes import fields, whole_records
from run_fields import DATES, NEIGHBOURS
from tool_case import ToolCase, run_tests

COMPLETED = 1  # Outcome in lib/proto/sweep.proto

# Fields with measured numbers, which differ between two runs: times and memory.
MEASURED = {
    "epoch_seconds", "step_seconds", "data_wait_seconds", "copy_seconds", "forward_seconds", "backward_seconds",
    "optimizer_seconds", "train_seconds", "evaluate_seconds", "min_seconds", "p50_seconds", "p90_seconds",
    "p95_seconds", "p99_seconds", "max_seconds", "exposed_seconds", "collective_busy_seconds",
    "collective_wait_seconds", "mean_ready_seconds", "mean_done_seconds", "peak_memory_bytes",
    "timed_peak_memory_bytes", "mean_seconds", "deviation_seconds", "busy_seconds", "wait_seconds", "update_seconds",
    "last_count", "negative_count", "perturbation",
    "seconds",  # AllReduceProbe's
}
# Measurements that a run repeats as often as fits into some time.
REPEATED_FOR_A_TIME = {"product_seconds"}
# Fields of how a training run was resumed: the epoch, and the fact that earlier steps have no times of their own.
GONE_ON_WITH = {"resumed_epoch", "full_steps"}


def blank(value):
    """Returns `value` with every number replaced."""
    if isinstance(value, dict):
        return {key: blank(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [blank(inner) for inner in value]
    return value if isinstance(value, str) and not value.lstrip("-").isdigit() else "measured"


def comparable(value, left_out):
    if isinstance(value, dict):
        return {key: "measured" if key in REPEATED_FOR_A_TIME else
                blank(inner) if key in MEASURED else comparable(inner, left_out)
                for key, inner in value.items() if key not in DATES | NEIGHBOURS | left_out}
    return [comparable(inner, left_out) for inner in value] if isinstance(value, list) else value


def first_difference(a, b, path=""):
    """Returns the first place where two contents differ, for the error: "record.3.point.epoch.0.mean_loss: 1 != 2"."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next(filter(None, (first_difference(a[key], b[key], f"{path}.{key}") for key in a)), None)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next(filter(None, (first_difference(x, y, f"{path}.{i}") for i, (x, y) in enumerate(zip(a, b)))), None)
    return None if a == b else f"{path.lstrip('.')}: {str(a)[:200]} != {str(b)[:200]}"


class Command:
    """One command of a tool and its outputs. `point_key` returns the key of a record, None for no point."""

    def __init__(self, tool, arguments, output, point_key=None, has_children=False, resumes=frozenset()):
        self.tool, self.arguments, self.output = tool, arguments, output
        self.point_key, self.has_children, self.resumes = point_key, has_children, resumes


def sweep_key(record):
    if 4 in record:
        point = fields(record[4][0])
        return ("point", point[1][0]) if point.get(2) == [COMPLETED] else None
    if 5 in record:
        return ("checkpoint", 0)
    return ("probe", fields(record[7][0])[1][0]) if 7 in record else None


def scale_key(record):
    if 4 not in record:
        return None
    point = fields(record[4][0])
    return ("point", point[1][0], point[2][0], point[4][0])


def network_key(record):
    return ("network", bytes(fields(record[4][0])[2][0])) if 4 in record else None


class Count:
    def __init__(self):
        self.kills = self.finished = self.lost = self.repeated = self.unequal = self.orphans = self.left = 0

    def __str__(self):
        return (f"{self.kills} kills, {self.finished} points finished at a kill: {self.lost} lost, {self.repeated} "
                f"repeated; {self.unequal} records or files unequal, {self.orphans} orphans, {self.left} files left")


class Kills(ToolCase):
    kills = 3
    seed = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        print(f"--seed={cls.seed}")
        cls.second = pathlib.Path(cls.shared.name) / "second.pt"
        cls.call("train_sweep", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=40",
                 "--epochs=1",
                 "--seed=1", f"--checkpoint={cls.second}", f"--output={cls.shared.name}/second.rec", check=True)
        cls.scale = pathlib.Path(cls.shared.name) / "scale.rec"
        cls.call("scale_run", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--ranks=1,2",
                 "--batch_size=20", "--repeats=1", f"--output={cls.scale}", check=True)

    # --- the tools ---

    def test_cifar_prep(self):
        self.attack(Command("cifar_prep", ["--input_format=synthetic", "--train_images=3000", "--test_images=300"],
                            "dataset.rec"))

    def test_train_sweep(self):
        self.attack(Command("train_sweep", [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20,40",
                                            "--epochs=3", "--deterministic", "--resume", "--checkpoint=lenet5.pt"],
                            "sweep.rec", sweep_key, True, GONE_ON_WITH))

    def test_scale_run(self):
        self.attack(Command("scale_run", [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=1,2",
                                          "--batch_size=20", "--repeats=1", "--deterministic"],
                            "scale.rec", scale_key, True))

    def test_comm_model(self):
        self.attack(Command("comm_model", [f"--input={self.scale}"], "comm_model.rec"))

    def test_quantize(self):
        self.attack(Command("quantize", [f"--input={self.dataset}", f"--checkpoint={self.checkpoint},{self.second}",
                                         "--calibration_images=40"], "quantized.rec", network_key))

    def test_report(self):
        self.attack(Command("report", [f"--input={self.sweep},{self.scale}"], "report.rec", has_children=True))

    # --- one command ---

    def attack(self, command):
        moments = random.Random(f"{self.seed} {command.tool}")
        whole = self.folder / "whole"
        seconds = min(self.undisturbed(command, whole) for _ in range(2))
        count = Count()
        number = 0
        while count.kills < self.kills:
            self.assertLess(number, 20 * self.kills, "it is quicker than its kills")
            with self.subTest(round=number):
                self.kill_and_run_again(command, moments, number, seconds, whole, count)
            number += 1
            if number % 10 == 0 or count.kills >= self.kills:
                print(f"{command.tool}: {count} in {number} rounds", flush=True)
        self.assertEqual((count.lost, count.repeated, count.unequal, count.orphans, count.left), (0, 0, 0, 0, 0))

    def undisturbed(self, command, folder):
        shutil.rmtree(folder, ignore_errors=True)
        begin = time.monotonic()
        process = self.start(command, folder, "undisturbed")
        self.assertEqual(process.wait(), 0, (folder / "stderr").read_text())
        return time.monotonic() - begin

    def start(self, command, folder, mark):
        """Starts the command in a separate process group, in `folder`, with temporary files in a separate folder."""
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        output = command.output if command.tool != "report" else "report.html"
        with open(folder / "stderr", "ab") as stderr:
            return subprocess.Popen(
                [str(self.tools / command.tool), *command.arguments, f"--output={output}"], cwd=folder, stderr=stderr,
                stdout=stderr, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, "TMPDIR": str(folder / "tmp"), VARIABLE: mark})

    def kill_and_run_again(self, command, moments, number, seconds, whole, count):
        folder = self.folder / f"round{number}"
        finished = {}
        for _ in range(2 if number % 4 == 3 else 1):  # sometimes the resumed run is killed too
            self.kill(command, moments, number, seconds, folder, count)
            finished.update(self.points(command, folder))
        count.finished += len(finished)
        process = self.start(command, folder, "again")
        log = lambda: f"round {number}: " + (folder / "stderr").read_text(errors="replace")
        self.assertEqual(process.wait(timeout=300), 0, log())
        points = self.points(command, folder, once=True)
        count.lost += sum(key not in points for key in finished)
        anew = not self.took_over(log(), len(finished))
        count.repeated += sum(key in points and (anew or points[key] != record) for key, record in finished.items())
        unequal = self.unequal(command, folder, whole)
        left = sorted(set(self.names(folder)) - set(self.names(whole)))
        count.unequal += len(unequal)
        count.left += len(left)
        self.assertEqual((unequal, left), ([], []), log())
        shutil.rmtree(folder)

    @staticmethod
    def took_over(log, finished):
        """Returns true if the last run reports that it kept that many records of the previous run, or had nothing to
        do."""
        kept = re.findall(r"resumes after (\d+) records", log)
        return log.rstrip().rpartition("\n")[2].find(": cached ") >= 0 or (kept and int(kept[-1]) >= finished)

    # --- a kill ---

    def kill(self, command, moments, number, seconds, folder, count):
        mark = f"{folder} {moments.random()}"
        process = self.start(command, folder, mark)
        self.wait_for_the_moment(command, moments, number, seconds, folder, process)
        whom = moments.choice(["group", "parent", "child"] if command.has_children else ["group", "parent"])
        looked_at = marked_processes(mark) if whom == "child" else []
        children = [pid for pid in looked_at if pid != process.pid]
        if process.poll() is None:
            if whom == "child" and children:
                send_signal(moments.choice(children), signal.SIGKILL)
            elif whom == "group":
                os.killpg(process.pid, signal.SIGKILL)  # exists until wait() collects its first process
            else:
                process.kill()
        code = process.wait(timeout=300)
        count.kills += code != 0  # a kill that came too late does not count
        log = (folder / "stderr").read_text(errors="replace")
        self.assertIn(code, [0, 5] if whom == "child" and children else [0, -signal.SIGKILL], f"{whom}: {log}")
        if code == 5:
            self.assertIn("error: ", log)
        count.orphans += end_orphans(mark)
        temporary = list((folder / "tmp").iterdir())
        count.left += len(temporary)
        self.assertEqual(temporary, [], f"{whom} killed")

    def wait_for_the_moment(self, command, moments, number, seconds, folder, process):
        """Waits for a random moment of the run; every third time for an event: .part appears, a record is appended,
        .part is renamed."""
        output, part = folder / command.output, folder / f"{command.output}.part"
        uniform = moments.uniform(0, seconds)
        mark, records, jitter = moments.choice(["part", "record", "rename"]), moments.randint(1, 6), moments.uniform(0, 2e-3)
        begin = time.monotonic()

        def reached():
            if number % 3 != 2:
                return time.monotonic() - begin >= uniform
            if mark == "rename":
                return output.exists()
            return part.exists() and (mark == "part" or len(whole_records(part.read_bytes())) >= records)

        while process.poll() is None:
            try:
                if reached():
                    break
            except FileNotFoundError:
                break  # renamed meanwhile
            time.sleep(100e-6)
        if number % 3 == 2:
            time.sleep(jitter)

    # --- what is there ---

    def points(self, command, folder, once=False):
        """Returns {key: bytes} of the finished points in the journal, or else in the output."""
        if command.point_key is None:
            return {}
        path = folder / f"{command.output}.part"
        path = path if path.exists() else folder / command.output
        found = {}
        for record in whole_records(path.read_bytes()) if path.exists() else []:
            key = command.point_key(fields(record))
            if key is not None:
                self.assertFalse(once and key in found, f"{key} twice in {path}")
                found[key] = record
        return found

    @staticmethod
    def names(folder):
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.name != "stderr")

    def unequal(self, command, folder, whole):
        """Returns the first difference of each file from the undisturbed run's, apart from measurements and dates."""
        names = [name for name in self.names(whole) if (whole / name).is_file()]
        found = {name: first_difference(self.content(command, folder / name), self.content(command, whole / name))
                 for name in names}
        return [f"{name}: {place}" for name, place in found.items() if place]

    def content(self, command, path):
        if not path.exists():
            return None
        if path.suffix != ".rec":
            return path.read_bytes()
        text = self.call("report", f"--print={path}", "--format=json", check=True).stdout
        return comparable(json.loads(text), command.resumes)


class KilledTwice(ToolCase):
    def test_a_point_behind_one_that_is_trained_again(self):
        """The first point's checkpoint is gone, so it is trained again; a kill meanwhile must not affect the second
        point."""
        command = [str(self.tools / "train_sweep"), f"--input={self.dataset}", "--model=lenet5", "--device=cpu",
                   "--batch_size=20,40,10", "--epochs=1", "--checkpoint=lenet5.pt", "--output=sweep.rec"]
        self.kill_when(command, lambda: len(self.points()) == 2)
        first, second = self.points()
        (self.folder / "lenet5.pt").unlink()
        self.kill_when(command, lambda: marked_processes(self.folder, "--internal_point=batch_size: 20 "))
        self.assertTrue(self.points() == [second], "what was finished is not in the journal")
        self.assertEqual(subprocess.run(command, cwd=self.folder, capture_output=True, timeout=240).returncode, 0)
        again = self.points("sweep.rec")
        self.assertEqual([fields(fields(record)[4][0])[1] for record in again], [[20], [40], [10]])
        self.assertNotEqual(again[0], first)
        self.assertEqual(again[1], second)

    def kill_when(self, command, condition):
        process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.DEVNULL,
                                   env={**os.environ, VARIABLE: str(self.folder)})
        while not condition():
            self.assertIsNone(process.poll(), "it was quicker than this test")
            time.sleep(0.002)
        process.kill()
        process.wait()

    def points(self, name="sweep.rec.part"):
        path = self.folder / name
        return [record for record in (whole_records(path.read_bytes()) if path.exists() else []) if 4 in fields(record)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--kills", type=int, default=Kills.kills)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given, rest = parser.parse_known_args()
    Kills.kills, Kills.seed = given.kills, given.seed
    sys.argv[1:] = rest
    run_tests(__doc__)
