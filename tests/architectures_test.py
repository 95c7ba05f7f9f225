"""Checks which GPU code third_party/cuda/architectures.bzl has compiled: the functions run in Python, whose grammar
holds that file. Run by bazel (tests/BUILD), or directly:
    python3 tests/architectures_test.py --rule third_party/cuda/architectures.bzl
"""

import argparse
import pathlib
import unittest
from unittest import mock

import bazel_unittest

KNOWN = ["75", "80", "86", "90", "100"]
LEFT_OUT = "-DLOCKSTEP_CODE_LEFT_OUT"


class ArchitecturesTest(unittest.TestCase):
    rule = None

    def setUp(self):
        builtins = ["provider", "rule", "config", "attr", "transition", "DefaultInfo", "Label"]
        self.scope = {name: mock.MagicMock() for name in builtins}
        exec(compile(self.rule.read_text(), str(self.rule), "exec"), self.scope)

    def code(self, names, needs):
        """Returns the names of the code that is compiled, and whether kernels lack their bodies."""
        flags = self.scope["gencode_flags"](names.split(","), needs, KNOWN)
        return [flag.split(",code=")[1] for flag in flags if ",code=" in flag], LEFT_OUT in flags

    def test_each_kernel_has_the_code_that_it_can_run_as(self):
        for names, needs, code in [
                ("80,90,90a,ptx", "", ["sm_80", "sm_90", "compute_90"]),
                ("80,90,90a,ptx", "90", ["sm_90", "compute_90"]),
                ("80,90,90a,ptx", "90a", ["sm_90a"]),
                ("75,80", "80", ["sm_80"]),
                ("80,90a", "80", ["sm_80"])]:
            with self.subTest(names=names, needs=needs):
                self.assertEqual(self.code(names, needs), (code, False))

    def test_hopper_alone_runs_everything(self):
        for needs in ["", "75", "80", "90", "90a"]:
            with self.subTest(needs=needs):
                self.assertEqual(self.code("90a", needs), (["sm_90a"], False))

    def test_bodies_are_left_out_where_no_architecture_runs_them(self):
        self.assertEqual(self.code("75", "80"), (["sm_75"], True))
        self.assertEqual(self.code("80,90", "90a"), (["sm_80"], True))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rule", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    ArchitecturesTest.rule = given.rule
    bazel_unittest.main(rest)
