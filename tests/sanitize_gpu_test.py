"""Tests tools/sanitize_gpu.sh without a GPU: it reads the log of a stand-in for compute-sanitizer.

Run by bazel (tests/BUILD), or directly: python3 tests/sanitize_gpu_test.py --script tools/sanitize_gpu.sh
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

KERNEL = "void lockstep::<unnamed>::{}<(bool)0, (unsigned int)256>(CUtensorMap_st, lockstep::Arguments)"
CLEAN = "========= ERROR SUMMARY: 0 errors\n"
RACE = ("========= Error: Race reported between Write access at " + KERNEL.format("AKernel") + "+0xcad0\n"
        "=========     and Read access at " + KERNEL.format("AKernel") + "+0xcb10 [5 hazards]\n========= \n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n")
READ = ("========= Invalid __shared__ read of size 6144 bytes\n"
        "=========     at " + KERNEL.format("BKernel") + "+0x1e50\n=========     by thread (128,0,0) in block (14,0,0)\n"
        "=========     Access to 0x32480 is out of bounds\n========= \n========= ERROR SUMMARY: 1 error\n")


class SanitizeGpuTest(unittest.TestCase):
    script = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        shutil.copy(self.script, self.folder / "sanitize_gpu.sh")
        self.known("")
        for name in ("package", "bin"):
            (self.folder / name).mkdir()
        self.program("package/gpu_test_a_test", "exit 0")
        self.program("bin/nvidia-smi", "exit 0")

    def program(self, name, text):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def known(self, lines):
        (self.folder / "sanitize_gpu_known.txt").write_text("# a comment\n" + lines)

    def run_over(self, log, exit_status=0, *flags):
        (self.folder / "log").write_text(log)
        self.program("bin/compute-sanitizer", f"cat {self.folder}/log; exit {exit_status}")
        return subprocess.run(["bash", self.folder / "sanitize_gpu.sh", "--programs=^a_test", "--tools=memcheck", *flags,
                               self.folder / "package", self.folder / "out"], capture_output=True, text=True,
                              env={**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}"})

    def test_nothing_is_found(self):
        result = self.run_over(CLEAN)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"^memcheck +a_test +\d+ s  ok, 0 explained\n$")

    def test_what_is_found_is_named_with_its_kernel(self):
        for log, what, kernel in ((RACE, "Race reported between", "AKernel"), (READ, "read of size 6144", "BKernel")):
            with self.subTest(what=what):
                result = self.run_over(log)
                self.assertEqual(result.returncode, 4)
                self.assertRegex(result.stdout, rf"new: 1 .*{what}.* \| .*{kernel}")

    def test_what_is_explained_is_not_new(self):
        self.known("memcheck\t^a_\tRace .*AKernel\tthe reason\n")
        result = self.run_over(RACE)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("1 explained", result.stdout)

    def test_an_explanation_holds_for_its_tool_program_and_kernel_alone(self):
        for line in ("racecheck\t^a_\tAKernel\tr\n", "memcheck\t^b_\tAKernel\tr\n", "memcheck\t^a_\tBKernel\tr\n"):
            self.known(line)
            self.assertEqual(self.run_over(RACE).returncode, 4, line)

    def test_a_program_that_is_not_for_a_tool_is_reported_and_not_run(self):
        self.known("memcheck\t^a_\t-\tno kernel of ours\n")
        result = self.run_over(RACE)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"^memcheck +a_test +left out: no kernel of ours\n$")
        self.known("racecheck\t^a_\t-\tr\nmemcheck\t^b_\t-\tr\n")
        self.assertEqual(self.run_over(RACE).returncode, 4)

    def test_the_sanitizers_own_failure_and_copies_of_what_nobody_wrote(self):
        for what in ("Internal Sanitizer Error: The Sanitizer failed.", "Host API memory access error at host access to 0x7f"):
            result = self.run_over(f"========= {what}\n========= \n" + CLEAN)
            self.assertEqual(result.returncode, 4, what)
            self.assertIn("new: 1 " + what[:20], result.stdout)

    def test_a_program_that_fails_or_prints_nothing(self):
        self.assertEqual(self.run_over(CLEAN, 1).returncode, 4)
        self.assertIn("NO SUMMARY", self.run_over("").stdout)
        self.assertEqual(self.run_over("").returncode, 4)

    def test_no_gpu_and_wrong_usage(self):
        self.assertEqual(self.run_over(CLEAN, 0, "--no_such_flag").returncode, 2)
        self.program("bin/nvidia-smi", "exit 9")
        self.assertEqual(self.run_over(CLEAN).returncode, 5)


if __name__ == "__main__":
    bazel_unittest.main_of(SanitizeGpuTest, files=("script",))
