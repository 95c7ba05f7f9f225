"""Tests benchmarks/headline.py and networks.py with stand-ins for the programs that need a GPU: turns, limits, files,
exit codes.

Run by bazel (tests/BUILD), or directly: python3 tests/headline_test.py --script benchmarks/headline.py
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest
from script_case import KEPT, ScriptCase


class HeadlineTest(ScriptCase):

    def run_script(self, *flags, **how):
        return super().run_script(f"--dataset={self.folder / 'dataset.rec'}", *flags, **how)

    def test_programs_take_turns_and_the_order_is_rotated(self):
        done = self.run_script("--turns=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = ["1 ours", "1 graph", "1 compile_graph", "1 scan"]
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

    def test_baselines_are_taken_by_name(self):
        done = self.run_script("--turns=1", "--baselines", "scan_augmented", "compile_graph_max", "--batch", "64", "16")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.order(done.stdout), ["1 ours", "1 scan_augmented", "1 compile_graph_max"])
        ours, by_jax, by_pytorch = self.calls("")
        self.assertIn("--batch_size=64,16 ", ours)
        self.assertIn("resnet18_jax.py --gpus=1 --check=false --batch 64 16 ", by_jax)
        self.assertIn("--dataset=dataset.rec", by_jax)
        self.assertIn("resnet18_pytorch.py --kind=compile_graph_max --batch 64 16 ", by_pytorch)
        self.assertNotIn("--dataset", by_pytorch)

    def test_an_unknown_baseline_is_refused(self):
        done = self.run_script("--baselines", "grpah")
        self.assertEqual(done.returncode, 2)
        self.assertIn("invalid choice: 'grpah'", done.stderr)

    def test_the_table_has_the_ratio_to_the_best_baseline(self):
        def line(case, seconds):
            return json.dumps({"case": case, "gpus": 1, "batch": 512, "seconds": seconds})

        lines = [line("graph", [2.0, 3.0, 4.0]), line("compile_graph", [0.75, 1.0, 1.25]),
                 line("scan, augmented", [0.625]),
                 json.dumps({"case": "graph", "gpus": 2, "batch": 512, "seconds": [0.1]})]
        self.run_script("--turns=1", baseline="case \"$*\" in *kind=graph*) cat >>baselines.jsonl <<'END'\n"
                                              + "\n".join(lines) + "\nEND\nesac")
        table = (self.folder / "out" / "tables.md").read_text().splitlines()
        self.assertEqual(table, [
            "| s per 50,000 images, batch per GPU, 1 GPU | 512 | 128 | 32 |", "|---|---|---|---|",
            "| ours | 0.500 (0.400 to 0.750) | - | - |",
            "| PyTorch, the step in a CUDA graph | 3.00 (2.00 to 4.00) | - | - |",
            "| PyTorch, compiled, in a CUDA graph | 1.00 (0.750 to 1.25) | - | - |",
            "| JAX, an epoch in one program, augmented images | 0.625 | - | - |",
            "| best baseline / ours | 1.25 | - | - |"])

    def test_clocks_and_power_are_those_of_the_busy_gpu(self):
        readings = [
            "0, 5, 345, 3201, 80.0, 30, 0x0000000000000001", "0, 100, 1980, 3201, 600.0, 50, 0x0000000000000000",
            "0, 99, 1900, 3201, 700.0, 60, 0x0000000000000004", "0, 98, 1940, 3201, 650.0, 55, 0x0000000000000004",
            "0, 100, [N/A], 3201, 1000.0, 50, 0x0", "0, 100, 19"]
        self.write("bin/nvidia-smi",
                   "case $* in *loop*) cat <<'END'\n" + "\n".join(readings) + "\nEND\nexec sleep 60;; esac")
        self.write("package/train_sweep", "sleep 2")
        done = self.run_script("--turns=1", "--baselines")
        self.assertEqual(done.returncode, 0, done.stderr)
        line = json.loads((self.folder / "out" / "gpu.jsonl").read_text())
        self.assertEqual((line["program"], line["gpus"]), ("1 ours", [{
            "gpu": 0, "readings": 3, "sm_clock_mhz": 1940, "min_sm_clock_mhz": 1900, "memory_clock_mhz": 3201,
            "power_watts": 650, "max_power_watts": 700, "max_temperature_celsius": 60,
            "throttled_readings": {"0x4": 2}}]))
        self.assertIn("| 1 ours | 0 | 3 | 1940 (1900) | 3201 | 650 (700) | 60 | 0x4: 2 |", done.stdout)

    def test_without_a_reading_the_reason_is_kept(self):
        self.run_script("--turns=1", "--baselines")
        line = json.loads((self.folder / "out" / "gpu.jsonl").read_text())
        self.assertEqual(line["absent_reason"], "nvidia-smi: no reading of a busy GPU")

    def test_a_record_is_kept_without_loaded_files(self):
        self.run_script("--turns=1", "--gpus", "1", "2")
        for name in ("sweep_1", "scale_1"):
            file = json.loads((self.folder / "out" / f"{name}.rec").read_text())
            self.assertEqual(file, KEPT)
            self.assertFalse((self.folder / "out" / f"{name}.json").exists())

    def test_a_program_that_fails_is_reported_and_the_others_run(self):
        done = self.run_script("--turns=1", baseline='case "$*" in *jax*) exit 3;; esac')
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 scan: exit 3, ", done.stdout)
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
        self.assertIn("1 scan: left out, 0 s are left", done.stdout)
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
        self.assertEqual((len(ours), len(theirs)), (9, 9))
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
        self.assertEqual(len(self.calls("train_sweep")), 6)
        made = [call.split()[-2:] for call in self.calls("cifar_prep")]
        self.assertEqual(made, [["--classes=10", "--output=dataset_10.rec"]])

    def test_each_record_is_kept_without_loaded_files(self):
        self.run_script("--cases", "resnet34_100", "--dataset_100=hundred.rec")
        for turn in (1, 2):
            file = json.loads((self.folder / "out" / f"resnet34_100_{turn}.rec").read_text())
            self.assertEqual(file, KEPT)

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
        self.assertEqual(len(self.order(done.stdout)), 2 + 18)  # two data sets

    def test_a_dry_run_prints_the_commands_and_runs_nothing(self):
        done = self.run_script("--dry_run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2 + 18)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    bazel_unittest.main_of(ScriptCase, files=["script"])
