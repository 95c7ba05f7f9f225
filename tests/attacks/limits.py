"""Numbers that are out of range, killed children, and waits that would not end."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from running_tool import RunningTool, at_work, eventually
from tool_case import TOOLS, ToolCase, run_tests

# Words of libraries, which must not reach the user.
STRANGERS = ("libgomp", "terminate called", "frame #", "what():", "[c10d]", "*** ", "Traceback")

# A number flag in the output of --help=all: name, default, range, and the line below.
NUMBER_FLAG = re.compile(r"^  --(\w+) \(default: ([^;\n]*); from (\S+) to (\S+)\)\n +(.*)$", re.MULTILINE)
ANY_FLAG = re.compile(r"^  --(\w+) \(default: (.*)\)$", re.MULTILINE)


def bad_values(default, minimum, maximum):
    """Returns values that are no valid time, count or fraction; also 0 where it is not allowed."""
    if maximum[-1] in "hms":
        return ["-1s", "25h", "1e308s", "inf", "nan", "4294967295"] + (["0"] if minimum != "0" else [])
    values = ["-1", "1e308", "inf", "nan"] if "." in default else ["-1", "4294967295", "18446744073709551616"]
    return values + (["0"] if minimum != "0" else [])


def allowed(value, maximum):
    """Returns true if the value is a count of 32 bits that the flag takes."""
    return value == "4294967295" and maximum[-1].isdigit() and float(maximum) >= 2**32


class NumberFlags(ToolCase):
    """Every number flag of every tool must refuse values outside its range at once, in one line."""

    @classmethod
    def setUpClass(cls):  # these tests read no data
        pass

    def help(self, tool):
        return self.call(tool, "--help=all", check=True).stdout.decode()

    def test_each_has_a_range(self):
        for tool in TOOLS:
            text = self.help(tool)
            ranged = {match[0] for match in NUMBER_FLAG.findall(text)}
            for name, default in ANY_FLAG.findall(text):
                if re.match(r"[-\d.]+(s|,|;|$)", default):
                    self.assertIn(name, ranged, f"{tool} --{name}: a number without a range")
        self.assertGreaterEqual(len(NUMBER_FLAG.findall(self.help("train_sweep"))), 21)

    def refusals(self):
        """Yields (tool, flag, value, range) to try. A flag that two tools share, word for word, is tried in the first
        tool only."""
        seen = set()
        for tool in TOOLS:
            for flag in NUMBER_FLAG.findall(self.help(tool)):
                name, default, minimum, maximum, _ = flag
                values = bad_values(default, minimum, maximum) if flag not in seen else ["-1"]
                seen.add(flag)
                for value in values:
                    if not allowed(value, maximum):
                        yield tool, name, value, f"from {minimum} to {maximum}"

    def test_each_refuses_what_lies_outside(self):
        def attempt(case):
            tool, flag, value, _ = case
            return case, self.call(tool, f"--{flag}={value}", "--input=no_such.rec", f"--output={self.folder}/out.rec")

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            results = list(pool.map(attempt, self.refusals()))
        self.assertGreater(len(results), 100)
        for (tool, flag, value, _), result in results:
            with self.subTest(tool=tool, flag=flag, value=value):
                stderr = result.stderr.decode()
                self.assertEqual(result.returncode, 2, stderr)
                self.assertEqual(stderr.count("\n"), 1, stderr)
                self.assertRegex(stderr, rf"^{tool}: error: --{flag}\b")


class Counts(ToolCase):
    """Numbers that once overflowed, in runs that would begin."""

    def sweep_of(self, *more):
        return ["--model=lenet5", "--device=cpu", "--batch_size=20", f"--input={self.dataset}", *more]

    def test_epochs_that_wrap_to_none(self):
        self.refused(2, "train_sweep", *self.sweep_of("--repeats=4294967295"),
                     message=["--repeats", "from 1 to 1000000"])
        self.refused(2, "scale_run", *self.sweep_of("--ranks=1", "--repeats=4294967295"),
                     message=["--repeats", "from 1 to 1000000"])

    def test_threads_that_no_machine_has(self):
        self.refused(2, "train_sweep", *self.sweep_of("--threads=1000000000"), message="--threads=1000000000: expected")
        self.refused(2, "train_sweep", *self.sweep_of("--loader_workers=1000000"),
                     message="--loader_workers=1000000: expected")

    def test_the_ends_of_the_ranges_are_taken(self):
        last = ["--loader_workers=256", "--resume", "--state_every=1000000", "--evaluate_every=1000000", "--momentum=1",
                f"--seed={2**64 - 1}"]
        result = self.call("train_sweep", *self.sweep_of("--epochs=2", *last), f"--output={self.folder / 'ends.rec'}")
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_less_memory_than_loading_takes(self):
        result = self.call("train_sweep", *self.sweep_of("--epochs=1", "--memory_limit_bytes=1000000"),
                           f"--output={self.folder / 'out.rec'}")
        self.assertEqual(result.returncode, 5, result.stderr.decode())
        errors = [line for line in result.stderr.decode().splitlines() if "error: " in line and "train_sweep: " in line]
        self.assertEqual(len(errors), 1, result.stderr.decode())
        self.assertIn("a memory limit of 1000000 bytes", errors[0])


class KilledChildren(ToolCase):
    def start_sweep(self, output, *more):
        return RunningTool(self, "train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", *more,
                           f"--output={output}")

    def kill_a_point(self, number, *more):
        output = self.folder / f"killed_{number}.rec"
        tool = self.start_sweep(output, *more)
        child = eventually(tool.children)[0]
        eventually(lambda: at_work(child))
        os.kill(child, number)
        return output, *tool.finish()

    def test_a_point_killed_by_a_signal_is_no_result(self):
        for number, message in [(signal.SIGSEGV, "signal 11"), (signal.SIGKILL, "signal 9"),
                                (signal.SIGTERM, "signal 15")]:
            with self.subTest(signal=number):
                output, code, stderr = self.kill_a_point(number, "--batch_size=20", "--repeats=100000", "--threads=1")
                self.assertEqual(code, 5, stderr)
                self.assertEqual(stderr.count("error: "), 1, stderr)
                self.assertIn("train_sweep: error: batch 20: its process was ended by " + message, stderr)
                self.assertFalse(output.exists())

    def test_finished_points_are_kept_and_the_killed_one_is_measured(self):
        output = self.folder / "kept.rec"
        command = ["--batch_size=40,20", "--repeats=2", "--threads=1"]
        tool = self.start_sweep(output, *command)
        first = eventually(tool.children)[0]
        second = eventually(lambda: [c for c in tool.children() if c != first], seconds=120)
        self.assertTrue(second, "the first point took too long")
        os.kill(second[0], signal.SIGKILL)
        code, stderr = tool.finish()
        self.assertEqual(code, 5, stderr)
        self.assertIn("error: batch 20: ", stderr)
        code, stderr = self.start_sweep(output, *command).finish(timeout=120)
        self.assertEqual(code, 0, stderr)
        self.assertRegex(stderr, r"batch 40: .* \(from the previous run\)")
        self.assertRegex(stderr, r"batch 20: [\d.]+ m?s per epoch")
        self.assertNotIn("cached", stderr)

    def test_a_rank_that_was_stopped_is_named_and_not_the_one_that_lost_it(self):
        for rank in (0, 1):
            with self.subTest(rank=rank):
                tool = RunningTool(self, "scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu",
                                   "--ranks=2", "--batch_size=10", "--repeats=100000", "--threads=1",
                                   f"--output={self.folder / 'ranks.rec'}")
                ranks = eventually(lambda: len(tool.children()) == 2 and tool.children())
                eventually(lambda: all(at_work(pid, seconds=1.5) for pid in ranks))
                os.kill(ranks[rank], signal.SIGTERM)
                code, stderr = tool.finish()
                self.assertEqual(code, 5, stderr)
                # On a slow machine it may still be loading LibTorch, and is then killed by the signal.
                self.assertRegex(stderr, rf"rank {rank} of 2 was (stopped by SIGTERM|killed by signal 15)")
                self.assertEqual(stderr.count("error: "), 1, stderr)

    def test_a_failed_point_is_one_error_line(self):
        """The file size limit is below the checkpoint's 250 KB and above the record's size."""
        weights = self.folder / "weights.pt"
        result = subprocess.run(["bash", "-c", 'ulimit -f 200; exec "$@"', "bash", self.tools / "train_sweep",
                                 f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                                 f"--checkpoint={weights}", f"--output={self.folder / 'failed.rec'}"],
                                capture_output=True, timeout=240)
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, 5, stderr)
        self.assertEqual(stderr.count("weights.pt: cannot write"), 1, stderr)
        self.assertRegex(stderr, r"(?m)^batch 20: FAILED$")


class Waits(ToolCase):
    def one_line(self, code, returned, stderr, message):
        self.assertEqual(returned, code, stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertIn(message, stderr)
        for stranger in STRANGERS:
            self.assertNotIn(stranger, stderr)

    def training(self, tool, *more):
        return [tool, f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=2",
                f"--output={self.folder / 'out.rec'}", *more]

    def test_more_threads_than_openmp_gives(self):
        limit = {"OMP_THREAD_LIMIT": "1"}
        for arguments in (self.training("train_sweep", "--threads=2"),
                          self.training("scale_run", "--threads=2", "--ranks=1")):
            with self.subTest(tool=arguments[0]):
                result = self.call(*arguments, env=limit, timeout=60)
                self.one_line(2, result.returncode, result.stderr.decode(), "--threads=2: OMP_THREAD_LIMIT allows 1")
        # Without --threads, LibTorch's default is one thread per core, and is reduced to the limit.
        result = self.call(*self.training("train_sweep"), env=limit, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_fewer_threads_when_the_machine_is_busy(self):
        result = self.call(*self.training("train_sweep", "--threads=2"), env={"OMP_DYNAMIC": "true"}, timeout=60)
        self.assertEqual(result.returncode, 0, result.stderr.decode())

    def test_a_fifo_where_a_side_file_would_go(self):
        fifo = self.folder / "side.fifo"
        os.mkfifo(fifo)
        state = self.folder / "out.rec.batch20.state"
        os.mkfifo(state)
        for more, message in [([f"--checkpoint={fifo}"], "side.fifo: is a device or a pipe"),
                              (["--resume"], "out.rec.batch20.state: is a device or a pipe")]:
            with self.subTest(more=more):
                result = self.call(*self.training("train_sweep", *more), timeout=60)
                self.one_line(2, result.returncode, result.stderr.decode(), message)

    def test_no_loopback_device(self):
        alone = ["unshare", "--user", "--map-root-user", "--net"]
        if shutil.which("unshare") is None or subprocess.run([*alone, "true"], capture_output=True).returncode != 0:
            self.skipTest("no network namespace to be had")
        arguments = self.training("scale_run", "--ranks=1", "--threads=1")
        tool = RunningTool(self, *arguments, prefix=alone)
        self.one_line(5, *tool.finish(timeout=60), "127.0.0.1, which cannot be reached: Network is unreachable")

    def readers(self, fifo):
        yield "train_sweep", f"--input={fifo}"
        yield ("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20",
               f"--init={fifo}")
        yield "scale_run", f"--input={fifo}"
        yield ("scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20",
               f"--prediction={fifo}")
        for flag in ("input", "audit", "times", "all_reduce"):
            yield "comm_model", f"--{flag}={fifo}"
        yield "quantize", f"--input={self.dataset}", f"--checkpoint={fifo}"
        yield "quantize", f"--verify={fifo}"
        yield "report", f"--input={fifo}"
        yield "report", f"--print={fifo}"

    def outputs(self, reader, i):
        """Returns the output flag of a reader that has one."""
        return [] if reader[-1].startswith(("--verify", "--print")) else [f"--output={self.folder}/{i}.html"]

    @staticmethod
    def holds(pid, path):
        """Returns true if the process has the file open."""
        try:
            return str(path) in [os.readlink(fd.path) for fd in os.scandir(f"/proc/{pid}/fd")]
        except OSError:
            return False

    def test_a_stop_while_a_fifo_is_opened(self):
        fifo = self.folder / "in.fifo"
        os.mkfifo(fifo)
        tools = [RunningTool(self, *reader, *self.outputs(reader, i)) for i, reader in enumerate(self.readers(fifo))]
        for tool in tools:
            self.assertTrue(eventually(lambda: self.holds(tool.process.pid, fifo)), tool.process.args)
        for i, tool in enumerate(tools):
            number, code, name = [(signal.SIGTERM, 143, "SIGTERM"), (signal.SIGINT, 130, "SIGINT")][i % 2]
            with self.subTest(command=tool.process.args[1:]):
                tool.process.send_signal(number)
                self.one_line(code, *tool.finish(timeout=30), f"stopped by {name}")


if __name__ == "__main__":
    run_tests(__doc__)
