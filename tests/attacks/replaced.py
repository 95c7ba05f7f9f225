"""A data set that `cifar_prep --force` or another command replaces while a run starts or between two points."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from marked_processes import VARIABLE, end_orphans, marked_processes, send_signal
from tool_case import ToolCase, run_tests

TIMEOUT = 240


class Replaced(ToolCase):
    """Two data sets of the same number of images, A and B. A run begins with A, and finds B."""

    reads_sweep = False

    def setUp(self):
        super().setUp()
        self.a, self.b, self.data = (self.folder / n for n in ("a.rec", "b.rec", "dataset.rec"))
        shutil.copy(self.dataset, self.a)
        self.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40", "--seed=1",
                  f"--output={self.b}", check=True)
        self.put(self.a)

    def put(self, source):
        copy = self.folder / "copy.rec"
        shutil.copy(source, copy)
        copy.rename(self.data)

    def flags(self, tool, *more):
        return [str(self.tools / tool), f"--input={self.data}", "--model=lenet5", "--device=cpu", "--threads=1",
                f"--output={self.folder / 'out.rec'}", *more]

    def start(self, command):
        self.addCleanup(end_orphans, self.folder)
        return subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ, VARIABLE: str(self.folder)})

    def children(self, first_argument, count):
        deadline = time.monotonic() + TIMEOUT
        while len(found := marked_processes(self.folder, first_argument)) < count:
            self.assertLess(time.monotonic(), deadline)
        return found

    def is_noticed(self, tool, command, process, log_before=b""):
        stderr = (log_before + process.communicate(timeout=TIMEOUT)[1]).decode()
        self.assertEqual(process.returncode, 3, stderr)
        errors = [line for line in stderr.splitlines() if line.startswith(f"{tool}: error: ")]
        self.assertEqual(len(errors), 1, stderr)
        self.assertIn("dataset.rec changed while this run was using it: expected SHA-256 ", errors[0])
        self.assertFalse((self.folder / "out.rec").exists())
        # With A restored, the run completes: no result of B was kept.
        self.put(self.a)
        again = subprocess.run(command, capture_output=True, timeout=TIMEOUT)
        self.assertEqual(again.returncode, 0, again.stderr.decode())
        self.assertNotIn(b"cached", again.stderr)

    def as_it_starts(self, tool, *more, first_argument, processes):
        """Holds the processes that read the data set again before they do, while LibTorch is being loaded."""
        command = self.flags(tool, "--epochs=1" if tool == "train_sweep" else "--epochs=2", *more)
        process = self.start(command)
        held = self.children(first_argument, processes)
        for pid in held:
            send_signal(pid, signal.SIGSTOP)
        self.put(self.b)
        for pid in held:
            send_signal(pid, signal.SIGCONT)
        self.is_noticed(tool, command, process)

    def between_points(self, tool, *more):
        """The first point has read A once its first epoch has a line; the second one has no process yet."""
        command = self.flags(tool, "--batch_size=20,40", "--epochs=4", "--evaluate_every=1", *more)
        process = self.start(command)
        log = b""
        while b"epoch   1/4" not in log:
            line = process.stderr.readline()
            self.assertTrue(line, log)
            log += line
        self.put(self.b)
        self.is_noticed(tool, command, process, log)

    def test_data_set_replaced_between_digest_and_read_of_train_sweep(self):
        self.as_it_starts("train_sweep", "--batch_size=20", first_argument="--internal_point", processes=1)

    def test_data_set_replaced_between_digest_and_read_of_scale_run_ranks_1(self):
        self.as_it_starts("scale_run", "--batch_size=20", "--ranks=1", first_argument="--rank=", processes=1)

    def test_data_set_replaced_between_digest_and_read_of_scale_run_ranks_2(self):
        self.as_it_starts("scale_run", "--batch_size=20", "--ranks=2", "--noablation", first_argument="--rank=",
                          processes=2)

    def test_data_set_replaced_between_two_points_of_train_sweep(self):
        self.between_points("train_sweep")

    def test_data_set_replaced_between_two_points_of_scale_run_ranks_1(self):
        self.between_points("scale_run", "--ranks=1")


if __name__ == "__main__":
    run_tests(__doc__)
