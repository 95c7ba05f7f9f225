"""Two runs of one command at once, ranks that stop or die, a disk that fills up: nothing may be lost, and all is
reported."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from marked_processes import VARIABLE, end_orphans, marked_processes
from record_bytes import fields, whole_records
from tool_case import ToolCase, run_tests

POINT = 4  # the field of a point in SweepRecord and in ScaleRecord


class Attack(ToolCase):
    def start(self, tool, *arguments, **options):
        """Starts the tool in self.folder, with its output in tool.txt and its processes marked."""
        with open(self.folder / f"{tool}.txt", "w") as log:
            return subprocess.Popen([str(self.tools / tool), *map(str, arguments)], cwd=self.folder, stderr=log,
                                    stdout=log, env={**os.environ, VARIABLE: str(self.folder)}, **options)

    def log(self, tool):
        return (self.folder / f"{tool}.txt").read_text()

    def eventually(self, condition, seconds=120):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)

    def points(self, name):
        path = self.folder / name
        records = whole_records(path.read_bytes()) if path.exists() else []
        return [record for record in records if POINT in fields(record)]

    def scale_flags(self, *more):
        return [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=1,2", "--batch_size=20",
                "--repeats=1", "--output=scale.rec", *more]

    def sweep_flags(self, *more):
        return [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20,40", "--epochs=1",
                "--output=sweep.rec", *more]

    def whole(self, name):
        self.call("report", f"--print={self.folder / name}", check=True)
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.endswith(".part")], [])


class TwoRunsAtOnce(Attack):
    """The first run is held (SIGSTOP) while it writes, so that the second is sure to run at the same time."""

    def run_both(self, tool, output, *arguments):
        first = self.start(tool, *arguments)
        try:
            # The first run writes under the lock.
            part = self.folder / f"{output}.part"
            self.eventually(lambda: (part.exists() and part.stat().st_size > 0) or first.poll() is not None)
            first.send_signal(signal.SIGSTOP)
            self.assertIsNone(first.poll(), "it was quicker than this test")
            before = (self.folder / f"{output}.part").read_bytes()
            second = subprocess.run([str(self.tools / tool), *map(str, arguments)], cwd=self.folder, capture_output=True,
                                    timeout=240)
            self.assertEqual(second.returncode, 3, second.stderr)
            self.assertIn(f"{output}: another process is writing it".encode(), second.stderr)
            self.assertTrue((self.folder / f"{output}.part").read_bytes().startswith(before))
        finally:
            first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(timeout=240), 0, self.log(tool))
        self.whole(output)

    def test_cifar_prep(self):
        self.run_both("cifar_prep", "out.rec", "--input_format=synthetic", "--train_images=10000", "--test_images=100",
                      "--output=out.rec")

    def test_train_sweep(self):
        self.run_both("train_sweep", "sweep.rec", *self.sweep_flags())

    def test_scale_run(self):
        self.run_both("scale_run", "scale.rec", *self.scale_flags())

    def test_quantize(self):
        self.run_both("quantize", "out.rec", f"--input={self.dataset}", f"--checkpoint={self.checkpoint}",
                      "--calibration_images=80", "--output=out.rec")


class Ranks(Attack):
    def rank_1(self):
        """Returns the second rank of a point, once it has started."""
        found = []
        self.eventually(lambda: found.extend(marked_processes(self.folder, "--rank=1")) or found)
        return found[0]

    def lost(self, process, *messages):
        """Checks that the run ends with 5, names rank 1, leaves no process, keeps the point of one rank, and can be
        resumed."""
        self.assertEqual(process.wait(timeout=120), 5, self.log("scale_run"))
        for text in ("scale_run: error: ", "rank 1", *messages):
            self.assertIn(text, self.log("scale_run"))
        self.assertEqual(end_orphans(self.folder), 0)
        finished = self.points("scale.rec.part")
        self.assertEqual(len(finished), 2)  # one rank: plain, and with the reducer
        self.assertEqual(self.start("scale_run", *self.scale_flags()).wait(timeout=240), 0, self.log("scale_run"))
        self.assertIn("resumes after 3 records", self.log("scale_run"))
        self.assertEqual(self.points("scale.rec")[:2], finished)
        self.whole("scale.rec")

    def test_one_that_is_silent(self):
        process = self.start("scale_run", *self.scale_flags("--timeout=3s"))
        os.kill(self.rank_1(), signal.SIGSTOP)
        self.lost(process)

    def test_one_that_is_killed(self):
        process = self.start("scale_run", *self.scale_flags())
        os.kill(self.rank_1(), signal.SIGKILL)
        self.lost(process, "killed by signal 9")

    def test_one_that_is_held_for_a_while(self):
        process = self.start("scale_run", *self.scale_flags())
        rank = self.rank_1()
        os.kill(rank, signal.SIGSTOP)
        time.sleep(1)
        os.kill(rank, signal.SIGCONT)
        self.assertEqual(process.wait(timeout=240), 0, self.log("scale_run"))
        self.whole("scale.rec")


class FullDisk(Attack):
    """A limit on the size of files that is reached in the journal's second point."""

    def fill(self, tool, output, flags):
        self.assertEqual(self.start(tool, *flags).wait(timeout=240), 0, self.log(tool))
        records = whole_records((self.folder / output).read_bytes())
        second = [i for i, record in enumerate(records) if POINT in fields(record)][1]
        limit = sum(len(record) + 7 for record in records[:second]) + len(records[second]) // 2
        (self.folder / output).unlink()
        full = self.start(tool, *flags, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(full.wait(timeout=240), 5, self.log(tool))
        for text in (f"{tool}: error: ", f"{output}.part: cannot write", "free some space"):
            self.assertIn(text, self.log(tool))
        finished = self.points(f"{output}.part")
        self.assertEqual(len(finished), 1)
        self.assertEqual(self.start(tool, *flags).wait(timeout=240), 0, self.log(tool))
        self.assertIn("resumes after 2 records", self.log(tool))
        self.assertEqual(self.points(output)[:1], finished)
        self.whole(output)

    def test_train_sweep(self):
        self.fill("train_sweep", "sweep.rec", self.sweep_flags())

    def test_scale_run(self):
        # Memory that ranks share counts as a file for this limit, although it is not on a disk.
        self.fill("scale_run", "scale.rec", self.scale_flags("--backend=gloo"))


if __name__ == "__main__":
    run_tests(__doc__)
