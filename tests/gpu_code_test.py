"""Checks that a portable build has code for every GPU that it names; third_party/cuda/gpu_code.py must detect gaps.

Run by bazel (tests/BUILD), on two objects that are compiled with the settings of tools/package.sh.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest


class GpuCodeTest(unittest.TestCase):
    script = None
    expected = None
    objects = None

    def run_on(self, expected, *files):
        return subprocess.run([sys.executable, self.script, "--expect=" + ",".join(expected), *files], capture_output=True,
                              text=True, check=False)

    def both(self):
        """Returns the two objects as one file, like in a program."""
        file = tempfile.NamedTemporaryFile(suffix=".program")
        file.write(b"".join(pathlib.Path(object).read_bytes() for object in self.objects))
        file.flush()
        self.addCleanup(file.close)
        return file.name

    def test_all_architectures_are_in(self):
        for name in ("sm_75", "sm_80", "sm_87", "sm_90", "sm_90a"):
            self.assertIn(name, self.expected)
        if "sm_110" in self.expected:  # CUDA 13, which supports all of Blackwell
            self.assertLessEqual({"sm_100", "sm_103", "sm_120", "sm_121"}, set(self.expected))
        self.assertTrue(any(name.startswith("compute_") for name in self.expected), self.expected)
        result = self.run_on(self.expected, self.both())
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_one_that_is_missing_or_too_much_is_named(self):
        program = self.both()
        result = self.run_on(self.expected + ["sm_61"], program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("lacks ['sm_61']", result.stderr)
        result = self.run_on([name for name in self.expected if name != "sm_90a"], program)
        self.assertEqual(result.returncode, 1)
        self.assertIn("in addition ['sm_90a']", result.stderr)

    def test_hoppers_own_are_for_hopper_alone(self):
        hopper, other = sorted(self.objects, key=lambda path: "hopper" not in path)
        self.assertEqual(self.run_on(["sm_90a"], hopper).returncode, 0)
        self.assertEqual(self.run_on([name for name in self.expected if name != "sm_90a"], other).returncode, 0)

    def test_a_file_without_code_and_one_that_ends_in_a_header(self):
        with tempfile.NamedTemporaryFile() as file:
            self.assertEqual(self.run_on(self.expected, file.name).returncode, 1)
            file.write(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1000) + b"\2\0")
            file.flush()
            self.assertEqual(self.run_on(self.expected, file.name).returncode, 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--script", required=True)
    parser.add_argument("--portable", required=True)
    parser.add_argument("--objects", nargs="+", required=True)
    given, rest = parser.parse_known_args()
    GpuCodeTest.script = given.script
    GpuCodeTest.expected = pathlib.Path(given.portable).read_text().strip().split(",")
    GpuCodeTest.objects = given.objects
    bazel_unittest.main(rest)
