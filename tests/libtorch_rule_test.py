"""Tests LibTorch's repository rule, run by Bazel in a small workspace, with imitations of a LibTorch and a toolkit.

Run by bazel (tests/BUILD), or directly:
    python3 tests/libtorch_rule_test.py --root .
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import source_tree

WORKSPACE = """workspace(name = "lockstep")

load("//third_party/bazel_rules:bazel_rules.bzl", "bazel_rules")
load("//third_party/cuda:cuda.bzl", "cuda_repository")
load("//third_party/libtorch:libtorch.bzl", "libtorch_repository")

bazel_rules()
cuda_repository(name = "cuda")
libtorch_repository(name = "libtorch")
"""
NVCC = "#!/bin/sh\necho compute_90\n"
BAZEL = shutil.which("bazel") or shutil.which("bazelisk")


def is_bazel_4(root):
    """Returns true for Bazel 4, which the small workspace is written for; Debian's Bazel prints no version."""
    version_line = BAZEL and subprocess.run([BAZEL, "--version"], capture_output=True, text=True, check=False,
                                            cwd=root).stdout
    return bool(version_line) and version_line.split()[-1].startswith(("4.", "no_version"))


def constant(root, name):
    return re.search(rf'^LOCKSTEP_TORCH_{name}="(.*?)"', (root / "third_party" / "versions.sh").read_text(), re.M)[1]


class LibTorchRuleTest(unittest.TestCase):
    root = None

    @classmethod
    def setUpClass(cls):
        if not is_bazel_4(cls.root):
            raise unittest.SkipTest("no Bazel 4 in PATH")
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.workspace = cls.folder / "workspace"
        for package in ("bazel_rules", "cuda", "libtorch", "system"):
            shutil.copytree(cls.root / "third_party" / package, cls.workspace / "third_party" / package)
        (cls.workspace / "WORKSPACE").write_text(WORKSPACE)
        for package in (cls.workspace, cls.workspace / "third_party"):
            (package / "BUILD").touch()
        shutil.copy(cls.root / "third_party" / "versions.sh", cls.workspace / "third_party")
        shutil.copy(cls.root / ".bazeliskrc", cls.workspace)
        cls.addClassCleanup(cls.bazel, "shutdown")
        cls.minimum, cls.maximum, cls.pin = (constant(cls.root, name).removeprefix("torch==")
                                                for name in ("MINIMUM", "MAXIMUM", "PIN"))

    @classmethod
    def bazel(cls, *arguments, **variables):
        environment = {"PATH": f"{cls.folder}/bin:/usr/bin:/bin", "HOME": str(cls.folder), **variables}
        return subprocess.run([BAZEL, f"--output_user_root={cls.folder}/bazel", "--max_idle_secs=60", *arguments],
                              capture_output=True, text=True, check=False, cwd=cls.workspace, env=environment)

    def torch(self, version, cuda=None):
        """Makes a folder with the parts of a LibTorch that the rule reads; `cuda` None: for CPUs only."""
        torch = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "torch"
        libraries = ["lib/libtorch.so"] + ["lib/libtorch_cuda.so"] * (cuda is not None)
        for name in ["include/ATen/ATen.h", "include/torch/csrc/api/include/torch/torch.h", *libraries]:
            (torch / name).parent.mkdir(parents=True, exist_ok=True)
            (torch / name).touch()
        (torch / "__init__.py").touch()
        (torch / "version.py").write_text(f"__version__ = '{version}'\ncuda: Optional[str] = {cuda!r}\n")
        return torch

    def toolkit(self, version):
        home = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in (("bin/nvcc", NVCC), ("lib64/libcudart.so", ""),
                           ("include/cuda_runtime_api.h", f"#define CUDART_VERSION  {version}\n")):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        (home / "bin" / "nvcc").chmod(0o755)
        return home

    def analyse(self, torch, *flags, target="@libtorch//:torch", **variables):
        named = {"LIBTORCH": str(torch)} if torch else {}
        return self.bazel("build", "--nobuild", target, *flags, **named, **variables)

    def build_note(self, torch, **variables):
        """Returns the lines of built_with.txt."""
        result = self.bazel("build", "//third_party/libtorch:built_with", "--spawn_strategy=local", LIBTORCH=str(torch), **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return (self.workspace / "bazel-bin" / "third_party" / "libtorch" / "built_with.txt").read_text().splitlines()

    def test_an_older_version_is_refused(self):
        torch = self.torch("1.13.1+cu117", "11.7")
        result = self.analyse(torch)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(f"LIBTORCH={torch}: expected LibTorch {self.minimum} to {self.maximum}, found 1.13.1+cu117. Set LIBTORCH "
                      "to another one, or unset it and run third_party/install.sh.", result.stderr)

    def test_a_newer_version_is_named_and_used(self):
        torch = self.torch("99.1.0+cu140", "13.9")
        result = self.analyse(torch, CUDA_HOME=str(self.toolkit(13000)))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stderr, f"LibTorch 99.1.0\\+cu140 in {torch} is newer than {self.maximum}, the newest that was "
                                        f"tried. If the build or a test fails: \\S+ -m pip install torch=={self.pin}, or set LIBTORCH")
        tried = self.analyse(self.torch(f"{self.maximum}.9", "13.0"), CUDA_HOME=str(self.toolkit(13000)))
        self.assertEqual(tried.returncode, 0, tried.stderr)
        self.assertNotIn("tried", tried.stderr)

    def test_an_older_version_that_python_finds_is_named_and_not_used(self):
        torch = self.torch("1.13.1", "11.7")
        (self.folder / "bin").mkdir(exist_ok=True)
        python = self.folder / "bin" / "python3"
        python.write_text(f"#!/bin/sh\necho {torch}\n")
        python.chmod(0o755)
        self.addCleanup(python.unlink)
        result = self.analyse(None, target="@libtorch//:all")
        self.assertIn(f"LibTorch 1.13.1 in {torch} is older than {self.minimum}, the oldest that was tried: targets that need "
                      "LibTorch are skipped. Run third_party/install.sh.", result.stderr)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_tests_use_the_python_that_imports_this_torch(self):
        torch, other = self.torch(f"{self.pin}+cpu"), self.torch(f"{self.pin}+cpu")
        (self.folder / "bin").mkdir(exist_ok=True)
        python = self.folder / "bin" / "python3"
        self.addCleanup(python.unlink)
        for imported, expected in ((torch, str(python)), (other, ""), ("", "")):
            with self.subTest(imported):
                python.write_text(f"#!/bin/sh\necho {imported}\n")
                python.chmod(0o755)
                # Another PATH makes Bazel run the rule again.
                result = self.analyse(torch, PATH=f"{python.parent}:/usr/bin:/bin:/{expected or imported or 'none'}")
                self.assertEqual(result.returncode, 0, result.stderr)
                definitions, = (self.folder / "bazel").glob("*/external/libtorch/defs.bzl")
                self.assertIn(f'TORCH_PYTHON = "{expected}"', definitions.read_text())

    def test_cuda_of_two_major_versions_is_refused(self):
        for version, cuda, toolkit, remedy in (
                ("cu126", "12.6", 13000, f"Set CUDA_HOME to a CUDA 12 toolkit, or LIBTORCH to a LibTorch for CUDA 13 (python3 -m pip "
                                         f"install torch=={self.pin}), or build without"),
                ("cu130", "13.0", 12080, f"Set CUDA_HOME to a CUDA 13 toolkit, or LIBTORCH to a LibTorch for CUDA 12 (python3 -m pip "
                                         f"install torch=={self.pin} --index-url ADDRESS/cu126 (for ADDRESS see pytorch.org/get-started/previous-"
                                         "versions)), or build")):
            with self.subTest(version):
                torch, home = self.torch(f"{self.pin}+{version}", cuda), self.toolkit(toolkit)
                result = self.analyse(torch, CUDA_HOME=str(home))
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(f"LibTorch {self.pin}+{version} in {torch} is built for CUDA {cuda}, the toolkit in {home} is CUDA "
                              f"{toolkit // 1000}.{toolkit % 1000 // 10}: expected one major version. {remedy}", result.stderr)
                without = self.analyse(torch, "--@cuda//:detected=false", CUDA_HOME=str(home))
                self.assertEqual(without.returncode, 0, without.stderr)

    def test_cuda_of_one_major_version_is_taken(self):
        for cuda, toolkit in (("12.6", 12080), ("13.2", 13000), (None, 13000)):
            result = self.analyse(self.torch(self.pin, cuda), CUDA_HOME=str(self.toolkit(toolkit)))
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_the_note_of_a_build(self):
        old = {"CUDA_HOME": str(self.toolkit(12060))}
        new = {"CUDA_HOME": str(self.toolkit(13000))}
        self.assertEqual(self.build_note(self.torch("2.11.0+cu130", "13.0"), **new),
                         ["version 2.11.0+cu130", "cuda 13.0", "pip torch==2.11.0"])
        self.assertEqual(self.build_note(self.torch("2.11.0+cu126", "12.6"), **old),
                         ["version 2.11.0+cu126", "cuda 12.6", "pip torch==2.11.0 --index-url ADDRESS/cu126 (for ADDRESS see pytorch.org/get-started/previous-versions)"])
        self.assertEqual(self.build_note(self.torch("2.12.1a0+git0123456"), **new),
                         ["version 2.12.1a0+git0123456", "cuda ", "pip torch==2.12.1"])
        archive = self.torch("", "")
        (archive / "version.py").unlink()
        (archive / "build-version").write_text("2.13.0+cu128\n")
        self.assertEqual(self.build_note(archive, **old), ["version 2.13.0+cu128", "cuda 12.8",
                                                          "pip torch==2.13.0 --index-url ADDRESS/cu128 (for ADDRESS see "
                                                          "pytorch.org/get-started/previous-versions)"])


if __name__ == "__main__":
    source_tree.main(LibTorchRuleTest)
