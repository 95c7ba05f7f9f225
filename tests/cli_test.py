"""Tests the command-line contract of the six tools: one clear line, the documented exit code, no partial file.

Starts the real tools like a user. Run by bazel (tests/BUILD), or directly:
    python3 tests/cli_test.py --tools bazel-bin/tools --published data/published
"""

import csv
import hashlib
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest
import xml.etree.ElementTree

from record_bytes import first_frames
from tool_case import TOOLS, ToolCase, run_tests

NO_GPU = not os.path.exists("/dev/nvidiactl")

# Bytes of one image in CIFAR-10's binary layout.
RECORD = 3073


def binary_folder(path, train=40, test=20, label=None):
    """Makes a realistic subset: five training files and a test file of 1 + 3072 bytes per image."""
    path.mkdir()
    for name, count in [(f"data_batch_{i}.bin", train // 5) for i in range(1, 6)] + [("test_batch.bin", test)]:
        data = bytearray()
        for i in range(count):
            data += bytes([i % 10 if label is None else label]) + bytes((i * 7 + j) % 256 for j in range(3072))
        (path / name).write_bytes(data)
    (path / "batches.meta.txt").write_text(
        "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n")
    return path


class CliTest(ToolCase):
    # --- what all tools share ---

    def test_help_exits_0_with_an_example(self):
        for tool in TOOLS:
            result = self.call(tool, "--help")
            self.assertEqual(result.returncode, 0, tool)
            self.assertIn("Examples:", result.stdout.decode())
            self.assertIn("--output", result.stdout.decode(), tool)

    def test_version(self):
        for tool in TOOLS:
            self.assertRegex(self.call(tool, "--version").stdout.decode(), rf"^{tool} \(Lockstep\) \d+\.\d+\.\d+(-dev)?\n$")

    def test_an_unknown_flag(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                self.refused(2, tool, "--no_such_flag=1", message="--no_such_flag")

    def test_an_old_flag(self):
        for tool, flag, message in (("train_sweep", "--graph", "--graph; it is named --cuda_graph now"),
                                    ("train_sweep", "--nograph", "--nograph; --graph is named --cuda_graph now"),
                                    ("scale_run", "--workers=1", "--workers; it is named --loader_workers now"),
                                    ("comm_model", "--link_gigabytes_per_second=1",
                                     "it is named --nominal_link_gigabytes_per_second now")):
            with self.subTest(tool=tool, flag=flag):
                self.refused(2, tool, flag, message=["unknown flag --", message])

    def test_an_argument_that_is_no_flag(self):
        for tool in TOOLS:
            for arguments in (("a.rec",), ("-",), ("--", "--help_me")):
                with self.subTest(tool=tool, arguments=arguments):
                    if tool != "report":  # whose arguments are inputs
                        self.refused(2, tool, *arguments, message=f"unexpected argument {arguments[-1]}")
        self.refused(3, "report", "no_such.rec", message="no_such.rec: cannot open")
        self.refused(3, "report", "no_such_*.rec", message="no_such_*.rec: no file matches this pattern")
        self.refused(3, "report", f"--output={self.folder / 'out.html'}", "--", "--help_me",
                     message="--help_me: cannot open")
        self.refused(2, "report", "--print=a.rec", "b.rec", message="unexpected argument b.rec with --print")

    def test_a_value_that_does_not_parse(self):
        self.refused(2, "train_sweep", f"--input={self.dataset}", "--repeats=many", message="--repeats=many")

    def test_cifar_prep_without_arguments_explains_itself(self):
        result = self.call("cifar_prep")
        self.assertEqual(result.returncode, 2)
        for text in ("--input=cifar-10-binary.tar.gz", "https://www.cs.toronto.edu/~kriz/cifar.html",
                     "--input_format=synthetic"):
            self.assertIn(text, result.stderr.decode())

    def test_the_defaults_of_experiments_and_of_calibration_work_on_a_small_set(self):
        small, checkpoint = self.folder / "small.rec", self.folder / "small.pt"
        self.call("cifar_prep", "--train_images=256", "--test_images=32", f"--output={small}", check=True)
        for experiment in ("sampler_epoch", "what_is_sent"):
            with self.subTest(experiment=experiment):
                planned = self.call("scale_run", f"--input={small}", "--device=cpu", f"--experiment={experiment}",
                                    "--dry_run", check=True).stderr.decode()
                self.assertIn("2 ranks, batch 64", planned)
        planned = self.call("scale_run", f"--input={small}", "--device=cpu", "--dry_run", check=True).stderr.decode()
        self.assertIn("left out: --batch_size=512 of the default: 256 training images", planned)
        self.assertIn("2 ranks, batch 128", planned)
        self.call("train_sweep", f"--input={small}", "--device=cpu", "--model=lenet5", "--batch_size=32", "--epochs=1",
                  f"--checkpoint={checkpoint}", f"--output={self.folder / 'small_sweep.rec'}", check=True)
        quantized = self.call("quantize", f"--input={small}", f"--checkpoint={checkpoint}", "--device=cpu",
                              f"--output={self.folder / 'small_quantized.rec'}", check=True)
        self.assertIn("calibrates with 256 images, not the default of 400", quantized.stderr.decode())

    def test_comm_model_joins_runs_of_one_machine(self):
        run = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=10", "--epochs=2",
               "--threads=1"]
        two, four, other = (self.folder / name for name in ("two.rec", "four.rec", "other.rec"))
        self.call("scale_run", *run, "--ranks=1,2", f"--output={two}", check=True)
        self.call("scale_run", *run, "--ranks=1,4", f"--output={four}", check=True)
        self.call("scale_run", *run, "--ranks=4", "--learning_rate=0.5", f"--output={other}", check=True)
        joined = self.call("comm_model", f"--input={two},{four}", f"--output={self.folder / 'joined.rec'}",
                           "--format=csv", check=True)
        self.assertIn(f"1 rank, batch 10 per device, plain: epochs of {two} and {four}", joined.stderr.decode())
        rows = csv.DictReader(joined.stdout.decode().splitlines())
        self.assertEqual({row["devices"] for row in rows if row["record"] == "scaling"}, {"1", "2", "4"})
        self.refused(3, "comm_model", f"--input={two},{other}",
                     message=["other.rec: expected a run that can be joined with", "learning_rate 0.5 instead of "])

    def test_a_sweep_grows_by_the_new_points_only(self):
        for tool, more in (("train_sweep", []), ("scale_run", ["--ranks=1", "--threads=1"])):
            with self.subTest(tool=tool):
                output = self.folder / f"grown_{tool}.rec"
                command = [tool, f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--repeats=2", *more,
                           f"--output={output}"]
                points = lambda: [record["point"] for record in json.loads(self.call(
                    "report", f"--print={output}", "--format=json", check=True).stdout)["record"] if "point" in record]
                self.call(*command, "--batch_size=20", check=True)
                before = points()
                grown = self.call(*command, "--batch_size=20,40", check=True).stderr.decode()
                self.assertIn("only the other points are measured", grown)
                self.assertEqual(grown.count("(kept from the run of "), len(before), grown)
                after = points()
                self.assertEqual(len(after), 2 * len(before))
                for point in before:
                    kept = [other for other in after
                            if {**other, "earlier_run": None} == {**point, "earlier_run": None}]
                    self.assertEqual(len(kept), 1, point)
                    self.assertTrue(kept[0].get("earlier_run"), kept[0])
                self.assertIn("cached", self.call(*command, "--batch_size=20,40", check=True).stderr.decode())
                self.refused(2, *command, "--batch_size=20", message="holds another result (--batch_size: 20,40 -> 20)")

    def test_a_speedup_between_two_runs_is_doubted(self):
        """The second command keeps the point of one rank; the start of a run is known to the second."""
        output, model, page = (self.folder / name for name in ("grown.rec", "model.rec", "page.html"))
        command = ["scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20",
                   "--repeats=2", "--threads=1"]
        grown = [*command, f"--output={output}"]
        doubt = "the times of 1 and 2 ranks were measured in different runs (begun at "
        self.assertNotIn(doubt, self.call(*grown, "--ranks=1", check=True).stderr.decode())
        time.sleep(1)
        self.assertIn(f"scale_run: warning: {doubt}", self.call(*grown, "--ranks=1,2", check=True).stderr.decode())
        explained = self.call("comm_model", f"--input={output}", f"--output={model}", check=True).stderr.decode()
        self.assertIn(f"% of ideal), but {doubt}", explained)
        table = self.call("comm_model", f"--input={output}", f"--output={model}", "--format=text", check=True)
        self.assertIn(f"2 x 20: {doubt}", table.stdout.decode())
        self.call("report", output, model, f"--output={page}", check=True)
        self.assertIn(f"In model.rec {doubt}", page.with_suffix(".md").read_text())
        whole = self.folder / "whole.rec"
        self.assertNotIn(doubt, self.call(*command, "--ranks=1,2", f"--output={whole}", check=True).stderr.decode())

    def test_a_journal_without_finished_work_blocks_no_command(self):
        output = self.folder / "blocked.rec"
        part = self.folder / "blocked.rec.part"
        header = first_frames(self.sweep.read_bytes(), 1)
        common = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=40", "--epochs=1",
                  f"--output={output}"]
        for left in (b"", header[:len(header) // 2], header):
            with self.subTest(bytes=len(left)):
                output.unlink(missing_ok=True)
                part.write_bytes(left)
                self.call("train_sweep", *common, check=True)
                self.assertFalse(part.exists())
        point = first_frames(self.sweep.read_bytes(), 3)  # header, spec, point
        output.unlink()
        part.write_bytes(point)
        self.refused(2, "train_sweep", *common,
                     message=["blocked.rec.part is from an unfinished run of another command", "--force"])
        self.assertEqual(part.read_bytes(), point)

    def test_a_missing_flag(self):
        for tool in TOOLS[1:]:
            with self.subTest(tool=tool):
                self.refused(2, tool, message="--input")

    def test_a_missing_file(self):
        for tool in TOOLS[1:]:
            with self.subTest(tool=tool):
                extra = [f"--checkpoint={self.checkpoint}"] if tool == "quantize" else []
                self.refused(3, tool, "--input=/no/such.rec", *extra, message="/no/such.rec")

    def test_an_output_in_a_folder_that_is_not_there(self):
        self.refused(2, "cifar_prep", "--train_images=10", "--test_images=10", "--output=/no/such/folder/x.rec",
                     message="/no/such/folder")

    # --- broken records ---

    def inputs_of(self, tool, record):
        return [f"--input={record}"] + ([f"--checkpoint={self.checkpoint}"] if tool == "quantize" else [])

    def test_a_file_cut_in_the_middle(self):
        whole = self.dataset.read_bytes()
        cut = self.folder / "cut.rec"
        cut.write_bytes(whole[:len(whole) // 2])
        for tool in ("train_sweep", "scale_run", "quantize", "report"):
            with self.subTest(tool=tool):
                self.refused(3, tool, *self.inputs_of(tool, cut), message=["cut.rec", "cut off at byte"])

    def test_a_flipped_bit(self):
        flipped = bytearray(self.dataset.read_bytes())
        flipped[len(flipped) // 2] ^= 4
        path = self.folder / "flipped.rec"
        path.write_bytes(flipped)
        for tool in ("train_sweep", "scale_run", "quantize", "report"):
            with self.subTest(tool=tool):
                self.refused(3, tool, *self.inputs_of(tool, path), message=["flipped.rec", "checksum", "byte"])

    def test_a_record_of_another_tool(self):
        for tool, record in [("train_sweep", self.sweep), ("scale_run", self.sweep), ("comm_model", self.dataset),
                             ("quantize", self.sweep)]:
            with self.subTest(tool=tool):
                self.refused(3, tool, *self.inputs_of(tool, record), message=["is a record of"])

    def test_a_file_that_is_no_record(self):
        path = self.folder / "text"
        path.write_text("hello\n")
        self.refused(3, "report", f"--input={path}", message="not a Lockstep record file")

    def test_print_of_a_cut_off_record_keeps_what_is_whole(self):
        cut = self.folder / "cut.rec"
        cut.write_bytes(self.sweep.read_bytes()[:-20])
        result = self.call("report", f"--print={cut}")
        self.assertEqual(result.returncode, 3)
        self.assertIn("batch_size: 20", result.stdout.decode())
        self.assertIn("cut off", result.stderr.decode())

    def test_a_reader_of_a_print_that_has_seen_enough(self):
        result = subprocess.run(["sh", "-c", f"'{self.tools / 'report'}' --print='{self.dataset}' --print_bytes | head -1"],
                                capture_output=True, timeout=60)
        self.assertEqual(result.stdout.decode(), "record {\n")
        self.assertRegex(result.stderr.decode(), r"^report: error: .*Broken pipe.*\n$")

    def test_print_of_a_cut_off_record_as_json(self):
        cut = self.folder / "cut.rec"
        cut.write_bytes(self.sweep.read_bytes()[:-20])
        result = self.call("report", f"--print={cut}", "--format=json")
        self.assertEqual(result.returncode, 3)
        printed = json.loads(result.stdout)
        whole = len(printed["record"])
        self.assertEqual(len(printed["crc32"]), whole)
        self.assertIn(f"; {whole} whole records before it", result.stderr.decode())
        self.assertEqual(result.stderr.decode().count("\n"), 1)

    # --- outputs that cannot be written ---

    def to(self, stdout, tool, *arguments):
        """Runs the tool with `stdout` as its standard output."""
        return subprocess.run([str(self.tools / tool), *map(str, arguments)], stdout=stdout, stderr=subprocess.PIPE,
                              timeout=240)

    SMALL = ["--input_format=synthetic", "--train_images=40", "--test_images=20", "--output=-"]

    def writers_to_stdout(self):
        return [("cifar_prep", self.SMALL),
                ("train_sweep", [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                                 "--output=-"]),
                ("comm_model", [f"--audit={self.published / 'hand_in_001.textproto'}", "--output=-"]),
                ("report", [f"--input={self.sweep}", "--format=markdown", "--output=-"]),
                ("report", [f"--print={self.sweep}"]),
                ("report", [f"--print={self.sweep}", "--format=json"])]

    def test_a_full_disk_is_no_fault_of_ours(self):
        for tool, arguments in self.writers_to_stdout():
            with self.subTest(tool=tool, arguments=arguments), open("/dev/full", "wb") as full:
                result = self.to(full, tool, *arguments)
                errors = [line for line in result.stderr.decode().splitlines() if "error: " in line]
                self.assertEqual(result.returncode, 5, result.stderr.decode())
                self.assertEqual(len(errors), 1)
                self.assertIn("No space left on device; free some space", errors[0])

    def test_a_limit_on_the_size_of_files(self):
        output = self.folder / "big.rec"
        result = subprocess.run(["sh", "-c", f"ulimit -f 8; '{self.tools / 'cifar_prep'}' --input_format=synthetic "
                                 f"--train_images=40 --test_images=20 --output='{output}'"],
                                capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 5, result.stderr.decode())
        self.assertIn("after 4096 bytes: File too large", result.stderr.decode())
        self.assertFalse(output.exists())
        self.assertFalse((self.folder / "big.rec.part").exists())

    def test_a_reader_that_is_gone(self):
        for tool, arguments in self.writers_to_stdout():
            with self.subTest(tool=tool, arguments=arguments):
                read_end, write_end = os.pipe()
                os.close(read_end)
                with os.fdopen(write_end, "wb") as pipe:
                    result = self.to(pipe, tool, *arguments)
                self.assertEqual(result.returncode, 5, result.stderr.decode())
                self.assertIn("Broken pipe", result.stderr.decode())

    # --- cifar_prep ---

    def test_a_label_of_10(self):
        folder = binary_folder(self.folder / "cifar", label=10)
        self.refused(3, "cifar_prep", f"--input={folder}", "--allow_partial", message=["data_batch_1.bin", "10"])

    def test_an_image_file_cut_in_the_middle(self):
        folder = binary_folder(self.folder / "cifar")
        path = folder / "data_batch_3.bin"
        path.write_bytes(path.read_bytes()[:-100])
        self.refused(3, "cifar_prep", f"--input={folder}", "--allow_partial", message="data_batch_3.bin")

    def test_a_subset_wants_to_be_allowed(self):
        folder = binary_folder(self.folder / "cifar")
        self.refused(3, "cifar_prep", f"--input={folder}", message="--allow_partial")
        self.assertEqual(self.call("cifar_prep", f"--input={folder}", "--allow_partial",
                                   f"--output={self.folder / 'ok.rec'}").returncode, 0)

    def test_an_image_file_that_is_missing(self):
        folder = binary_folder(self.folder / "cifar")
        (folder / "test_batch.bin").unlink()
        self.refused(3, "cifar_prep", f"--input={folder}", "--allow_partial", message="test_batch.bin")

    # --- devices and ranks ---

    def test_a_batch_larger_than_the_data_set(self):
        self.refused(2, "train_sweep", f"--input={self.dataset}", "--model=lenet5", "--batch_size=1000",
                     message=["1000", "80"])
        self.refused(2, "scale_run", f"--input={self.dataset}", "--model=lenet5", "--ranks=1,2", "--batch_size=1000",
                     message="1000")

    def test_a_model_that_is_not_known(self):
        self.refused(2, "train_sweep", f"--input={self.dataset}", "--model=resnet99", message="resnet99")

    @unittest.skipUnless(NO_GPU, "this machine has a GPU")
    def test_a_device_that_is_not_there(self):
        self.refused(5, "train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cuda", message="cuda")
        self.refused(5, "scale_run", f"--input={self.dataset}", "--model=lenet5", "--ranks=1,2", "--device=cuda",
                     "--batch_size=10", message="cuda")

    def test_a_device_that_is_no_device(self):
        self.refused(2, "train_sweep", f"--input={self.dataset}", "--device=tpu", message="tpu")

    def test_a_rank_that_dies_at_start(self):
        self.refused(5, "scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=2",
                     "--batch_size=10", "--repeats=1", message="rank 1", env={"LOCKSTEP_TEST_DIE_AT": "1:0"})

    def test_a_rank_that_dies_in_the_middle(self):
        self.refused(5, "scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=2",
                     "--batch_size=10", "--repeats=1", message="rank 1", env={"LOCKSTEP_TEST_DIE_AT": "1:3"})

    # --- stopping, pipes, caching ---

    def test_ctrl_c_exits_130_and_leaves_no_half_file(self):
        output = self.folder / "stopped.rec"
        process = subprocess.Popen([str(self.tools / "train_sweep"), f"--input={self.dataset}", "--model=lenet5",
                                    "--device=cpu", "--batch_size=20,40", "--repeats=100000", f"--output={output}"],
                                   stderr=subprocess.PIPE)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        end = time.monotonic() + 60
        while not children.read_text() and time.monotonic() < end:  # a point is trained in a separate process
            time.sleep(0.1)
        self.assertTrue(children.read_text(), "no point began in 60 s")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stderr.decode())
        self.assertFalse(output.exists())

    def test_a_pipe_from_tool_to_tool(self):
        made = self.call("cifar_prep", "--input_format=synthetic", "--train_images=40", "--test_images=20",
                         "--output=-", check=True)
        swept = self.call("train_sweep", "--input=-", "--model=lenet5", "--device=cpu", "--batch_size=20",
                          "--repeats=1", "--output=-", stdin=made.stdout, check=True)
        printed = self.call("report", "--print=-", stdin=swept.stdout, check=True)
        self.assertIn("batch_size: 20", printed.stdout.decode())

    def test_the_pipeline_of_the_readme(self):
        """Runs the pipeline in tools/README.md, unchanged."""
        readme = (pathlib.Path(__file__).absolute().parent.parent / "tools/README.md").read_text()
        pipeline = re.search(r"(?m)^    (cifar_prep .*--output=- *\|\n(?:    .*\n)*)", readme)[1]
        self.assertGreaterEqual(pipeline.count("|"), 2)
        result = subprocess.run(["bash", "-o", "pipefail", "-c", pipeline], cwd=self.folder, capture_output=True, timeout=240,
                                env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual([path.name for path in self.folder.iterdir()], ["report.md"])
        self.assertIn("Batch size on one device (Q1)", (self.folder / "report.md").read_text())

    def test_relative_paths_under_bazel_run(self):
        """`bazel run` starts a program in another folder, and passes the caller's folder in BUILD_WORKING_DIRECTORY."""
        elsewhere = self.folder / "runfiles"
        elsewhere.mkdir()
        mine = self.folder / "mine"
        mine.mkdir()
        training = ["--input=dataset.rec", "--model=lenet5", "--device=cpu", "--threads=1", "--repeats=1"]
        for tool, *arguments in (
                ["cifar_prep", "--train_images=40", "--test_images=20", "--output=dataset.rec"],
                ["train_sweep", *training, "--batch_size=20", "--checkpoint=lenet5.pt", "--output=sweep.rec"],
                ["train_sweep", *training, "--batch_size=20", "--checkpoint=lenet5.pt", "--output=sweep.rec"],  # cached
                ["scale_run", *training, "--ranks=1,2", "--batch_size=10", "--output=scale.rec"],
                ["comm_model", "--input=scale.rec", "--sweep=sweep.rec", "--output=comm_model.rec"],
                ["quantize", "--input=dataset.rec", "--checkpoint=lenet5.pt", "--calibration_images=20", "--device=cpu",
                 "--output=quantized.rec", "--onnx=lenet5.onnx"],
                ["report", "--input=dataset.rec,sweep.rec,scale.rec", "--output=report.html"],
                ["doctor", "--input=dataset.rec", "--output=."]):
            result = subprocess.run([str(self.tools / tool), *arguments], cwd=elsewhere, capture_output=True, timeout=240,
                                    env={**os.environ, "BUILD_WORKING_DIRECTORY": str(mine)})
            self.assertEqual(result.returncode, 0, f"{tool}: {result.stderr.decode()}")
        self.assertEqual(list(elsewhere.iterdir()), [])
        made = {path.name for path in mine.iterdir()}
        self.assertLess({"dataset.rec", "sweep.rec", "lenet5.pt", "scale.rec", "comm_model.rec", "quantized.rec", "lenet5.onnx",
                         "report.html"}, made)

    # --- --quiet ---

    def test_quiet_prints_warnings_only(self):
        data, output = f"--input={self.dataset}", self.folder / "x.rec"
        training = [data, "--model=lenet5", "--device=cpu", "--threads=1"]
        for tool, *arguments in (
                ["cifar_prep", "--train_images=40", "--test_images=20"],
                ["train_sweep", *training, "--batch_size=20,40", "--epochs=2"],
                # With a schedule, a line for each epoch.
                ["train_sweep", *training, "--batch_size=20", "--epochs=2", "--schedule=cosine"],
                ["scale_run", *training, "--ranks=1,2", "--batch_size=10", "--repeats=1"],
                ["scale_run", *training, "--ranks=2", "--batch_size=10", "--experiment=sampler_epoch", "--epochs=2", "--seeds=1"],
                ["comm_model", f"--audit={self.published / 'hand_in_001.textproto'}"],
                ["quantize", data, f"--checkpoint={self.checkpoint}", "--calibration_images=20", "--device=cpu"],
                ["report", f"--input={self.sweep}", f"--output={self.folder / 'x.html'}"]):
            arguments = arguments if tool == "report" else [*arguments, f"--output={output}"]
            for again in (False, True):  # made, and cached
                with self.subTest(tool=tool, arguments=arguments, again=again):
                    result = self.call(tool, *arguments, "--quiet", check=True)
                    self.assertEqual(result.stdout, b"")
                    lines = [line for line in result.stderr.decode().splitlines() if "warning: " not in line]
                    self.assertEqual(lines, [])
            if tool != "report":
                self.assertIn(f"{tool}: cached", self.call(tool, *arguments, check=True).stderr.decode())
                output.unlink()

    def test_quiet_prints_what_was_asked_for(self):
        made = self.call("cifar_prep", *self.SMALL, "--quiet", check=True)
        self.assertEqual(made.stderr, b"")
        printed = self.call("report", "--print=-", "--quiet", stdin=made.stdout, check=True)
        self.assertIn("image_count: 40", printed.stdout.decode())
        self.assertEqual(printed.stderr, b"")
        plan = self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--dry_run", "--quiet",
                         check=True)
        self.assertIn("lenet5", plan.stderr.decode())
        text = self.call("comm_model", f"--audit={self.published / 'hand_in_001.textproto'}", "--format=text", "--quiet",
                         f"--output={self.folder / 'audit.rec'}", check=True)
        self.assertIn("reproduced", text.stdout.decode())
        self.assertEqual(text.stderr, b"")
        check = self.call("report", "--check", f"--input={self.published / 'hand_in_003.textproto'}", "--quiet")
        self.assertEqual(check.returncode, 4)
        self.assertIn("FAILED ", check.stdout.decode())

    def test_quiet_keeps_errors(self):
        for tool in TOOLS[1:]:
            with self.subTest(tool=tool):
                extra = [f"--checkpoint={self.checkpoint}"] if tool == "quantize" else []
                self.refused(3, tool, "--input=/no/such.rec", *extra, "--quiet", message="/no/such.rec")

    def test_every_tool_reads_and_writes_pipes(self):
        """A record from standard input must equal the one from the file, and a record on standard output must be
        printable."""
        dataset, sweep = self.dataset.read_bytes(), self.sweep.read_bytes()
        made = self.call("cifar_prep", *self.SMALL, check=True)
        self.call("report", "--print=-", stdin=made.stdout, check=True)
        swept = self.call("train_sweep", "--input=-", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                          "--output=-", stdin=dataset, check=True)
        scaled = self.call("scale_run", "--input=-", "--model=lenet5", "--device=cpu", "--ranks=1,2", "--batch_size=10",
                           "--repeats=1", "--output=-", stdin=dataset, check=True)
        modelled = self.call("comm_model", "--input=-", "--output=-", stdin=scaled.stdout, check=True)
        quantized = self.call("quantize", "--input=-", f"--checkpoint={self.checkpoint}", "--calibration_images=20",
                              "--output=-", stdin=dataset, check=True)
        for tool, record in [("train_sweep", swept), ("scale_run", scaled), ("comm_model", modelled),
                             ("quantize", quantized)]:
            with self.subTest(tool=tool):
                printed = json.loads(self.call("report", "--print=-", "--format=json", stdin=record.stdout,
                                               check=True).stdout)
                header = printed["record"][0]["header"]
                self.assertEqual(header["build"]["tool"], tool)
                self.assertEqual(header["input"][0]["path"], "-")
                self.assertEqual(printed["record"][-1]["trailer"]["exit_status"], 0)
                if tool != "comm_model":
                    self.assertEqual(header["input"][0]["sha256"], hashlib.sha256(dataset).hexdigest())
        page = self.call("report", "--input=-", "--format=markdown", "--output=-", stdin=sweep, check=True)
        self.assertIn("# ", page.stdout.decode())

    def test_a_second_run_is_cached_and_force_makes_it_again(self):
        output = self.folder / "dataset.rec"
        arguments = ["--input_format=synthetic", "--train_images=40", "--test_images=20", f"--output={output}"]
        self.call("cifar_prep", *arguments, check=True)
        before = output.stat().st_mtime_ns
        self.assertIn("cached", self.call("cifar_prep", *arguments, check=True).stderr.decode())
        self.assertEqual(output.stat().st_mtime_ns, before)
        self.assertNotIn("cached", self.call("cifar_prep", *arguments, "--force", check=True).stderr.decode())
        self.assertNotIn("cached", self.call("cifar_prep", *arguments, "--seed=5", "--force", check=True).stderr.decode())

    def test_another_result_is_not_replaced_without_force(self):
        output = self.folder / "dataset.rec"
        arguments = ["--train_images=40", "--test_images=20", f"--output={output}"]
        self.call("cifar_prep", *arguments, check=True)
        before = output.read_bytes()
        self.refused(2, "cifar_prep", *arguments, "--seed=5",
                     message=["holds another result (--seed: 0 -> 5)", "--force"])
        self.refused(2, "comm_model", f"--audit={self.published / 'hand_in_001.textproto'}", f"--output={output}",
                     message="is a record of cifar_prep")
        self.assertEqual(output.read_bytes(), before)
        notes = self.folder / "notes.txt"
        notes.write_text("mine\n")
        self.refused(2, "cifar_prep", "--train_images=40", f"--output={notes}", message="not a Lockstep record file")
        self.assertEqual(notes.read_text(), "mine\n")

    def test_an_onnx_file_of_another_command_is_not_replaced(self):
        onnx = self.folder / "lenet5.onnx"
        arguments = [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}", "--calibration_images=20",
                     "--device=cpu", f"--onnx={onnx}"]
        mine = [*arguments, f"--output={self.folder / 'mine.rec'}"]
        self.call("quantize", *mine, check=True)
        before = onnx.read_bytes()
        self.refused(2, "quantize", *arguments, "--per_channel",
                     message=["lenet5.onnx holds another result (--per_channel: false -> true)", "--force"])
        self.assertEqual(onnx.read_bytes(), before)
        onnx.unlink()
        self.assertIn("cached", self.call("quantize", *mine, check=True).stderr.decode())
        self.assertEqual(onnx.read_bytes(), before)  # made again from the record that was there
        onnx.write_text("notes\n")
        self.refused(2, "quantize", *mine, message="would replace")
        self.call("quantize", *mine, "--force", check=True)
        self.assertNotEqual(onnx.read_bytes(), b"notes\n")

    def test_the_flag_that_was_meant(self):
        for flag, meant in (("--ouput=x", "--output"), ("--train-images=9", "--train_images"), ("--no-strict", "--nostrict")):
            with self.subTest(flag=flag):
                self.refused(2, "cifar_prep", flag, message=f"did you mean {meant}?")

    def test_the_word_that_was_meant(self):
        data = f"--input={self.dataset}"
        for tool, flags, meant in (("train_sweep", [data, "--model=resnet"], "--model=resnet18"),
                                   ("train_sweep", [data, "--model=lenet"], "--model=lenet5"),
                                   ("train_sweep", [data, "--device=gpu"], "--device=cuda"),
                                   ("train_sweep", [data, "--device=Cuda"], "--device=cuda"),
                                   ("scale_run", [data, "--reducer=own,c10"], "--reducer=c10d"),
                                   ("scale_run", [data, "--experiment=sampler"], "--experiment=sampler_epoch"),
                                   ("cifar_prep", ["--input_format=synthetics"], "--input_format=synthetic"),
                                   ("quantize", [data, f"--checkpoint={self.checkpoint}", "--isa=avx512vni"], "--isa=avx512vnni"),
                                   ("comm_model", [f"--audit={self.published / 'hand_in_001.textproto'}", "--format=txt"],
                                    "--format=text"),
                                   ("report", [f"--input={self.sweep}", "--format=md"], "--format=markdown"),
                                   ("report", [f"--input={self.sweep}", "--style=labs"], "--style=lab")):
            with self.subTest(tool=tool, flags=flags):
                self.refused(2, tool, *flags, message=f"; did you mean {meant}?")

    def test_help_shows_every_flag_once_by_its_group(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                everything = self.call(tool, "--help=all", check=True).stdout.decode()
                flags = [line.split()[0] for line in everything.splitlines() if line.startswith("  --")]
                groups = [line.split(":")[0].split()[-1] for line in everything.splitlines()
                          if line.startswith("Flags of the group ")]
                self.assertEqual(len(flags), len(set(flags)))
                shown = [line.split()[0] for group in groups
                         for line in self.call(tool, f"--help={group}", check=True).stdout.decode().splitlines()
                         if line.startswith("  --")]
                self.assertEqual(shown, flags)
                self.assertEqual(self.call(tool, "--help=nonsense").returncode, 2)

    def test_help_lists_what_reducer_auto_takes(self):
        listing = self.call("scale_run", "--help=communication", check=True).stdout.decode()
        self.assertIn("--reducer (default: auto)", listing)
        self.assertIn("auto: for each number of ranks the last possible one of own, peer, peer_sharded and "
                      "hierarchical", listing)

    def test_reducer_auto_stands_alone(self):
        self.refused(2, "scale_run", f"--input={self.dataset}", "--reducer=auto,own",
                     message="--reducer=auto,own: auto chooses one of the others at each point; give it alone, or name the "
                             "others")

    def test_what_was_given_in_place_of_a_record(self):
        folder = self.folder / "cifar"
        folder.mkdir()
        for tool in ("train_sweep", "scale_run"):
            self.refused(3, tool, f"--input={folder}", message=["found a folder", f"cifar_prep --input={folder} "])
            self.refused(3, tool, "--input=https://example.org/d.rec", message=["found a URL", "curl -LO"])
        self.refused(3, "cifar_prep", "--input=https://example.org/c.tar.gz", message=["found a URL", "cs.toronto.edu"])
        self.refused(3, "quantize", f"--input={self.dataset}", f"--checkpoint={self.sweep}",
                     message=["expected weights, found a record of train_sweep", "--checkpoint"])

    def test_a_bad_published_table(self):
        path = self.folder / "bad.textproto"
        path.write_text("source: 'x'\ntable { nam: 'T' }\n")
        self.refused(3, "comm_model", f"--audit={path}", message=["bad.textproto", "2"])

    def test_a_published_table_as_csv(self):
        path = self.folder / "table.csv"
        columns = "# source = x\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n"
        path.write_text(columns + "T,epoch_seconds,1,32,3.0,s,\nT,epoch_seconds,2,32,2.0,s,\nT,speedup,2,32,,,1.5\n")
        output = self.folder / "audit.rec"
        result = self.call("comm_model", f"--audit={path}", f"--output={output}", "--format=text", check=True)
        self.assertIn("= 1 of 1 reproduced: T_1/T_N, times of T (1); 2 given", result.stdout.decode())
        path.write_text(columns + "T,epoch_seconds,1,32,3.0,ms,\n")
        self.refused(3, "comm_model", f"--audit={path}", message=["table.csv:3: unit ms contradicts epoch_seconds"])

    def test_the_audit_of_a_seed(self):
        output = self.folder / "audit.rec"
        self.call("comm_model", f"--audit={self.published / 'hand_in_000.textproto'}", f"--output={output}", check=True)
        self.assertIn("NOT_REPRODUCIBLE", self.call("report", f"--print={output}", check=True).stdout.decode())

    def test_a_broken_rule_exits_4_and_is_named(self):
        junit = self.folder / "check.xml"
        result = self.call("report", "--check", f"--input={self.published / 'hand_in_003.textproto'}", f"--junit={junit}")
        self.assertEqual(result.returncode, 4, result.stderr.decode())
        self.assertIn("rules are broken", result.stderr.decode())
        self.assertRegex(result.stdout.decode(), r"(?m)^FAILED whole_second_clock: hand_in_003.textproto, ")
        suite = xml.etree.ElementTree.parse(junit).getroot()
        self.assertEqual(len(suite.findall("testcase/failure")), int(suite.get("failures")))
        self.assertGreater(int(suite.get("failures")), 0)

    def test_a_run_is_neither_faster_nor_slower_than_itself(self):
        timed = self.folder / "timed.rec"
        self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--repeats=2",
                  f"--output={timed}", check=True)
        result = self.call("report", f"--compare={timed},{timed}", check=True)
        self.assertRegex(result.stdout.decode(), r"(?m)^inconclusive batch 20: 1\.0000 times as long")
        alone = self.call("report", f"--compare={self.sweep}")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("expected two records", alone.stderr.decode())

    def run_of(self, name, factor, build):
        """Writes the JSON of self.sweep with longer times and another build, which stands for another run."""
        run = json.loads(self.call("report", f"--print={self.sweep}", "--format=json", check=True).stdout)
        run["record"][0]["header"]["build"]["build_id"] = build
        for record in run["record"]:
            if "epoch_seconds" in record.get("point", {}):
                record["point"]["epoch_seconds"]["value"] = [2 * factor, 2.02 * factor]
        path = self.folder / name
        path.write_text(json.dumps(run))
        return str(path)

    def test_a_slower_run_fails(self):
        before = [self.run_of(f"before_{i}.json", 1 + i / 1000, "before") for i in range(3)]
        after = [self.run_of(f"after_{i}.json", 1.1 + i / 1000, "after") for i in range(3)]
        page = self.folder / "cmp.html"
        further = [*before[1:], *after[1:]]
        arguments = [f"--compare={before[0]},{after[0]}", *further, f"--output={page}", "--format=html,json"]
        result = self.call("report", *arguments, "--fail_if_slower=5%")
        self.assertEqual(result.returncode, 4, result.stderr.decode())
        self.assertRegex(result.stdout.decode(), r"(?m)^FAILED batch \d+: slower by \d+\.\d % \(.*\), more than 5 %$")
        self.assertIn("slower", page.read_text())
        self.assertIn(f"before       {', '.join(before)} (build before", result.stdout.decode())
        self.assertIn(f"after        {', '.join(after)} (build after", result.stdout.decode())
        comparison = json.loads(page.with_suffix(".json").read_text())
        self.assertEqual((comparison["before"]["files"], comparison["after"]["files"]), (before, after))
        self.assertEqual({point["verdict"] for point in comparison["points"]}, {"slower"})
        for limit, code in (("20%", 0), ("5", 2)):
            with self.subTest(limit=limit):
                self.assertEqual(self.call("report", *arguments, f"--fail_if_slower={limit}").returncode, code)
        single = self.call("report", f"--compare={before[0]},{after[0]}", "--fail_if_slower=5%")
        self.assertEqual(single.returncode, 0, single.stderr.decode())
        self.assertRegex(single.stdout.decode(), r"(?m)^inconclusive: 1 of 1 point, from 1 run before and 1 after; "
                                                 r"inconclusive points pass; measure ")
        self.refused(2, "report", f"--input={self.sweep}", "--fail_if_slower=5%", message="no effect without --compare")

    def test_a_class_to_one_page(self):
        for student, record in (("ada", self.sweep), ("bob", self.sweep), ("eve", self.dataset)):
            (self.folder / "class" / student).mkdir(parents=True)
            (self.folder / "class" / student / "own.rec").write_bytes(record.read_bytes())
        page = self.folder / "class.html"
        result = self.call("report", f"--class_folder={self.folder / 'class'}", f"--output={page}", check=True)
        self.assertIn("3 students", result.stderr.decode())
        self.assertIn("own.rec: the same numbers as own.rec of ada", page.read_text())
        counts = re.search(r"3 students: broken rules 0, copy 2, .*", result.stderr.decode())[0]
        self.assertIn("; 2 students in 1 group share numbers (1 copied file)", counts)
        self.assertIn(counts, page.read_text())
        self.assertIn("</span> copy: ada, bob", page.read_text())
        grades = self.folder / "grades.csv"
        self.call("report", f"--class_folder={self.folder / 'class'}", f"--output={page}", f"--class_grades={grades}",
                  check=True)
        rows = list(csv.DictReader(grades.open(newline="")))
        self.assertEqual([row["verdict"] for row in rows].count("copy"), 2)
        self.assertEqual(len(rows), 3)
        self.refused(2, "report", f"--input={self.sweep}", f"--class_grades={grades}",
                     message="add --class_folder=FOLDER")
        for flags, message in ((["--format=csv"], "--format=csv: the page of --class_folder is HTML"),
                               ([f"--output={self.folder / 'class.csv'}"], "class.csv: the page of --class_folder is HTML")):
            self.refused(2, "report", f"--class_folder={self.folder / 'class'}", *flags, message=message)
            self.assertFalse((self.folder / "class.csv").exists())

    def test_a_report_does_one_thing_at_a_time(self):
        modes = [f"--print={self.sweep}", f"--convert={self.sweep}", "--check", f"--compare={self.sweep},{self.sweep}",
                 f"--class_folder={self.folder}", f"--trace={self.folder / 't.json'}", f"--tensorboard={self.folder / 'runs'}",
                 f"--mllog={self.folder / 'logs'}", f"--wandb_csv={self.folder / 'lab.csv'}",
                 f"--prometheus={self.folder / 'lab.prom'}"]
        for first, second in itertools.combinations(modes, 2):
            self.refused(2, "report", second, first, message="exclude each other; give one of them")
        for alone in (modes[0], modes[1], modes[4]):
            self.refused(2, "report", alone, f"--input={self.sweep}", message="--input has no effect with")
        self.refused(2, "report", f"--junit={self.folder / 'c.xml'}", f"--input={self.sweep}", message="add --check")


if __name__ == "__main__":
    run_tests(__doc__)
