"""Checks the inputs of the fuzz targets (data/testdata/fuzz), and the script that packs them.

Run by bazel (tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/corpora_test.py --root .
"""

import io
import shutil
import subprocess
import tarfile
import unittest

import source_tree

ENDING = ".tar.gz"


class CorporaTest(unittest.TestCase):
    root = None

    def archives(self):
        return {path.name[:-len(ENDING)]: path for path in (self.root / "data/testdata/fuzz").glob(f"*{ENDING}")}

    def test_each_target_has_inputs(self):
        sources = {path.stem for path in source_tree.files_in(self.root, ["lib"], [".cc"])}
        self.assertEqual(set(self.archives()), {name for name in sources if name.endswith("_fuzz")})

    def test_archives_hold_named_bytes_only(self):
        for name, path in self.archives().items():
            with self.subTest(name), tarfile.open(path) as archive:
                members = archive.getmembers()
                self.assertNotEqual(members, [])
                self.assertEqual([one.name for one in members], sorted({one.name for one in members}, key=str.encode))
                for one in members:
                    self.assertTrue(one.isfile() and "/" not in one.name, one.name)
                    self.assertEqual((one.mtime, one.uid, one.gid, one.mode), (0, 0, 0, 0o644), one.name)

    def corpus(self, folder, *arguments, code=0):
        """Runs a copy of the script in `folder`, and returns its output."""
        done = subprocess.run([folder / "corpus.sh", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def sample(self):
        root = source_tree.sample(self, {"inputs/b": b"\0two", "inputs/a": "one", "c": "", "deep/er/d": "x"})
        shutil.copy(self.root / "data/testdata/fuzz/corpus.sh", root)
        return root

    def test_inputs_are_packed_added_and_unpacked(self):
        folder = self.sample()
        self.corpus(folder, "pack", "x_fuzz", folder / "inputs")
        packed = (folder / "x_fuzz.tar.gz").read_bytes()
        self.corpus(folder, "add", "x_fuzz", folder / "c")
        self.assertEqual(self.corpus(folder, "list", "x_fuzz"), "a\nb\nc\n")
        self.corpus(folder, "unpack", "x_fuzz", folder / "again")
        unpacked = {path.name: path.read_bytes() for path in (folder / "again").iterdir()}
        self.assertEqual(unpacked, {"a": b"one", "b": b"\0two", "c": b""})
        (folder / "again" / "c").unlink()
        self.corpus(folder, "pack", "x_fuzz", folder / "again")
        self.assertEqual((folder / "x_fuzz.tar.gz").read_bytes(), packed)

    def test_a_target_gets_its_first_input(self):
        folder = self.sample()
        self.corpus(folder, "add", "y_fuzz", folder / "c")
        with tarfile.open(fileobj=io.BytesIO((folder / "y_fuzz.tar.gz").read_bytes())) as archive:
            self.assertEqual(archive.getnames(), ["c"])

    def test_wrong_arguments_are_refused(self):
        folder = self.sample()
        self.assertIn("expected files only", self.corpus(folder, "pack", "x_fuzz", folder / "deep", code=1))
        (folder / "empty").mkdir()
        self.assertIn("expected files, found none", self.corpus(folder, "pack", "x_fuzz", folder / "empty", code=1))
        self.assertIn("found none", self.corpus(folder, "list", "x_fuzz", code=1))
        for arguments in [[], ["list"], ["list", "x"], ["pack", "x_fuzz"], ["add", "x_fuzz"], ["list", "../x_fuzz"]]:
            with self.subTest(arguments):
                self.assertIn("corpus.sh list TARGET", self.corpus(folder, *arguments, code=2))
        self.assertEqual(list(folder.glob("*.tar.gz*")), [])


if __name__ == "__main__":
    source_tree.main(CorporaTest)
