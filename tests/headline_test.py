"""Tests benchmarks/headline.py and networks.py with stand-ins for the programs that need a GPU: turns, limits, files,
exit codes.

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


class ScriptCase(unittest.TestCase):
    script = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("package/report", CONVERT % json.dumps(RECORD))
        for tool in ("cifar_prep", "comm_model", "train_sweep", "scale_run"):
            self.write(f"package/{tool}", f'echo {tool} "$@" >>calls')
        (self.folder / "dataset.rec").write_text("")
        # The Python that runs the script also runs the baselines: this one stands in for it.
        self.write("python", 'echo "$@" >>calls; eval "$BASELINE"')

    def write(self, name, script):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_script(self, *flags, script=None, baseline=":"):
        code = f"import sys, runpy; sys.executable = {str(self.folder / 'python')!r}; sys.argv = sys.argv[1:]; " \
               "runpy.run_path(sys.argv[0], run_name='__main__')"
        command = [sys.executable, "-c", code, str(script or self.script), f"--package={self.folder / 'package'}",
                   f"--output={self.folder / 'out'}", f"--cache={self.folder / 'cache'}", *flags]
        environment = dict(os.environ, BASELINE=baseline)
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder)

    def order(self, log):
        return [line.partition(":")[0] for line in log.splitlines() if ": exit" in line]

    def calls(self, program):
        """Returns the command lines of a tool, or of a baseline's script."""
        return [line for line in (self.folder / "out" / "calls").read_text().splitlines() if program in line.split()[0]]


class HeadlineTest(ScriptCase):

    def run_script(self, *flags, **how):
        return super().run_script(f"--dataset={self.folder / 'dataset.rec'}", *flags, **how)

    def test_programs_take_turns_and_the_order_is_rotated(self):
        done = self.run_script("--turns=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ["1 ours", "1 PyTorch, graph", "1 PyTorch, compile + graph", "1 JAX, scan"]
        self.assertEqual(self.order(done.stdout), names + names[1:] + names[:1])

    def test_each_baseline_runs_at_each_batch_on_as_many_gpus(self):
        done = self.run_script("--turns=1", "--gpus", "1", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [call for call in self.calls("") if "baselines.jsonl" in call]
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


class NetworksTest(ScriptCase):

    def run_script(self, *flags, **how):
        return super().run_script(*flags, script=self.script.with_name("networks.py"), **how)

    def test_ours_and_the_baseline_take_turns_case_by_case(self):
        done = self.run_script("--cases", "lenet5", "resnet18_100", "--dataset_10=ten.rec", "--dataset_100=hundred.rec")
        self.assertEqual(done.returncode, 0, done.stderr)
        ours, theirs = [[f"{name}, {side}" for name in ("resnet18_100", "lenet5")] for side in ("ours", "PyTorch")]
        self.assertEqual(self.order(done.stdout), [ours[0], theirs[0], ours[1], theirs[1],
                                                   theirs[0], ours[0], theirs[1], ours[1]])

    def test_both_sides_train_the_same_network(self):
        done = self.run_script("--turns=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        ours, theirs = self.calls("train_sweep"), self.calls("networks_pytorch.py")
        self.assertEqual((len(ours), len(theirs)), (8, 8))
        for one, other in zip(ours, theirs):
            model, classes = one.partition("--model=")[2].split()[0], one.partition("dataset_")[2].partition(".rec")[0]
            self.assertIn(f"--model {model} --classes={classes} --kind graph compile_graph --batch 512 128 ", other)
            self.assertIn(" --batch_size=512,128 ", one)
            self.assertIn(" --preset=fast ", one)

    def test_on_two_gpus_a_prediction_comes_before_its_run(self):
        done = self.run_script("--gpus=2", "--cases", "lenet5", "mlp_1024x3")
        self.assertEqual(done.returncode, 0, done.stderr)
        order = [f"{name}, {step}" for name in ("lenet5", "mlp_1024x3") for step in ("two", "prediction", "128", "score")]
        self.assertEqual(self.order(done.stdout)[1:], order)
        self.assertEqual(self.calls("networks_pytorch.py"), [])
        runs = self.calls("scale_run")
        self.assertEqual(["--prediction=" in run for run in runs], [False, True, False, True])
        self.assertEqual({run.partition("--model=")[2].split()[0] for run in runs}, {"lenet5", "mlp:1024x3"})

    def test_a_group_of_cases_has_the_data_sets_that_it_needs(self):
        self.run_script("--turns=1", "--cases", "autograd")
        self.assertEqual(len(self.calls("train_sweep")), 5)
        made = [call.split()[-2:] for call in self.calls("cifar_prep")]
        self.assertEqual(made, [["--classes=10", "--output=dataset_10.rec"]])

    def test_each_record_is_kept_without_loaded_files(self):
        self.run_script("--cases", "resnet34_100", "--dataset_100=hundred.rec")
        for turn in (1, 2):
            file = json.loads((self.folder / "out" / f"resnet34_100_{turn}.rec").read_text())
            self.assertEqual(file, {"record": [{"header": {"schema": "x"}}, {"point": {"batch_size": 512}}]})

    def test_without_a_data_set_nothing_is_measured(self):
        self.write("package/cifar_prep", "exit 3")
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("data set of 10 classes: not made", done.stderr)
        self.assertFalse((self.folder / "out" / "calls").exists())

    def test_a_case_that_fails_is_reported_and_the_others_run(self):
        done = self.run_script("--turns=1", baseline='case "$*" in *vit_tiny*) exit 3;; esac')
        self.assertEqual(done.returncode, 1)
        self.assertIn("vit_tiny, PyTorch: exit 3, ", done.stdout)
        self.assertEqual(len(self.order(done.stdout)), 2 + 16)  # two data sets

    def test_a_dry_run_prints_the_commands_and_runs_nothing(self):
        done = self.run_script("--dry_run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2 + 16)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    bazel_unittest.main_of(ScriptCase, files=["script"])
