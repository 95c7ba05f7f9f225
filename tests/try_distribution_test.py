"""Tests the parts of tools/try_distribution.sh that need no root: its help, and its refusals.

Run by bazel (tests/BUILD), or directly:
    python3 tests/try_distribution_test.py --script tools/try_distribution.sh
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest


class TryDistributionTest(unittest.TestCase):
    script = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_script(self, *arguments):
        return subprocess.run([self.script, *arguments], capture_output=True, text=True)

    def assert_refused(self, expected, *arguments):
        result = self.run_script(*arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(expected, result.stderr)

    def test_help_names_each_flag(self):
        result = self.run_script("--help")
        self.assertEqual(result.returncode, 0)
        for flag in ("--mirror=", "--bazelrc=", "--from=", "--until=", "--tests="):
            self.assertIn(flag, result.stdout)

    def test_wrong_usage(self):
        self.assert_refused("expected RELEASE and FOLDER, found 1", "trixie")
        self.assert_refused("expected bookworm, trixie, sid, jammy or noble, found: potato", "potato", self.folder / "new")
        self.assert_refused("found: --until=never", "--until=never", "trixie", self.folder / "new")
        self.assert_refused("expected a file for --bazelrc", "--bazelrc=absent", "trixie", self.folder / "new")

    def test_a_folder_that_is_there_is_kept(self):
        self.assert_refused("expected a folder that does not exist", "trixie", self.folder)

    def test_from_needs_an_earlier_call(self):
        self.assert_refused("expected the folder of an earlier call", "--from=build", "trixie", self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    bazel_unittest.main_of(TryDistributionTest, files=("script",))
