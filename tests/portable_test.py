"""Checks that the programs of the portable folder, and the libraries that it would hold, run with glibc 2.34; its
launcher must refuse a torch of another version than the folder was built with.

Run by bazel (tests/BUILD), or directly: python3 tests/portable_test.py --tools bazel-bin/tools/cifar_prep
--versions tools/symbol_versions.py --libraries tools/package_libraries.sh --launcher tools/torch_launcher.sh
--built_with bazel-bin/third_party/libtorch/built_with.txt
"""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

# Arguments that all of pip's indexes accept (PEP 440): a release without a local version such as +cu130.
PIP_ARGUMENTS = re.compile(r"torch==\d+\.\d+\.\d+( --index-url ADDRESS/cu\d{3} \(for ADDRESS see pytorch\.org/get-started/previous-versions\))?")

LIMIT = "symbol_versions.py: error:"

# The C library of Debian 12, the newest system on which the portable folder is built.
NEWEST_GLIBC = (2, 36)


class PortableTest(unittest.TestCase):
    tools = None
    versions = None
    libraries = None
    launcher = None
    built_with = None

    def programs(self):
        """Yields the programs that tools/package.sh packs: if a tool is two programs, the one that does the work."""
        names = ["cifar_prep", "train_sweep", "scale_run", "comm_model", "quantize", "report"]
        for name in names:
            for path in (self.tools / "libexec" / name, self.tools / name):
                if path.is_file():
                    yield path
                    break

    def check(self, *arguments):
        return subprocess.run([sys.executable, self.versions, *arguments], capture_output=True, text=True, check=False)

    def test_programs_and_their_libraries_want_nothing_newer(self):
        glibc = platform.libc_ver()[1]
        if tuple(map(int, glibc.split("."))) > NEWEST_GLIBC:
            self.skipTest(f"programs built with glibc {glibc} need it; the portable folder is built on Debian 12")
        programs = list(self.programs())
        self.assertIn("cifar_prep", [path.name for path in programs])
        for program in programs:
            found = subprocess.run([self.libraries, program], capture_output=True, text=True, check=True).stdout.split("\n")
            result = self.check(program, *filter(None, found))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_no_library_is_packed(self):
        """Each library would need others: libarchive's shared library needed glibc 2.36."""
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

    # --- the launcher and the torch that it finds ---

    def package(self, built_with):
        """Makes a portable folder of one program, which prints its library path, and a folder next to it for torch
        packages."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        program = self.folder / "package" / "libexec" / "train_sweep"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n")
        program.chmod(0o755)
        shutil.copy(self.launcher, self.folder / "package" / "train_sweep")
        if built_with is not None:
            (self.folder / "package" / "built_with.txt").write_text(built_with)

    def torch(self, version, cuda, archive=False):
        """Makes a folder with the parts of a torch package that the launcher reads; `cuda` None: for CPUs only."""
        site = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (site / "torch" / "lib").mkdir(parents=True)
        for name in ["libtorch_cpu.so"] + ["libtorch_cuda.so"] * (cuda is not None):
            (site / "torch" / "lib" / name).touch()
        (site / "torch" / "__init__.py").write_text("raise SystemExit('torch was imported')\n")
        if archive:
            (site / "torch" / "build-version").write_text(f"{version}\n")
        elif version is not None:
            (site / "torch" / "version.py").write_text(f"from typing import Optional\n__version__ = '{version}'\n"
                                                       f"debug = False\ncuda: Optional[str] = {cuda!r}\n")
        return site

    def launch(self, site, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LOCKSTEP_LIBRARIES", "PYTHON", "LD_LIBRARY_PATH", "PYTHONPATH")}
        # A Python without packages of the machine.
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)
        found = {"PYTHON": str(python), "PYTHONPATH": str(site)} if "LOCKSTEP_LIBRARIES" not in variables else {}
        return subprocess.run([self.folder / "package" / "train_sweep"], capture_output=True, text=True, check=False,
                              env={**environment, **found, **variables})

    def starts(self, site, **variables):
        result = self.launch(site, **variables)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith(f"{site}/torch/lib:"), result.stdout)

    def refused(self, site, remedy, **variables):
        """Checks the one line of a refusal, which must end with `remedy`."""
        result = self.launch(site, **variables)
        self.assertEqual((result.returncode, result.stdout), (5, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(remedy, result.stderr)
        self.assertNotIn("+cu", remedy)
        return result.stderr

    GPU_FOLDER = "version 2.11.0+cu130\ncuda 13.0\npip torch==2.11.0\n"
    OLD_GPU_FOLDER = ("version 2.11.0+cu126\ncuda 12.6\n"
                      "pip torch==2.11.0 --index-url ADDRESS/cu126 (for ADDRESS see pytorch.org/get-started/previous-versions)\n")
    CPU_FOLDER = "version 2.11.0+cpu\ncuda \npip torch==2.11.0\n"

    def test_a_torch_of_another_version_is_refused(self):
        self.package(self.GPU_FOLDER)
        for version, cuda in (("2.15.0+cu132", "13.2"), ("2.10.0+cu128", "12.8"), ("2.1.11", "13.0"), ("3.11.0", "13.0")):
            site = self.torch(version, cuda)
            line = self.refused(site, f"{self.folder}/python -m pip install torch==2.11.0, or set PYTHON to an interpreter that")
            self.assertIn(f"train_sweep: error: built with torch 2.11.0+cu130, found torch {version} in {site}/torch/lib: ",
                          line)

    def test_a_torch_of_the_same_minor_version_is_taken(self):
        self.package(self.GPU_FOLDER)
        for version, cuda in (("2.11.0+cu130", "13.0"), ("2.11.1", "13.2"), ("2.11.0a0+git0123456", "13.0")):
            self.starts(self.torch(version, cuda))

    def test_a_torch_for_another_major_version_of_cuda_is_refused(self):
        self.package(self.GPU_FOLDER)
        self.refused(self.torch("2.11.0+cu126", "12.6"), "-m pip install torch==2.11.0, or")
        self.refused(self.torch("2.11.0+cpu", None), "-m pip install torch==2.11.0, or")
        self.package(self.OLD_GPU_FOLDER)
        self.refused(self.torch("2.11.0+cu130", "13.0"),
                     "-m pip install torch==2.11.0 --index-url ADDRESS/cu126 (for ADDRESS see pytorch.org/get-started/previous-versions), or")
        self.starts(self.torch("2.11.0+cu128", "12.8"))

    def test_a_folder_for_cpus_takes_any_cuda(self):
        self.package(self.CPU_FOLDER)
        self.starts(self.torch("2.11.0+cpu", None))
        self.starts(self.torch("2.11.0+cu130", "13.0"))
        self.refused(self.torch("2.12.0+cpu", None), "torch==2.11.0, or")

    def test_libraries_that_are_named_are_compared_if_they_have_a_version(self):
        self.package(self.GPU_FOLDER)
        named = lambda site: {"LOCKSTEP_LIBRARIES": f"/nowhere:{site}/torch/lib"}
        for site in (self.torch("2.15.0+cu132", "13.2"), self.torch("2.15.0+cu132", "13.2", archive=True),
                     self.torch("2.11.0+cu126", "12.6", archive=True)):
            line = self.refused(site, "unset LOCKSTEP_LIBRARIES, and python3 -m pip install torch==2.11.0; or let ", **named(site))
            self.assertIn(f"in {site}/torch/lib: ", line)
        for site in (self.torch("2.11.0", "13.0", archive=True), self.torch("2.11.0+cu130", "13.0", archive=True),
                     self.torch(None, "13.0")):
            result = self.launch(site, **named(site))
            self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_without_torch_the_command_is_named(self):
        self.package(self.OLD_GPU_FOLDER)
        result = self.launch(self.folder / "empty")
        self.assertEqual((result.returncode, len(result.stderr.splitlines())), (5, 1), result.stderr)
        self.assertIn("cannot import torch: ", result.stderr)
        self.assertIn("-m pip install torch==2.11.0 --index-url ADDRESS/cu126 (for ADDRESS see pytorch.org/get-started/previous-versions), or", result.stderr)

    def test_a_folder_without_the_note_takes_any_torch(self):
        self.package(None)
        self.starts(self.torch("2.15.0+cu132", "13.2"))

    def test_the_note_names_a_version_that_pip_knows(self):
        lines = dict(line.split(" ", 1) for line in self.built_with.read_text().splitlines())
        self.assertEqual(set(lines), {"version", "cuda", "pip"})
        if not lines["version"]:
            self.skipTest("built without LibTorch")
        self.assertRegex(lines["pip"], f"^{PIP_ARGUMENTS.pattern}$")
        self.assertTrue(lines["version"].startswith(lines["pip"].split()[0].removeprefix("torch==")), lines)


if __name__ == "__main__":
    bazel_unittest.main_of(PortableTest, files=("versions", "libraries", "launcher", "built_with"), folders=("tools",))
