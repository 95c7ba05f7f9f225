"""Environment of a process: signals, clocks, limits, /proc, /dev, a folder that is gone; and processes that its
children leave."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from marked_processes import VARIABLE, end_orphans
from running_tool import RunningTool, at_work, eventually
from tool_case import ToolCase, run_tests

# Words of libraries, which must not reach the user.
STRANGERS = ("libgomp", "terminate called", "frame #", "what():", "[c10d]", "*** ", "MKL", "Segmentation fault")

# Shifts the system's clock, as seen by the processes that load this library, once the file CLOCK_STEP_FILE exists.
CLOCK_STEP = r"""
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t Shift(void) {
  const char* file = getenv("CLOCK_STEP_FILE");
  const char* seconds = getenv("CLOCK_STEP_SECONDS");
  return file != NULL && seconds != NULL && syscall(SYS_access, file, F_OK) == 0 ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int failed = (int)syscall(SYS_clock_gettime, clock, now);
  if (failed == 0 && clock == CLOCK_REALTIME) now->tv_sec += Shift();
  return failed;
}

int gettimeofday(struct timeval* now, void* zone) {
  const int failed = (int)syscall(SYS_gettimeofday, now, zone);
  if (failed == 0) now->tv_sec += Shift();
  return failed;
}

time_t time(time_t* now) {
  struct timespec here;
  clock_gettime(CLOCK_REALTIME, &here);
  if (now != NULL) *now = here.tv_sec;
  return here.tv_sec;
}
"""

# Starts a program for which getrandom fails with ENOSYS.
WITHOUT_GETRANDOM = r"""
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof(program) / sizeof(program[0]), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 99;
  execv(argv[1], argv + 1);
  return 98;
}
"""


class ProcessCase(ToolCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not hasattr(ProcessCase, "built"):
            ProcessCase.built = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(ProcessCase.built.cleanup)

    @classmethod
    def compiled(cls, name, source, *options):
        """Returns the path of a program or library compiled from one C file."""
        output = pathlib.Path(cls.built.name) / name
        if not output.exists():
            subprocess.run(["gcc", "-w", "-x", "c", "-", "-o", output, *options], input=source.encode(), check=True)
        return output

    def training(self, tool, *more, length="--epochs=2"):
        return [tool, f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", length,
                f"--output={self.folder / 'out.rec'}", *more]

    def start(self, *arguments, **options):
        return RunningTool(self, *arguments, **options)

    def one_error(self, code, returned, stderr, *messages):
        """Checks that stderr has one error line, and no text of a library."""
        self.assertEqual(returned, code, stderr)
        self.assertEqual(stderr.count("error: "), 1, stderr)
        for text in messages:
            self.assertIn(text, stderr)
        for stranger in STRANGERS:
            self.assertNotIn(stranger, stderr)

    def refused_with_one_line(self, code, arguments, *messages, **options):
        returned, stderr = self.start(*arguments, **options).finish(timeout=120)
        self.one_error(code, returned, stderr, *messages)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertEqual([p.name for p in self.folder.glob("out.*")], [])


class InheritedSignals(ProcessCase):
    """A parent ignores or blocks a signal: nohup, `cmd &`, a daemon that does not wait for its children."""

    @staticmethod
    def ignores(*signals):
        return lambda: [signal.signal(number, signal.SIG_IGN) for number in signals]

    @staticmethod
    def blocks(*signals):
        return lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signals)

    def is_as_ever(self, *arguments):
        tool = self.start(*arguments, preexec_fn=self.ignores(signal.SIGCHLD))
        code, stderr = tool.finish(timeout=120)
        self.assertEqual(code, 0, stderr)

    def test_sigchld_ignored_train_sweep(self):
        self.is_as_ever(*self.training("train_sweep"))

    def test_sigchld_ignored_scale_run(self):
        self.is_as_ever(*self.training("scale_run", "--ranks=2"))

    def test_sigchld_ignored_report(self):
        self.is_as_ever("report", f"--input={self.sweep}", f"--output={self.folder / 'out.html'}")

    def endless_sweep(self, preexec):
        tool = self.start(*self.training("train_sweep", "--threads=1", length="--repeats=100000"), preexec_fn=preexec)
        self.assertTrue(eventually(lambda: any(at_work(child, seconds=1) for child in tool.children())))
        return tool

    def test_sigterm_blocked_by_the_parent(self):
        tool = self.endless_sweep(self.blocks(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD))
        tool.process.send_signal(signal.SIGTERM)
        self.one_error(143, *tool.finish(), "stopped by SIGTERM")

    def test_sigint_and_sighup_ignored_by_the_parent(self):
        tool = self.endless_sweep(self.ignores(signal.SIGINT, signal.SIGHUP))
        for number in (signal.SIGINT, signal.SIGHUP):
            tool.process.send_signal(number)
        with self.assertRaises(subprocess.TimeoutExpired):
            tool.process.wait(timeout=1)
        tool.process.send_signal(signal.SIGTERM)  # SIGTERM still works
        self.one_error(143, *tool.finish(), "stopped by SIGTERM")

    def test_sighup_stops_and_leaves_no_journal_without_a_point(self):
        tool = self.endless_sweep(None)
        tool.process.send_signal(signal.SIGHUP)
        self.one_error(129, *tool.finish(), "stopped by SIGHUP")
        self.assertFalse((self.folder / "out.rec.part").exists())


class Clock(ProcessCase):
    """The system's clock is set while a tool works: by NTP, or because a virtual machine continues after a pause."""

    def set_while(self, seconds, begun, *arguments):
        """Sets the clock once `begun` of the running tool is true. Returns its exit code and standard error."""
        step = self.folder / "clock_is_set"
        step.unlink(missing_ok=True)
        library = self.compiled("clock_step.so", CLOCK_STEP, "-shared", "-fPIC")
        tool = self.start(*arguments, env={"LD_PRELOAD": str(library), "CLOCK_STEP_FILE": str(step),
                                           "CLOCK_STEP_SECONDS": str(seconds)})
        self.assertTrue(eventually(lambda: begun(tool)), arguments)
        step.touch()
        return tool.finish(timeout=120)

    def long_training(self, tool, *more):
        """Returns a command that works for about a second: two epochs can end before children_at_work() sees them."""
        return self.training(tool, *more, length="--epochs=400")

    @staticmethod
    def children_at_work(tool, count=1):
        return len(tool.children()) >= count and all(at_work(child) for child in tool.children())

    def test_clock_set_forward_2h_train_sweep(self):
        code, stderr = self.set_while(7200, self.children_at_work, *self.long_training("train_sweep"))
        self.assertEqual(code, 0, stderr)

    def test_clock_set_back_2h_train_sweep(self):
        code, stderr = self.set_while(-7200, self.children_at_work, *self.long_training("train_sweep"))
        self.assertEqual(code, 0, stderr)

    def test_clock_set_forward_2h_scale_run(self):
        two = lambda tool: self.children_at_work(tool, 2)
        code, stderr = self.set_while(7200, two, *self.long_training("scale_run", "--ranks=2", "--timeout=60s"))
        self.assertEqual(code, 0, stderr)

    def test_clock_set_back_2h_scale_run(self):
        two = lambda tool: self.children_at_work(tool, 2)
        code, stderr = self.set_while(-7200, two, *self.long_training("scale_run", "--ranks=2", "--timeout=60s"))
        self.assertEqual(code, 0, stderr)

    def slow_programs(self, script):
        """Returns a folder with stand-ins for gnuplot and g++."""
        folder = self.folder / "programs"
        folder.mkdir()
        for name in ("gnuplot", "g++"):
            (folder / name).write_text("#!/bin/sh\n" + script)
            (folder / name).chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def test_clock_set_forward_2h_doctor(self):
        """Each program that was still being asked was once reported as hung."""
        path = self.slow_programs("sleep 2; echo 12.2.0\n")
        library = self.compiled("clock_step.so", CLOCK_STEP, "-shared", "-fPIC")
        step = self.folder / "clock_is_set"
        tool = self.start("doctor", "--timeout=60s", env={"PATH": path, "LD_PRELOAD": str(library),
                                                          "CLOCK_STEP_FILE": str(step), "CLOCK_STEP_SECONDS": "7200"})
        self.assertTrue(eventually(tool.children))
        step.touch()
        stdout, _ = tool.process.communicate(timeout=120)
        self.assertIn(b"12.2.0", stdout)
        self.assertNotIn(b"hung", stdout)


class Refusals(ProcessCase):
    def test_inject_getrandom_ENOSYS(self):
        """The tool once retried for ever. Ranks must run without shared memory, or the run must end with one line."""
        launcher = self.compiled("without_getrandom", WITHOUT_GETRANDOM)
        code, stderr = self.start(*self.training("scale_run", "--ranks=2"), prefix=[str(launcher)]).finish(timeout=120)
        if code == 0:
            self.assertNotIn("error: ", stderr)
        else:
            self.one_error(5, code, stderr, "getrandom")

    @staticmethod
    def with_limit(which, number):
        return lambda: resource.setrlimit(which, (number, number))

    def test_rlimit_nofile_scale_run(self):
        for number in (6, 7, 12):
            with self.subTest(limit=number):
                self.refused_with_one_line(5, self.training("scale_run", "--ranks=2"),
                                           "expected a limit of at least 80 open files", f"found {number};",
                                           "ulimit -n 80", preexec_fn=self.with_limit(resource.RLIMIT_NOFILE, number))

    def test_rlimit_nofile_soft_is_raised(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        low = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (7, hard))
        code, stderr = self.start(*self.training("scale_run", "--ranks=2"), preexec_fn=low).finish(timeout=120)
        self.assertEqual(code, 0, stderr)

    def test_rlimit_nofile_report(self):
        sweep = self.folder / "plots.rec"
        self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20,40",
                  "--epochs=2", f"--output={sweep}", check=True)
        for number in (5, 12):
            with self.subTest(limit=number):
                returned, stderr = self.start("report", f"--input={sweep}", f"--output={self.folder / 'out.html'}",
                                              preexec_fn=self.with_limit(resource.RLIMIT_NOFILE, number)).finish()
                self.one_error(5, returned, stderr, "open files", "ulimit -n")
                self.assertEqual([p.name for p in self.folder.glob("out.*")], [])

    def test_rlimit_stack_64k(self):
        limit = self.with_limit(resource.RLIMIT_STACK, 64 << 10)
        for arguments in (self.training("train_sweep"),
                          ["report", f"--input={self.sweep}", f"--output={self.folder / 'out.html'}"]):
            with self.subTest(tool=arguments[0]):
                self.refused_with_one_line(5, arguments, "a stack of at least 128 KiB", "found a limit of 64 KiB",
                                           "ulimit -s", preexec_fn=limit)

    def test_omp_nonsense(self):
        for variable in ("OMP_NUM_THREADS=abc", "OMP_DYNAMIC=maybe", "GOMP_CPU_AFFINITY=zz"):
            with self.subTest(variable=variable):
                self.refused_with_one_line(2, self.training("train_sweep"), f"train_sweep: error: {variable}: expected ",
                                           env=dict([variable.split("=")]))

    def test_build_working_directory_wrong(self):
        for arguments in (self.training("train_sweep"), ["cifar_prep", f"--output={self.folder / 'out.rec'}"]):
            with self.subTest(tool=arguments[0]):
                self.refused_with_one_line(2, arguments, "BUILD_WORKING_DIRECTORY=/nonexistent",
                                           env={"BUILD_WORKING_DIRECTORY": "/nonexistent"})

    def in_folder(self, enter):
        """Starts train_sweep and quantize in the folder that `enter` changes to."""
        for arguments in (self.training("train_sweep"),
                          ["quantize", f"--input={self.dataset}", f"--checkpoint={self.checkpoint}",
                           f"--output={self.folder / 'out.rec'}"]):
            with self.subTest(tool=arguments[0]):
                self.refused_with_one_line(2, arguments, "expected a working folder that exists", preexec_fn=enter)

    def test_deleted_cwd(self):
        def enter():
            gone = self.folder / "gone"
            gone.mkdir()
            os.chdir(gone)
            gone.rmdir()

        self.in_folder(enter)

    def test_cwd_of_4_KB(self):
        def enter():
            os.chdir(self.folder)
            for _ in range(17):
                os.makedirs("x" * 250, exist_ok=True)
                os.chdir("x" * 250)

        self.in_folder(enter)
        subprocess.run(["rm", "-r", self.folder / ("x" * 250)], check=True)  # shutil.rmtree needs whole paths

    def without(self, mount_point):
        """Returns a command that starts another one with an empty file system at `mount_point`."""
        hide = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
                f'mount -t tmpfs none {mount_point} && exec "$@"', "sh"]
        if shutil.which("unshare") is None or subprocess.run([*hide, "true"], capture_output=True).returncode != 0:
            self.skipTest("no mount namespace to be had")
        return hide

    def test_proc_missing(self):
        self.refused_with_one_line(5, self.training("train_sweep"), "cannot read /proc/self/exe", "mount /proc",
                                   prefix=self.without("/proc"))

    def test_dev_empty(self):
        quantize = ["quantize", f"--input={self.dataset}", f"--checkpoint={self.checkpoint}",
                    f"--output={self.folder / 'out.rec'}"]
        for arguments in (self.training("train_sweep"), quantize):
            with self.subTest(tool=arguments[0]):
                self.refused_with_one_line(5, arguments, "cannot read /dev/urandom", "mount /dev",
                                           prefix=self.without("/dev"))


class Descendants(ProcessCase):
    def test_doctor_leaves_grandchildren_of_hanging_programs(self):
        """g++ and gnuplot hang, and the processes that they started would outlive them; also if the doctor itself is
        stopped."""
        programs = self.folder / "programs"
        programs.mkdir()
        for name in ("g++", "gnuplot"):
            (programs / name).write_text("#!/bin/sh\nsleep 600 >/dev/null 2>&1 3>&- &\nexec sleep 600\n")
            (programs / name).chmod(0o755)
        for stop in (False, True):
            with self.subTest(stop=stop):
                mark = f"{os.getpid()}.{stop}"
                tool = self.start("doctor", "--timeout=60s" if stop else "--timeout=2s",
                                  env={"PATH": f"{programs}:{os.environ['PATH']}", VARIABLE: mark})
                if stop:
                    self.assertTrue(eventually(lambda: len(tool.children()) >= 2))
                    with self.assertRaises(subprocess.TimeoutExpired):
                        tool.process.wait(timeout=1)  # the programs start
                    tool.process.send_signal(signal.SIGTERM)
                tool.finish()
                self.assertEqual(end_orphans(mark, seconds=5), 0)


if __name__ == "__main__":
    run_tests(__doc__)
