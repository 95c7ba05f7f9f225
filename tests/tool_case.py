"""Common parts of tests that start the real tools: paths of the tools, a small data set and a sweep of it, one call.

A test is a subclass of ToolCase in a script that ends in `run_tests(__doc__)`. Run it directly:
    python3 tests/cli_test.py --tools bazel-bin/tools --published data/published
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import unittest

import bazel_unittest

TOOLS = ["cifar_prep", "train_sweep", "scale_run", "comm_model", "quantize", "report"]


class ToolCase(unittest.TestCase):
    tools = None
    published = None
    reads_sweep = True  # false: this script reads the data set only
    shared = None  # folder of the files that all classes of a script read

    @classmethod
    def setUpClass(cls):
        if ToolCase.shared is not None:
            return
        shared = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(shared.cleanup)
        folder = pathlib.Path(shared.name)
        ToolCase.dataset, ToolCase.sweep, ToolCase.checkpoint = (folder / n for n in ("dataset.rec", "sweep.rec", "lenet5.pt"))
        cls.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40",
                 f"--output={cls.dataset}", check=True)
        if cls.reads_sweep:
            cls.call("train_sweep", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                     f"--checkpoint={cls.checkpoint}", f"--output={cls.sweep}", check=True)
        ToolCase.shared = shared

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    @classmethod
    def timed_sweep(cls):
        """Returns a sweep whose epochs were timed: its report has plots, and its trace the parts of a step."""
        path = pathlib.Path(ToolCase.shared.name) / "timed.rec"
        if not path.exists():
            cls.call("train_sweep", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20,40",
                     "--repeats=2", f"--output={path}", check=True)
        return path

    @classmethod
    def call(cls, tool, *arguments, check=False, stdin=None, timeout=240, env=None):
        result = subprocess.run([str(cls.tools / tool), *map(str, arguments)], input=stdin, capture_output=True,
                                timeout=timeout, env={**os.environ, **(env or {})})
        if check and result.returncode != 0:
            raise AssertionError(f"{tool} {arguments}: exit {result.returncode}: {result.stderr.decode()}")
        return result

    def refused(self, code, tool, *arguments, message, **options):
        """The tool exits with `code` after one error line that holds every text of `message`, and leaves no output."""
        output = self.folder / "out.rec"
        if not any(str(a).startswith("--output") for a in arguments):
            arguments = (*arguments, f"--output={output}")
        result = self.call(tool, *arguments, **options)
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, code, stderr)
        errors = [line for line in stderr.splitlines() if line.startswith(f"{tool}: error: ")]
        self.assertEqual(len(errors), 1, stderr)
        for text in [message] if isinstance(message, str) else message:
            self.assertIn(text, errors[0])
        for sign in ("Traceback", "terminate called", "what():", "Aborted", "*** "):
            self.assertNotIn(sign, stderr)
        left = [p.name for p in self.folder.iterdir() if p.name.startswith("out.rec")]
        self.assertEqual(left, [], stderr)


def run_tests(description):
    """Main function of a script of ToolCases."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tools", required=True, help="folder of the tools, or one tool in it")
    parser.add_argument("--published", help="folder of the published tables, or a file in it")
    given, rest = parser.parse_known_args()
    ToolCase.tools = bazel_unittest.folder_of(given.tools)
    if given.published:
        ToolCase.published = bazel_unittest.folder_of(given.published)
    bazel_unittest.main(rest)
