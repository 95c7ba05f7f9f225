"""Tests the library for other programs: its example alone, started manually and by torchrun, and built by CMake.

Without a Python that has torch, or without cmake, the cases that need them are skipped by name. Run by bazel
(tests/BUILD), or one case directly, after `bazel build //examples/train_module //lib/distributed_data_parallel:all`:
    python3 tests/library_test.py --program bazel-bin/examples/train_module/train_module --built bazel-bin \
        --script tools/install_library.sh --torch_python .venv/bin/python3 ExampleTest.test_one_process
"""

import argparse
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import bazel_unittest

given = None
EPOCHS = 10


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class LibraryCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        launcher = re.compile(r"LOCKSTEP_TOKEN|(LOCAL_)?(RANK|WORLD_SIZE)|MASTER_\w+|(OMPI|PMI|SLURM|TORCHELASTIC)_\w+")
        self.environment = {name: value for name, value in os.environ.items() if not launcher.fullmatch(name)}
        self.environment["OMP_NUM_THREADS"] = "1"

    def run_program(self, command, **variables):
        return subprocess.run([str(word) for word in command], env={**self.environment, **variables},
                              capture_output=True, text=True, timeout=240, check=False)

    def torchrun(self, program, ranks, *options):
        if not given.torch_python:
            self.skipTest("no Python that has torch; --torch_python names one")
        return self.run_program([given.torch_python, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}",
                                 "--no-python", *options, program])

    def check_losses(self, result, ranks):
        """The program must have ended well, and rank 0 alone must have printed falling losses."""
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = re.findall(r"^epoch (\d+): loss ([0-9.]+) \((\d+) ranks, shared_memory\)$", result.stdout, re.M)
        self.assertEqual([(int(epoch), int(size)) for epoch, _, size in lines], [(i, ranks) for i in range(EPOCHS)],
                         result.stdout)
        losses = [float(loss) for _, loss, _ in lines]
        self.assertLess(losses[-1], 0.5 * losses[0])
        return losses


class ExampleTest(LibraryCase):
    def manually(self, size, **variables):
        port = free_port()
        processes = [subprocess.Popen([given.program], env={
            **self.environment, "RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
            "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), **variables},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for rank in range(size)]
        results = []
        for process in processes:
            stdout, stderr = process.communicate(timeout=240)
            results.append(subprocess.CompletedProcess([], process.returncode, stdout, stderr))
        return results

    def test_one_process(self):
        self.check_losses(self.run_program([given.program]), 1)

    def test_two_processes_started_manually(self):
        first, second = self.manually(2, LOCKSTEP_TOKEN="a token of this test alone")
        self.check_losses(first, 2)
        self.assertEqual((second.returncode, second.stdout), (0, ""), second.stderr)

    def test_processes_started_manually_need_a_token(self):
        for result in self.manually(2):
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("LOCKSTEP_TOKEN is not set", result.stderr)
            self.assertIn("export LOCKSTEP_TOKEN=$(openssl rand -hex 32)", result.stderr)

    def test_torchrun(self):
        losses = [self.check_losses(self.torchrun(given.program, 2, *options), 2)
                  for options in [(), ("--standalone",)]]
        self.assertEqual(losses[0], losses[1])

    def test_mpirun(self):
        if shutil.which("mpirun") is None:
            self.skipTest("no mpirun; third_party/install.sh installs it")
        self.check_losses(self.run_program(
            ["mpirun", "-np", "2", "-x", "LOCKSTEP_TOKEN", "--oversubscribe", "--bind-to", "none", given.program],
            LOCKSTEP_TOKEN="a token of this test alone", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            HOME=os.environ.get("HOME") or str(self.folder)), 2)  # Open MPI does not start without HOME

    def test_variables_that_contradict_each_other(self):
        result = self.run_program([given.program], RANK="2", WORLD_SIZE="2", LOCAL_RANK="0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("RANK is 2", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_a_gpu_that_is_not_there(self):
        result = self.run_program([given.program, "cuda"], CUDA_VISIBLE_DEVICES="")
        self.assertEqual(result.returncode, 1)
        self.assertIn("expected a GPU with index 0 for rank 0, found 0 GPUs", result.stderr)


class InstalledTest(LibraryCase):
    def install(self):
        result = self.run_program(["bash", given.script, f"--built={given.built}", self.folder / "prefix"])
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.folder / "prefix"

    def symbols(self, *options):
        return subprocess.run(["nm", "--demangle", *options, self.install() / "lib/liblockstep.a"], capture_output=True,
                              text=True, check=True).stdout

    def test_the_archive_has_the_symbols_of_the_header_only(self):
        symbols = self.symbols("--defined-only", "--extern-only")
        names = [line.split(" ", 2)[2] for line in symbols.splitlines() if re.match(r"[0-9a-f]{16} ", line)]
        self.assertIn("lockstep::ProcessGroup::Barrier()", names)
        self.assertIn("lockstep::DistributedDataParallel::Backward(at::Tensor const&)", names)
        self.assertEqual([name for name in names if not name.startswith(("lockstep::ProcessGroup::",
                                                                         "lockstep::DistributedDataParallel::"))], [])

    def test_the_archive_needs_no_abseil(self):
        needed = self.symbols("--undefined-only")
        self.assertIn("at::Tensor", needed)
        merged = re.compile(r" U .*(\b(absl|lockstep|google)::|\bEVP_)")
        self.assertEqual([line for line in needed.splitlines() if merged.search(line)], [])

    def test_cmake_builds_the_example(self):
        if shutil.which("cmake") is None:
            self.skipTest("no cmake; apt-get install cmake, or pip install cmake")
        if not given.torch_python:
            self.skipTest("no Python that has torch; --torch_python names one")
        prefix, build = self.install(), self.folder / "build"
        source = pathlib.Path(given.script).resolve().parent.parent / "examples/train_module"
        torch = subprocess.run([given.torch_python, "-c", "import torch; print(torch.utils.cmake_prefix_path)"],
                               capture_output=True, text=True, check=True).stdout.strip()
        for command in (["cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix};{torch}"],
                        ["cmake", "--build", build]):
            result = self.run_program(command)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.check_losses(self.run_program([build / "train_module"]), 1)
        self.check_losses(self.torchrun(build / "train_module", 2), 2)

    def test_cmake_refuses_another_libtorch(self):
        if shutil.which("cmake") is None:
            self.skipTest("no cmake; apt-get install cmake, or pip install cmake")
        prefix, other = self.install(), self.folder / "torch"
        (other / "lib").mkdir(parents=True)
        (other / "include/torch").mkdir(parents=True)
        (other / "lib/libtorch_cpu.so").touch()
        (other / "version.py").write_text("__version__ = '1.13.1+cpu'\n")
        project = self.folder / "project"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.18)\nproject(a CXX)\n"
                                                "find_package(Lockstep 0.1 REQUIRED)\n")
        for libtorch, message in ((other, "found 1.13 in"), (self.folder, "found none")):
            result = self.run_program(["cmake", "-S", project, "-B", self.folder / libtorch.name / "build",
                                       f"-DCMAKE_PREFIX_PATH={prefix}", f"-DLIBTORCH={libtorch}"])
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(message, re.sub(r"\s+", " ", result.stderr))

    def test_usage(self):
        self.assertEqual(self.run_program(["bash", given.script]).returncode, 2)
        usage = self.run_program(["bash", given.script, "--help"]).stdout
        self.assertIn("tools/install_library.sh [--cpu] PREFIX", usage)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="the example")
    parser.add_argument("--built", required=True, help="a built file of lib/distributed_data_parallel, or bazel-bin")
    parser.add_argument("--script", required=True, help="tools/install_library.sh")
    parser.add_argument("--torch_python", default="", help="a Python that has torch")
    given, rest = parser.parse_known_args()
    if pathlib.Path(given.built).is_file():
        given.built = str(pathlib.Path(given.built).absolute().parents[2])
    given.program = str(pathlib.Path(given.program).absolute())
    bazel_unittest.main(rest)
