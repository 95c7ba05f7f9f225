"""The programs of the portable folder, and the libraries that it would hold, run where glibc is 2.34.

Run by bazel (tests/BUILD); by hand: python3 tests/portable_test.py --tools bazel-bin/tools/cifar_prep
--versions tools/symbol_versions.py --libraries tools/package_libraries.sh
"""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

LIMIT = "symbol_versions.py: error:"


class PortableTest(unittest.TestCase):
    tools = None
    versions = None
    libraries = None

    def programs(self):
        """As tools/package.sh takes them: where a tool is two programs, the one that does the work."""
        names = ["cifar_prep", "train_sweep", "scale_run", "comm_model", "quantize", "report"]
        for name in names:
            for path in (self.tools / "libexec" / name, self.tools / name):
                if path.is_file():
                    yield path
                    break

    def check(self, *arguments):
        return subprocess.run([sys.executable, self.versions, *arguments], capture_output=True, text=True, check=False)

    def test_programs_and_their_libraries_want_nothing_newer(self):
        programs = list(self.programs())
        self.assertIn("cifar_prep", [path.name for path in programs])
        for program in programs:
            found = subprocess.run([self.libraries, program], capture_output=True, text=True, check=True).stdout.split("\n")
            result = self.check(program, *filter(None, found))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_no_library_is_packed(self):
        """Each one would bring its own needs: libarchive's asked for glibc 2.36."""
        for program in self.programs():
            packed = subprocess.run([self.libraries, program], capture_output=True, text=True, check=True).stdout
            self.assertEqual(packed, "", program)

    def test_a_newer_symbol_is_named(self):
        program = next(self.programs())
        for limit in ("--glibc=2.2", "--glibcxx=3.4"):
            result = self.check(limit, program)
            self.assertEqual(result.returncode, 1)
            self.assertIn(LIMIT, result.stderr)
            self.assertIn(str(program), result.stderr)


if __name__ == "__main__":
    bazel_unittest.main_of(PortableTest, files=("versions", "libraries"), folders=("tools",))
