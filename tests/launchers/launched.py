"""Common parts of the tests of scale_run under a launcher: starts processes like a launcher, compares records."""

import atexit
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import marked_processes
import run_fields
import tool_case


def launch_variables(name):
    """Returns true if a launcher, or a Python that has torch, may have set the variable: a test starts without it."""
    return name in ("LOCKSTEP_TOKEN", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT") or \
        name.startswith(("OMPI_", "PMI", "SLURM_", "TORCHELASTIC_"))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def result_of(node):
    """Returns a record, as printed in JSON, without the values that differ between two runs of one command."""
    if isinstance(node, dict):
        return {key: result_of(value) for key, value in node.items()
                if not run_fields.tells_runs_apart(key)}
    return [result_of(value) for value in node] if isinstance(node, list) else node


class LaunchedCase(tool_case.ToolCase):
    timeout_seconds = 20  # seconds of --timeout of these tests' runs
    reads_sweep = False
    has_token = True  # LOCKSTEP_TOKEN is set; torchrun needs none
    table = []  # a line for each case that was run

    def add_measured(self, what):
        """Adds a measured value to the case's line of the table."""
        self.measured.append(what)

    @classmethod
    def setUpClass(cls):
        for name in list(filter(launch_variables, os.environ)):
            del os.environ[name]
        if cls.has_token:
            os.environ["LOCKSTEP_TOKEN"] = secrets.token_hex(32)
        if not os.environ.get("HOME"):  # Bazel 7 gives tests none, and Open MPI does not start without
            os.environ["HOME"] = tempfile.gettempdir()
        os.environ["OMP_NUM_THREADS"] = "1"  # like torchrun for several ranks; otherwise the environments would differ
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.measured, begin = [], time.monotonic()
        self.addCleanup(lambda: self.table.append(
            f"{type(self).__name__:14} {self._testMethodName[5:].replace('_', ' '):55} {time.monotonic() - begin:6.1f} s  "
            f"{'; '.join(self.measured)}".rstrip()))
        self.mark = f"{os.getpid()}-{self.id()}"
        os.environ[marked_processes.VARIABLE] = self.mark
        self.addCleanup(lambda: self.assertEqual(marked_processes.end_orphans(self.mark), 0, "processes were left"))

    @property
    def scale_run(self):
        return str(self.tools / "scale_run")

    def flags(self, *more, output="out.rec"):
        return [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=10", "--repeats=2",
                "--threads=1", f"--timeout={self.timeout_seconds}s", f"--output={self.folder / output}", *more]

    def by_hand(self, rank, size, port, *flags, program=None, **variables):
        """Starts one process of a world, with the variables that torchrun and people set."""
        environment = {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
                       "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), **variables}
        return self.spawn([program or self.scale_run, *flags], **environment)

    def spawn(self, command, **variables):
        process = subprocess.Popen(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def world(self, size, *flags, **variables):
        port = free_port()
        return [self.by_hand(rank, size, port, *flags, **variables) for rank in range(size)]

    def ends(self, processes, seconds=240):
        """Returns exit codes and the stderr of each process, once all are gone; fails after `seconds`."""
        deadline = time.monotonic() + seconds
        logs = []
        for process in processes:
            try:
                logs.append(process.communicate(timeout=max(0.1, deadline - time.monotonic()))[1])
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                self.fail(f"still there after {seconds} s: {process.communicate()}")
        return [process.returncode for process in processes], logs

    def wait_for(self, condition, what, seconds=240, every=0.1):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"{what}: not within {seconds} s")
            time.sleep(every)

    def wait_for_point(self, count=1, output="out.rec"):
        """Waits until `count` points are in the journal, and the next point's ranks run."""
        journal = self.folder / f"{output}.part"
        points = lambda: self.record(journal).count('"global_batch"') if journal.exists() else 0
        self.wait_for(lambda: points() >= count, f"{count} points in {journal.name}")
        self.wait_for(lambda: marked_processes.marked_processes(self.mark, "--rank=1"), "a rank 1")

    def record(self, path):
        """Returns a record or a journal as `report --print` prints it in JSON."""
        return self.call("report", f"--print={path}", "--format=json").stdout.decode()

    def same_records(self, first, second):
        first, second = (json.loads(self.record(self.folder / name)) for name in (first, second))
        self.assertEqual(json.dumps(result_of(first), indent=1), json.dumps(result_of(second), indent=1))

    def errors(self, logs):
        return [line for log in logs for line in log.splitlines() if "error:" in line]


atexit.register(lambda: print("\n" + "\n".join(LaunchedCase.table)))
