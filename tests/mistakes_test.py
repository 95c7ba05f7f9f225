"""Compares the errors for natural mistakes at the command line with golden/mistakes.txt, which explains its format.

Each mistake is made with the built tools in a folder like a student's. --write replaces the lines behind "after" with
the current ones, to be reviewed as a diff. Run by bazel (tests/BUILD), or directly:
    python3 tests/mistakes_test.py --tools bazel-bin/tools --golden tests/golden/mistakes.txt [--write]
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
import unittest

import bazel_unittest
from tool_case import ToolCase

CSV = "# source = x\ntable,quantity,devices,batch_per_device,value,unit,as_printed\nT,epoch_seconds,1,32,3.0,s,\n"


def entries(text):
    """Returns the blocks of the file that hold a command, as lists of lines."""
    return [block.splitlines() for block in text.split("\n\n") if "\n$ " in block]


def outcome(result):
    """Returns the exit code and the first error line, else the first warning."""
    lines = result.stderr.decode().splitlines()
    errors = [line for line in lines if "error: " in line] + [line for line in lines if "warning: " in line]
    return f"exit {result.returncode}: {errors[0] if errors else 'nothing'}"


class MistakesTest(ToolCase):
    golden = None
    write = False

    @classmethod
    def setUpClass(cls):
        """Makes records like a student, with relative names, which some lines contain."""
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        for command in ("cifar_prep --input_format=synthetic --train_images=80 --test_images=40 --output=dataset.rec",
                        "train_sweep --input=dataset.rec --model=lenet5 --device=cpu --batch_size=20 --epochs=2 "
                        "--checkpoint=lenet5.pt --output=sweep.rec"):
            tool, *flags = command.split()
            subprocess.run([str(cls.tools / tool), *flags], cwd=cls.shared.name, capture_output=True, check=True, timeout=240)

    def setUp(self):
        super().setUp()
        shutil.copytree(self.shared.name, self.folder, dirs_exist_ok=True)
        folder = self.folder / "cifar-10-batches-bin"
        folder.mkdir()
        (folder / "data_batch_1.bin").write_bytes(bytes(3073) * 10)
        (self.folder / "cut.rec").write_bytes((self.folder / "sweep.rec").read_bytes()[:-30])
        (self.folder / "notes.onnx").write_text("what I wanted to try\n")
        (self.folder / "column.csv").write_text(CSV.replace("devices", "gpus"))
        (self.folder / "unit.csv").write_text(CSV.replace(",s,\n", ",ms,\n"))

    def answer(self, command):
        tool, *flags = shlex.split(command)
        return outcome(subprocess.run([str(self.tools / tool), *flags], cwd=self.folder, capture_output=True,
                                      timeout=240, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}))

    def test_every_mistake_is_answered_as_written(self):
        written = self.golden.read_text()
        for lines in entries(written):
            command = next(line for line in lines if line.startswith("$ "))
            wanted = next((line.removeprefix("after: ") for line in lines if line.startswith("after: ")), None)
            with self.subTest(command=command):
                found = self.answer(command[2:])
                if self.write and "[...]" not in (wanted or ""):
                    before = [line for line in lines if not line.startswith("after: ")]
                    written = written.replace("\n".join(lines), "\n".join([*before, f"after: {found}"]))
                elif "[...]" in wanted:
                    start, end = wanted.split("[...]")
                    self.assertEqual(found[:len(start)], start)
                    self.assertEqual(found[len(found) - len(end):], end)
                else:
                    self.assertEqual(found, wanted)
        if self.write:
            self.golden.write_text(written)

    def test_there_are_twenty_at_least_each_with_both_lines(self):
        blocks = entries(self.golden.read_text())
        self.assertGreaterEqual(len(blocks), 20)
        for lines in blocks:
            self.assertEqual([line.split(" ")[0].rstrip(":") for line in lines], ["#", "$", "before", "after"], lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="folder of the tools, or one tool in it")
    parser.add_argument("--golden", required=True, help="golden/mistakes.txt")
    parser.add_argument("--write", action="store_true", help="write the lines instead of comparing them")
    given, rest = parser.parse_known_args()
    MistakesTest.tools = bazel_unittest.folder_of(given.tools)
    MistakesTest.golden = pathlib.Path(given.golden).absolute()
    MistakesTest.write = given.write
    bazel_unittest.main(rest)
