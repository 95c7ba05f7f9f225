"""No thread can be started: `ulimit -u`, a container's limit on processes, a limit on memory. One error line, never an
abort."""

import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from record_bytes import whole_records
from thread_shortage import in_control_group, refusing_threads, with_processes
from tool_case import ToolCase, run_tests

STRANGERS = ("libgomp", "terminate called", "frame #", "what():", "[c10d]", "*** ", "Traceback", "Aborted")
SHORTAGE = "Resource temporarily unavailable"
TIMEOUT = 240  # seconds; the hang under test would have no end


class Shortage(ToolCase):
    def start(self, tool, *arguments, prefix=(), preexec=None, env=None):
        return subprocess.run([*prefix, str(self.tools / tool), *map(str, arguments)], cwd=self.folder, capture_output=True,
                              timeout=TIMEOUT, preexec_fn=preexec, env={**os.environ, **(env or {})})

    def reported_once(self, tool, result, message=SHORTAGE):
        """Checks for exit code 5, one error line, and no text of a library."""
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, 5, stderr)
        errors = [line for line in stderr.splitlines() if "error: " in line]
        self.assertEqual(len(errors), 1, stderr)
        self.assertTrue(errors[0].startswith(f"{tool}: error: "), stderr)
        self.assertIn(message, errors[0])
        self.no_stranger(stderr)

    def no_stranger(self, stderr):
        for sign in STRANGERS:
            self.assertNotIn(sign, stderr)

    def prepare_flags(self, output):
        return ["--input_format=synthetic", "--train_images=80", "--test_images=40", f"--output={output}"]

    def sweep_flags(self, *more):
        return [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                "--threads=2", "--output=sweep.rec", *more]

    def scale_flags(self, *more):
        return [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=2", "--batch_size=20",
                "--repeats=1", "--threads=2", "--output=scale.rec", *more]

    def quantize_flags(self):
        return [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}", "--output=quantized.rec"]

    def is_the_same_data_set(self, result):
        """Checks the data set except for its header and trailer, which have dates."""
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        found = whole_records((self.folder / "data.rec").read_bytes())
        expected = whole_records(self.dataset.read_bytes())
        self.assertGreater(len(expected), 4)
        self.assertTrue(found[1:-1] == expected[1:-1])


class NoThread(Shortage):
    """clone and clone3 of a thread fail with EAGAIN; processes can be started."""

    def without_threads(self, tool, *arguments):
        return self.start(tool, *arguments, preexec=refusing_threads(), env={"OMP_NUM_THREADS": "2"})

    def test_clone3_EAGAIN_cifar_prep_works_alone(self):
        self.is_the_same_data_set(self.without_threads("cifar_prep", *self.prepare_flags("data.rec")))

    def test_clone3_EAGAIN_train_sweep(self):
        self.reported_once("train_sweep", self.without_threads("train_sweep", *self.sweep_flags()))

    def test_clone3_EAGAIN_train_sweep_of_one_thread(self):
        result = self.without_threads("train_sweep", *self.sweep_flags("--threads=1"))
        self.reported_once("train_sweep", result)  # the loader's workers
        result = self.without_threads("train_sweep", *self.sweep_flags("--threads=1", "--loader_workers=0", "--force"))
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_clone3_EAGAIN_scale_run(self):
        self.reported_once("scale_run", self.without_threads("scale_run", *self.scale_flags()))

    def test_clone3_EAGAIN_quantize(self):
        self.reported_once("quantize", self.without_threads("quantize", *self.quantize_flags()))

    def test_clone3_EAGAIN_report(self):
        result = self.without_threads("report", f"--input={self.sweep}", "--output=page.html")
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_clone3_EAGAIN_doctor(self):
        self.reported_once("doctor", self.without_threads("doctor"))


class FewProcesses(Shortage):
    """RLIMIT_NPROC of another user, which also counts threads."""

    def with_few(self, count, tool, *arguments):
        self.folder.chmod(0o777)
        return self.start(tool, *arguments, prefix=with_processes(count), env={"OMP_NUM_THREADS": "2"})

    def test_rlimit_nproc_1_cifar_prep(self):
        self.is_the_same_data_set(self.with_few(1, "cifar_prep", *self.prepare_flags("data.rec")))

    def test_rlimit_nproc_1_quantize(self):
        self.reported_once("quantize", self.with_few(1, "quantize", *self.quantize_flags()))

    def test_rlimit_nproc_1_doctor(self):
        for count in (1, 4, 8):  # no probe, or some, get a thread and a process
            self.reported_once("doctor", self.with_few(count, "doctor"))

    def test_rlimit_nproc_4_train_sweep(self):
        self.reported_once("train_sweep", self.with_few(4, "train_sweep", *self.sweep_flags()))


class ControlGroup(Shortage):
    def test_cgroup_pids_1(self):
        with in_control_group(1) as enter:
            self.reported_once("quantize", self.start("quantize", *self.quantize_flags(), preexec=enter))
            self.is_the_same_data_set(self.start("cifar_prep", *self.prepare_flags("data.rec"), preexec=enter))


class LittleAddressSpace(Shortage):
    """RLIMIT_AS of 64 MiB: some thread stacks fit."""

    def within(self, tool, *arguments):
        limit = 64 << 20
        return self.start(tool, *arguments, preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))

    def test_rlimit_as_64_MiB_doctor(self):
        self.reported_once("doctor", self.within("doctor"))

    def test_rlimit_as_64_MiB_cifar_prep(self):
        result = self.within("cifar_prep", *self.prepare_flags("data.rec"))
        if result.returncode == 0:
            self.is_the_same_data_set(result)
        else:
            self.reported_once("cifar_prep", result, message="limit")


if __name__ == "__main__":
    run_tests(__doc__)
