"""Tests tools/try_libtorch.sh with stand-ins for bazel and python3: a real run installs 5 GB and takes an hour.

Run by bazel (tests/BUILD), or directly:
    python3 tests/try_libtorch_test.py --root .
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import source_tree

# A pip that has one release, and a venv that is a folder. The real Python runs scripts.
PYTHON = f"""#!/bin/sh
case "$*" in
  *count_tests*) exec {sys.executable} "$@" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python3" ;;
  *"torch==2.15.0 "*)
    torch="${{0%/bin/python3}}/lib/python3.11/site-packages/torch"
    mkdir -p "$torch" && echo "__version__ = '2.15.0+cu132'" >"$torch/version.py" ;;
  *) echo "no matching distribution"; exit 1 ;;
esac
"""

# Logs its arguments; the query names one target, and bazel's tests end like RESULTS.
BAZEL = """#!/bin/sh
echo "$*" >>"$FOLDER/calls"
case "$2" in
  query) echo //lib/base:status ;;
  test)
    for argument in "$@"; do
      case "$argument" in --build_event_json_file=*) cp "$FOLDER/events" "${argument#*=}" ;; esac
    done
    exit "$STATUS" ;;
esac
"""

CASES = """<testsuites><testsuite><testcase name="a" classname="T"/><testcase name="b" classname="T">%s</testcase>
<testcase name="c" classname="T"><skipped/></testcase></testsuite></testsuites>"""


class TryLibTorchTest(unittest.TestCase):
    root = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "bin").mkdir()
        for name, text in (("python3", PYTHON), ("bazel", BAZEL)):
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)

    def run_script(self, *arguments, failure="", status=0):
        (self.folder / "test.xml").write_text(CASES % failure)
        state = "FAILED" if failure else "PASSED"
        (self.folder / "events").write_text(
            f'{{"id": {{"testResult": {{"label": "//lib/nn:t"}}}}, "testResult": {{"status": "{state}", "testActionOutput": '
            f'[{{"name": "test.xml", "uri": "file://{self.folder}/test.xml"}}]}}}}\n')
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "FOLDER": str(self.folder),
                       "STATUS": str(status), "HOME": str(self.folder / "home")}
        return subprocess.run([self.root / "tools" / "try_libtorch.sh", *arguments], capture_output=True, text=True,
                              check=False, env=environment, cwd=self.folder)

    def test_the_last_line_counts_test_cases(self):
        result = self.run_script("2.15.0", "--test_size_filters=small")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], "torch 2.15.0: 2 passed, 0 failed, 1 skipped")
        kept = self.folder / "home" / ".cache" / "lockstep" / "libtorch-2.15.0"
        self.assertEqual(result.stdout.splitlines()[1:], (kept / "output.txt").read_text().splitlines())
        self.assertEqual((kept / "targets.txt").read_text(), "//...\n-//lib/base:status\n")
        query, test = (self.folder / "calls").read_text().splitlines()
        torch = kept / "venv" / "lib" / "python3.11" / "site-packages" / "torch"
        for call in (query, test):
            self.assertTrue(call.startswith(f"--output_base={kept}/bazel "), call)
            self.assertIn(f"--repo_env=LIBTORCH={torch} --repo_env=LOCKSTEP_PYTHON={kept}/venv/bin/python3", call)
        self.assertIn(f"--target_pattern_file={kept}/targets.txt --test_size_filters=small", test)

    def test_a_second_call_installs_nothing(self):
        folder = f"--folder={self.folder}/kept"
        self.assertIn("installing torch 2.15.0", self.run_script(folder, "2.15.0").stdout)
        self.assertNotIn("installing", self.run_script(folder, "2.15.0").stdout)

    def test_a_failed_test_and_a_failed_build_are_exit_code_1(self):
        result = self.run_script("2.15.0", failure="<failure/>", status=3)
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]),
                         (1, "torch 2.15.0: 1 passed, 1 failed, 1 skipped"), result.stderr)
        result = self.run_script("2.15.0", status=2)
        self.assertEqual((result.returncode, result.stdout.splitlines()[-2:]),
                         (1, ["failed: bazel, exit code 2", "torch 2.15.0: 2 passed, 1 failed, 1 skipped"]), result.stderr)

    def test_a_release_that_pip_does_not_have(self):
        result = self.run_script("2.99.0")
        self.assertEqual(result.returncode, 5)
        self.assertIn("try_libtorch.sh: pip could not install torch 2.99.0", result.stderr)

    def test_help_and_wrong_usage(self):
        shown = self.run_script("--help")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("tools/try_libtorch.sh [--folder=FOLDER] VERSION", shown.stdout)
        for arguments in ((), ("2.15",), ("newest",), ("--no_such_flag", "2.15.0"), ("--folder=", "2.15.0"), ("2.15.0+cu132",)):
            with self.subTest(arguments=arguments):
                result = self.run_script(*arguments)
                self.assertEqual((result.returncode, result.stdout, len(result.stderr.splitlines())), (2, "", 1))


if __name__ == "__main__":
    source_tree.main(TryLibTorchTest)
