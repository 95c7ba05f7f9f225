"""Tests tools/presubmit.sh in a small checkout: its choice of clang-format, and its message without the right version.

Run by bazel (tests/BUILD), or directly:
    python3 tests/presubmit_test.py --script tools/presubmit.sh --versions third_party/versions.sh
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

# Programs that the script calls, in addition to clang-format.
PROGRAMS = ("bash", "chmod", "cut", "dirname", "env", "git", "grep", "mkdir", "python3", "sed", "sort")


class PresubmitTest(unittest.TestCase):
    script = versions = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.checkout = self.folder / "checkout"
        for name in ("tools", "third_party", "tests"):
            (self.checkout / name).mkdir(parents=True)
        shutil.copy(self.script, self.checkout / "tools/presubmit.sh")
        shutil.copy(self.versions, self.checkout / "third_party/versions.sh")
        for check in re.search(r"^checks=\((.*)\)$", self.script.read_text(), re.MULTILINE).group(1).split():
            (self.checkout / f"tests/{check}_test.py").write_text("import sys\nprint('Ran 1 tests', file=sys.stderr)\n")
        (self.checkout / "a.cc").write_text("int a;\n")
        for command in (["init", "--quiet"], ["add", "a.cc"]):
            subprocess.run(["git", *command], cwd=self.checkout, check=True)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in PROGRAMS:
            (self.bin / name).symlink_to(shutil.which(name))

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def formatter(self, path, version):
        """Makes a program that reports clang-format `version`, and finds nothing to format."""
        self.program(path, f'[ "$1" != --version ] || echo "Debian clang-format version {version} (x)"')

    def run_script(self, *flags):
        return subprocess.run([self.checkout / "tools/presubmit.sh", *flags], capture_output=True, text=True,
                              env={"PATH": str(self.bin)})

    def pin(self):
        return re.search(r'LOCKSTEP_CLANG_FORMAT_PIN="(.*)"', self.versions.read_text()).group(1)

    def assert_taken(self, name, *flags):
        result = self.run_script(*flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"format: 1 files are formatted by {name}", result.stdout)

    def test_the_versioned_name_is_taken(self):
        self.formatter(self.bin / "clang-format-14", "14.0.6")
        self.formatter(self.bin / "clang-format", "19.1.7")
        self.assert_taken("clang-format-14")

    def test_a_plain_name_of_the_right_version_is_taken(self):
        self.formatter(self.bin / "clang-format", "14.0.6")
        self.assert_taken("clang-format")

    def test_the_one_in_venv_is_taken(self):
        self.formatter(self.bin / "clang-format", "19.1.7")
        self.formatter(self.checkout / ".venv/bin/clang-format", "14.0.6")
        self.assert_taken(".venv/bin/clang-format")

    def test_without_one_a_line_reports_how_to_get_it(self):
        self.formatter(self.bin / "clang-format", "19.1.7")
        result = self.run_script()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(f".venv/bin/python3 -m pip install {self.pin()}", result.stderr)

    def test_install_puts_it_into_venv(self):
        self.program(self.checkout / ".venv/bin/python3",
                     'echo "$@" >>pip_calls; printf \'%s\\n\' "#!/bin/sh" "echo clang-format version 14.0.6" '
                     '>.venv/bin/clang-format; chmod +x .venv/bin/clang-format')
        self.assert_taken(".venv/bin/clang-format", "--install")
        calls = (self.checkout / "pip_calls").read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertRegex(calls[0], f"-m pip install .*{self.pin()}$")
        self.assert_taken(".venv/bin/clang-format", "--install")
        self.assertEqual((self.checkout / "pip_calls").read_text().splitlines(), calls)

    def test_an_unknown_flag_is_wrong_usage(self):
        self.assertEqual(self.run_script("--bogus").returncode, 2)
        self.assertEqual(self.run_script("--help").returncode, 0)


if __name__ == "__main__":
    bazel_unittest.main_of(PresubmitTest, files=("script", "versions"))
