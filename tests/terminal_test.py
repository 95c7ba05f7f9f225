"""Tests the terminal output of long steps: Ctrl-C and SIGTERM in every tool, progress, and the cached answer.

Starts the real tools. Run by bazel (tests/BUILD), or directly:
    python3 tests/terminal_test.py --tools bazel-bin/tools
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import bazel_unittest

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def catches(process, signal_number):
    """Returns true if the process has its handler installed (the bit mask SigCgt of proc(5))."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*([0-9a-f]+)", status).group(1), 16) >> (signal_number - 1) & 1


def reads_stdin(process):
    """Returns true if the process waits in read(2) on descriptor 0 (proc(5), "syscall": number, then arguments)."""
    return pathlib.Path(f"/proc/{process.pid}/syscall").read_text().startswith("0 0x0 ")


class TerminalTest(unittest.TestCase):
    tools = None

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.shared.name)
        cls.dataset = folder / "dataset.rec"
        cls.run_tool("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40",
                     f"--output={cls.dataset}")

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(temporary.name)
        self.addCleanup(temporary.cleanup)

    @classmethod
    def run_tool(cls, tool, *arguments, **options):
        return subprocess.run([str(cls.tools / tool), *map(str, arguments)], check=True, capture_output=True, timeout=240,
                              **options)

    def wait_until(self, condition, process):
        end = time.monotonic() + 60
        while not condition():
            self.assertIsNone(process.poll(), "the tool ended by itself")
            self.assertLess(time.monotonic(), end, "nothing happened for a minute")
            time.sleep(0.002)

    # --- SIGINT, SIGTERM ---

    def stops(self, tool, *arguments, first_bytes=None):
        """Both signals must end the tool with their code, one line and no file, while it waits for input and while it
        works."""
        for number, code in EXIT_CODES.items():
            output = self.folder / "out.rec"
            process = subprocess.Popen([str(self.tools / tool), *arguments, f"--output={output}"], stdin=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            if first_bytes is not None:
                process.stdin.write(first_bytes)
                process.stdin.flush()
                self.wait_until(lambda: catches(process, number) and reads_stdin(process), process)
            else:
                self.wait_until(lambda: catches(process, number), process)
            process.send_signal(number)
            started = time.monotonic()
            process.wait(timeout=60)  # before its input ends, which must not be necessary
            waited = time.monotonic() - started
            stderr = process.stderr.read().decode()
            process.stdin.close()
            process.stderr.close()
            self.assertEqual(process.returncode, code, f"{tool}: {stderr}")
            self.assertIn("stopped by " + number.name, stderr)
            self.assertEqual(len([line for line in stderr.splitlines() if "error:" in line]), 1, stderr)
            self.assertFalse(output.exists(), tool)
            self.assertLess(waited, 10, tool)

    def test_cifar_prep_stops_at_work(self):
        self.stops("cifar_prep", "--input_format=synthetic", "--train_images=200000")

    def test_tools_stop_at_work(self):
        common = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--repeats=100000"]
        self.stops("train_sweep", *common, "--batch_size=20")
        self.stops("scale_run", *common, "--batch_size=20", "--ranks=2")

    def test_tools_stop_while_they_wait_for_input(self):
        beginning = self.dataset.read_bytes()[:1000]
        self.stops("train_sweep", "--input=-", "--device=cpu", first_bytes=beginning)
        self.stops("scale_run", "--input=-", "--device=cpu", first_bytes=beginning)
        self.stops("comm_model", "--input=-", first_bytes=beginning[:100])
        self.stops("report", "--input=-", first_bytes=beginning)
        checkpoint = self.folder / "lenet5.pt"
        self.run_tool("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                      f"--checkpoint={checkpoint}", f"--output={self.folder / 'sweep.rec'}")
        self.stops("quantize", "--input=-", f"--checkpoint={checkpoint}", first_bytes=beginning)

    # --- progress ---

    def on_a_terminal(self, environment):
        """Returns the output of a sweep of some seconds on a terminal 60 columns wide, stopped after its first bar."""
        parent, child = pty.openpty()
        os.set_blocking(parent, False)
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        process = subprocess.Popen([str(self.tools / "train_sweep"), f"--input={self.dataset}", "--model=lenet5",
                                    "--device=cpu", "--batch_size=20", "--repeats=100000", f"--output={self.folder / 'x.rec'}"],
                                   stderr=child, env={**os.environ, "TERM": "xterm", **environment})
        os.close(child)
        text = b""
        end = time.monotonic() + 60
        while text.count(b"\r") < 3 and time.monotonic() < end:
            if select.select([parent], [], [], 1)[0]:
                text += os.read(parent, 65536)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        os.close(parent)
        return text.decode()

    def test_a_bar_with_rate_and_time_left_on_a_terminal(self):
        text = self.on_a_terminal({"NO_COLOR": ""})
        bars = re.findall(r"\r(.*?)\x1b\[K", text)
        self.assertGreaterEqual(len(bars), 2, text)
        self.assertRegex(bars[0], r"^\[\x1b\[32m#*\x1b\[0m-+\] lenet5 batch 20 +\d+% ")
        for bar in bars:
            self.assertLess(len(re.sub(r"\x1b\[\d+m", "", bar)), 60, bar)

    def test_no_colour_where_none_is_wanted(self):
        text = self.on_a_terminal({"NO_COLOR": "1"})
        self.assertRegex(text, r"\r\[#*-+\] lenet5 batch 20")
        self.assertNotRegex(text, r"\x1b\[[0-9;]*m")

    def test_no_bar_in_a_file(self):
        made = self.run_tool("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu",
                             "--batch_size=20", "--epochs=2", f"--output={self.folder / 'x.rec'}")
        self.assertNotIn(b"\r", made.stderr)
        self.assertNotIn(b"\x1b", made.stderr)

    # --- the front of the tools that load LibTorch ---

    def test_what_needs_no_torch_does_not_load_it(self):
        arguments = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                     f"--checkpoint={self.folder / 'lenet5.pt'}", f"--output={self.folder / 'sweep.rec'}"]
        self.assertNotIn(b"cached", self.run_tool("train_sweep", *arguments).stderr)
        # Without the program that loads it, only the front program can answer.
        alone = self.folder / "alone" / "train_sweep"
        (alone.parent / "libexec").mkdir(parents=True)
        shutil.copy((self.tools / "train_sweep").resolve(), alone)
        worker = (self.tools / "train_sweep").resolve().parent / "libexec" / "train_sweep"
        shutil.copy(worker, alone.parent / "libexec" / "train_sweep")
        os.chmod(alone.parent / "libexec" / "train_sweep", 0o444)
        self.assertIn(b"cached", subprocess.run([alone, *arguments], capture_output=True, check=True).stderr)
        changed = subprocess.run([alone, *arguments, "--seed=1"], capture_output=True)
        self.assertEqual(changed.returncode, 5)
        self.assertIn(b"cannot start", changed.stderr)
        for wrong, code in (["--help"], 0), (["--version"], 0), (["--seed=-1"], 2), (["--max_batch=64"], 2):
            answer = subprocess.run([alone, *arguments, *wrong], capture_output=True)
            self.assertEqual(answer.returncode, code, answer.stderr)
        (self.folder / "lenet5.pt").unlink()
        gone = subprocess.run([alone, *arguments], capture_output=True)
        self.assertIn(b"cannot start", gone.stderr)


if __name__ == "__main__":
    bazel_unittest.main_of(TerminalTest, folders=("tools",))
