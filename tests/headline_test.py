"""Tests benchmarks/headline.py with stand-ins for the programs that need a GPU: turns, limits, files, exit codes.

Run by bazel (tests/BUILD), or directly: python3 tests/headline_test.py --script benchmarks/headline.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

CONVERT = """for flag; do case $flag in --convert=*) from=${flag#*=};; --output=*) to=${flag#*=};; esac; done
case $to in *.json) echo '%s' >"$to";; *) cp "$from" "$to";; esac"""
RECORD = {"record": [{"header": {"schema": "x", "loaded_file": [{"path": "libtorch.so"}]}}, {"point": {"batch_size": 512}}], "crc32": [1, 2]}


class HeadlineTest(unittest.TestCase):
    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("package/report", CONVERT % json.dumps(RECORD))
        for tool in ("train_sweep", "scale_run"):
            self.write(f"package/{tool}", "echo trained")
        (self.folder / "dataset.rec").write_text("")
        # The Python that runs the script also runs the baselines: this one stands in for it.
        self.write("python", 'case "$*" in *headline.py*) exec "$REAL_PYTHON" "$@";; esac; echo "$@" >>calls; eval "$BASELINE"')

    def write(self, name, script):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_script(self, *flags, baseline=":"):
        code = f"import sys, runpy; sys.executable = {str(self.folder / 'python')!r}; sys.argv = sys.argv[1:]; " \
               "runpy.run_path(sys.argv[0], run_name='__main__')"
        command = [sys.executable, "-c", code, str(self.script), f"--package={self.folder / 'package'}",
                   f"--dataset={self.folder / 'dataset.rec'}", f"--output={self.folder / 'out'}", f"--cache={self.folder / 'cache'}", *flags]
        environment = dict(os.environ, REAL_PYTHON=sys.executable, BASELINE=baseline)
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder)

    def order(self, log):
        return [line.partition(":")[0] for line in log.splitlines() if ": exit" in line]

    def test_programs_take_turns_and_the_order_is_rotated(self):
        done = self.run_script("--turns=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ["1 ours", "1 PyTorch, graph", "1 PyTorch, compile + graph", "1 JAX, scan"]
        self.assertEqual(self.order(done.stdout), names + names[1:] + names[:1])

    def test_each_baseline_runs_at_each_batch_on_as_many_gpus(self):
        done = self.run_script("--turns=1", "--gpus", "1", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = (self.folder / "out" / "calls").read_text().splitlines()
        self.assertEqual(len(calls), 6)
        for call in calls:
            self.assertIn("--batch 512 128 32 ", call)
            self.assertIn("--output=baselines.jsonl", call)
        self.assertEqual(sum("--nproc-per-node=2" in call or "--gpus=2" in call for call in calls), 3)

    def test_a_record_is_kept_without_loaded_files(self):
        self.run_script("--turns=1", "--gpus", "1", "2")
        for name in ("sweep_1", "scale_1"):
            file = json.loads((self.folder / "out" / f"{name}.rec").read_text())
            self.assertEqual(file, {"record": [{"header": {"schema": "x"}}, {"point": {"batch_size": 512}}]})
            self.assertFalse((self.folder / "out" / f"{name}.json").exists())

    def test_a_program_that_fails_is_reported_and_the_others_run(self):
        done = self.run_script("--turns=1", baseline='case "$*" in *jax*) exit 3;; esac')
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 JAX, scan: exit 3, ", done.stdout)
        self.assertEqual(len(self.order(done.stdout)), 4)

    def test_a_program_that_would_not_end_in_time_is_left_out(self):
        done = self.run_script("--turns=2", "--seconds=5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.order(done.stdout), [])  # an unknown program counts as ten seconds
        self.assertIn("1 ours: left out, 5 s are left", done.stdout)

    def test_a_program_is_stopped_at_the_limit(self):
        done = self.run_script("--turns=1", "--seconds=12", baseline="sleep 61 & echo $! >pid; wait")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stopped by the limit of --seconds", done.stdout)
        self.assertIn("1 JAX, scan: left out, 0 s are left", done.stdout)
        child = (self.folder / "out" / "pid").read_text().strip()
        state = pathlib.Path(f"/proc/{child}/stat")
        self.assertTrue(not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z", "what it started is left")


if __name__ == "__main__":
    bazel_unittest.main_of(HeadlineTest, files=["script"])
