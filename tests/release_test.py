"""Tests tools/release.sh and tools/release.py: reproducible archives, notes of ten lines, refusal of a changed tree.

tools/package.sh, which makes the portable folders, takes too long for this test. Run by bazel (tests/BUILD), or:
    python3 tests/release_test.py --root .
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import source_tree


class ReleaseTest(unittest.TestCase):
    root = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def release_py(self, *arguments):
        return subprocess.run([sys.executable, self.root / "tools/release.py", *map(str, arguments)], capture_output=True,
                              text=True, check=False)

    def make_folder(self, parent, names, time):
        folder = parent / "lockstep-1.0"
        (folder / "lib").mkdir(parents=True)
        for name in names:
            (folder / name).write_text(f"content of {name}\n")
            os.utime(folder / name, (time, time))
        (folder / "report").chmod(0o775 if time > 5 else 0o700)
        return folder

    def test_the_same_files_give_the_same_archive(self):
        names = ["report", "lib/b", "lib/a"]
        made = []
        for number, (order, time) in enumerate([(names, 3), (names[::-1], 9)]):
            folder = self.make_folder(self.folder / str(number), order, time)
            output = self.folder / f"{number}.tar.gz"
            result = self.release_py("archive", f"--folder={folder}", f"--output={output}", "--mtime=1700000000")
            self.assertEqual(result.returncode, 0, result.stderr)
            made.append(output.read_bytes())
        self.assertEqual(*made)
        with tarfile.open(self.folder / "0.tar.gz") as tar:
            members = tar.getmembers()
        self.assertEqual([member.name for member in members],
                         ["lockstep-1.0", *(f"lockstep-1.0/{name}" for name in ("lib", "lib/a", "lib/b", "report"))])
        self.assertEqual({(member.uid, member.gid, member.mtime) for member in members}, {(0, 0, 1700000000)})
        self.assertEqual([oct(member.mode) for member in members], ["0o755", "0o755", "0o644", "0o644", "0o755"])

    def version(self):
        return re.search(r'kVersion\[\] = "(.*)"', (self.root / "lib/base/version.h").read_text())[1]

    def test_notes_are_ten_lines_of_this_version(self):
        result = self.release_py("notes", f"--changelog={self.root / 'CHANGELOG.md'}", f"--version={self.version()}")
        self.assertEqual(result.returncode, 0, result.stderr)
        title, *lines = result.stdout.splitlines()
        self.assertEqual(title, f"# Lockstep {self.version()}")
        self.assertEqual(len(lines), 10)
        for line in lines:
            self.assertRegex(line, r"^- .*\.$")

    def test_notes_join_lines_and_leave_out_headings(self):
        changelog = self.folder / "CHANGELOG.md"
        changelog.write_text("# Changelog\n\n## 2.0.0 (today)\nA paragraph\nof two lines.\n\nAll tools\n- An entry\n  of two.\n"
                             "- Another.\n\n## 1.0.0\n- Old.\n")
        result = self.release_py("notes", f"--changelog={changelog}", "--version=2.0.0-dev")
        self.assertEqual(result.stdout, "# Lockstep 2.0.0-dev\n- A paragraph of two lines.\n- An entry of two.\n- Another.\n")
        changelog.write_text("# Changelog\n\n## 2.0.0\n### Highlights\n- Fast.\n\n### All tools\n- An entry.\n")
        result = self.release_py("notes", f"--changelog={changelog}", "--version=2.0.0")
        self.assertEqual(result.stdout, "# Lockstep 2.0.0\n- Fast.\n")
        changelog.write_text("## 2.0.0\n- An entry.\n")
        result = self.release_py("notes", f"--changelog={changelog}", "--version=2.1.0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("expected the first section of CHANGELOG.md to be ## 2.1.0", result.stderr)

    def test_a_changed_tree_is_refused(self):
        checkout = self.folder / "checkout"
        (checkout / "tools").mkdir(parents=True)
        shutil.copy(self.root / "tools/release.sh", checkout / "tools")
        git = lambda *arguments: subprocess.run(["git", "-C", checkout, "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                                                check=True, capture_output=True)
        git("init")
        git("add", "tools/release.sh")
        git("commit", "-m", "x")
        (checkout / "new.cc").write_text("")
        result = subprocess.run([checkout / "tools/release.sh", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("expected a checkout without changes, found: ?? new.cc; commit or remove them", result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_usage(self):
        script = self.root / "tools/release.sh"
        self.assertEqual(subprocess.run([script], capture_output=True, check=False).returncode, 2)
        self.assertIn("tools/release.sh OUT", subprocess.run([script, "--help"], capture_output=True, text=True, check=True).stdout)


if __name__ == "__main__":
    source_tree.main(ReleaseTest)
