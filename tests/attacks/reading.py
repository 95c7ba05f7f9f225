"""Inputs that are damaged, endless, absurd or oddly named, and results that have changed."""

import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from record_bytes import whole_records
from tool_case import ToolCase, run_tests


def varint(number):
    encoded = b""
    while number >= 0x80:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def field(number, content):
    """Returns a field of a protobuf message: an integer, a double, or bytes (a text, a message)."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, float):
        return varint(number << 3 | 1) + struct.pack("<d", content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def frame(record):
    return field(1, record) + b"\x15" + struct.pack("<I", zlib.crc32(record))


def flip(path, record):
    """Flips one bit in the middle of one record of a file."""
    data = bytearray(path.read_bytes())
    records = whole_records(data)
    at = bytes(data).index(records[record]) + len(records[record]) // 2
    data[at] ^= 0x10
    path.write_bytes(data)


class Damaged(ToolCase):
    """A result that is reported as cached was read completely; a damaged one is made again, and a line reports this."""

    def made_again(self, damaged, tool, *arguments, why="bytes are damaged"):
        made = self.call(tool, *arguments)
        stderr = made.stderr.decode()
        self.assertEqual(made.returncode, 0, stderr)
        self.assertIn(f"{tool}: making ", stderr)
        self.assertIn(f"{damaged}", stderr)
        self.assertIn(why, stderr)
        self.assertNotIn("cached", stderr)
        again = self.call(tool, *arguments)
        self.assertIn(f"{tool}: cached ", again.stderr.decode())
        return made

    def test_data_set(self):
        output = self.folder / "d.rec"
        arguments = ["--input_format=synthetic", "--train_images=80", "--test_images=40", f"--output={output}"]
        self.call("cifar_prep", *arguments, check=True)
        whole = whole_records(output.read_bytes())[1:-1]
        flip(output, 3)
        self.made_again(output, "cifar_prep", *arguments)
        self.assertEqual(whole_records(output.read_bytes())[1:-1], whole)

    def test_sweep_and_its_checkpoint(self):
        output, checkpoint = self.folder / "s.rec", self.folder / "c.pt"
        arguments = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                     f"--checkpoint={checkpoint}", f"--output={output}"]
        self.call("train_sweep", *arguments, check=True)
        flip(output, 2)
        self.made_again(output, "train_sweep", *arguments)
        weights = bytearray(checkpoint.read_bytes())
        weights[len(weights) // 2] ^= 1
        checkpoint.write_bytes(weights)
        self.made_again(checkpoint, "train_sweep", *arguments, why="differs")

    def test_model_that_is_printed_too(self):
        output = self.folder / "m.rec"
        table = self.published / "hand_in_000.textproto"
        arguments = [f"--audit={table}", f"--output={output}", "--format=text"]
        before = self.call("comm_model", *arguments, check=True)
        flip(output, 2)
        self.assertEqual(self.made_again(output, "comm_model", *arguments).stdout, before.stdout)

    def test_report_and_its_page(self):
        page = self.folder / "r.html"
        arguments = [f"--input={self.sweep}", f"--output={page}"]
        self.call("report", *arguments, check=True)
        text = page.read_bytes()
        page.write_bytes(text.replace(b"html", b"htnl", 1))
        self.made_again(page, "report", *arguments, why="differs")
        self.assertEqual(page.read_bytes(), text)
        flip(self.folder / "r.rec", 2)
        self.made_again(self.folder / "r.rec", "report", *arguments)


class Endless(ToolCase):
    """Readers have limits, and a stop signal ends them."""

    FLAGS = [["--audit={}"], ["--times={}"], ["--all_reduce={}"], ["--input={}"],
             ["--times={table}", "--model_spec={}"], ["--times={table}", "--what_if=8", "--cluster={}"]]

    def flags(self, path):
        table = self.published / "pytorch_ddp_4xh200.csv"
        for flags in self.FLAGS:
            yield [flag.format(path, table=table) for flag in flags]

    def bounded(self, tool, *arguments, kib, timeout=30):
        """Runs the tool with a limit on address space, so that a reader without a limit cannot use up the machine's
        memory."""
        return subprocess.run(["sh", "-c", f'ulimit -v {kib}; exec "$0" "$@"', str(self.tools / tool),
                               *map(str, arguments)], capture_output=True, timeout=timeout)

    def one_line(self, result, codes):
        stderr = result.stderr.decode()
        self.assertIn(result.returncode, codes, stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertIn(": error: ", stderr)

    def test_sparse_file(self):
        sparse = self.folder / "sparse"
        with open(sparse, "wb") as file:
            file.truncate(8 << 30)
        for flags in [*self.flags(sparse), *self.flags("/dev/zero")]:
            with self.subTest(flags):
                self.one_line(self.bounded("comm_model", *flags, f"--output={self.folder / 'm.rec'}", kib=2 << 20), [3])

    def test_endless_checkpoint(self):
        self.refused(3, "quantize", f"--input={self.dataset}", "--checkpoint=/dev/zero", "--calibration_images=40",
                     message=["/dev/zero", "expected at most"])

    def test_memory_that_ends_is_one_line(self):
        archive = self.folder / "large.tar"
        with open(archive, "wb") as file:
            file.truncate(512 << 20)
        result = self.bounded("cifar_prep", f"--input={archive}", f"--output={self.folder / 'd.rec'}", kib=256 << 10)
        self.one_line(result, [5])
        self.assertIn(b"out of memory", result.stderr)

    def test_pipe_that_nobody_writes(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for tool, flag in [("comm_model", "--audit"), ("comm_model", "--input"), ("report", "--input")]:
            with self.subTest(tool=tool, flag=flag):
                process = subprocess.Popen([str(self.tools / tool), f"{flag}={pipe}", f"--output={self.folder / 'o.html'}"],
                                           stderr=subprocess.PIPE)
                self.wait_until_it_catches_signals(process.pid)
                process.send_signal(signal.SIGTERM)
                _, stderr = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 143, stderr)
                self.assertIn(b"stopped by SIGTERM", stderr)

    def wait_until_it_catches_signals(self, pid):
        """Waits until the process catches SIGTERM and sleeps: it then waits for the pipe."""
        for _ in range(1000):
            status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
                          if ":" in line)
            if int(status["SigCgt"], 16) >> (signal.SIGTERM - 1) & 1 and status["State"].strip().startswith("S"):
                return
            time.sleep(0.01)
        self.fail("the tool did not come to wait for the pipe")


class OtherEnvironment(ToolCase):
    """Times that were measured under other conditions must not be reused."""

    def setUp(self):
        super().setUp()
        self.arguments = [f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=40", "--epochs=1",
                          f"--output={self.folder / 's.rec'}"]
        self.call("train_sweep", *self.arguments, check=True)

    def test_a_library_s_variable(self):
        self.assertIn("cached", self.call("train_sweep", *self.arguments).stderr.decode())
        changed = self.call("train_sweep", *self.arguments, env={"DNNL_MAX_CPU_ISA": "SSE41"})
        self.assertEqual(changed.returncode, 2, changed.stderr)
        self.assertIn("DNNL_MAX_CPU_ISA: none -> SSE41", changed.stderr.decode())
        changed = self.call("train_sweep", *self.arguments, "--force", env={"DNNL_MAX_CPU_ISA": "SSE41"})
        self.assertEqual(changed.returncode, 0, changed.stderr)
        self.assertNotIn("cached", changed.stderr.decode())

    def test_another_core(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("a machine of one core")
        command = ["taskset", "--cpu-list", str(cores[1]), str(self.tools / "train_sweep"), *self.arguments]
        first = subprocess.run(command, capture_output=True, timeout=240)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertNotIn(b"cached", first.stderr)
        self.assertIn(b"cached", subprocess.run(command, capture_output=True, timeout=240).stderr)
        command[2] = str(cores[0])
        self.assertNotIn(b"cached", subprocess.run(command, capture_output=True, timeout=240).stderr)


class OddNames(ToolCase):
    LATIN1 = b"caf\xe9"

    def copy(self, source, name):
        path = os.fsencode(self.folder) + b"/" + name
        with open(path, "wb") as file:
            file.write(source.read_bytes())
        return os.fsdecode(path)

    def test_a_checkpoint(self):
        checkpoint = os.fsdecode(os.fsencode(self.folder) + b"/" + self.LATIN1 + b".pt")
        result = self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu",
                           "--batch_size=40",
                           "--epochs=1", f"--checkpoint={checkpoint}", f"--output={self.folder / 's.rec'}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(os.path.exists(checkpoint))
        result.stderr.decode()
        self.call("report", f"--print={self.folder / 's.rec'}", check=True)

    def test_a_data_set_for_ranks(self):
        dataset = self.copy(self.dataset, self.LATIN1 + b".rec")
        result = self.call("scale_run", f"--input={dataset}", "--model=lenet5", "--device=cpu", "--ranks=1",
                           "--batch_size=40", "--epochs=2", f"--output={self.folder / 'n.rec'}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn(b"libprotobuf", result.stderr)

    def test_outputs_in_a_folder_of_latin1_name(self):
        folder = os.fsdecode(os.fsencode(self.folder) + b"/" + self.LATIN1)
        os.mkdir(folder)
        result = self.call("scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=1",
                           "--batch_size=40", "--epochs=2", "--resume", f"--checkpoint={folder}/n.pt",
                           f"--output={folder}/n.rec")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertNotIn(b"libprotobuf", result.stderr)
        self.assertEqual(sorted(os.listdir(folder)), ["n.pt", "n.rec"])
        self.call("report", f"--print={folder}/n.rec", check=True)

    def test_pages_are_utf8(self):
        sweep = self.copy(self.sweep, self.LATIN1 + b".rec")
        self.call("report", f"--input={sweep}", f"--output={self.folder / 'r.html'}", check=True)
        for page in ("r.html", "r.md"):
            self.assertIn("caf\\xe9.rec", (self.folder / page).read_bytes().decode().replace("\\\\", "\\"))

    def test_messages_are_utf8(self):
        gone = os.fsdecode(b"/no/such/" + self.LATIN1)
        self.refused(3, "comm_model", f"--audit={gone}", message="/no/such/caf\\xe9")

    def test_markdown_has_no_markup_of_a_name(self):
        sweep = self.copy(self.sweep, b"s\n\n<script>alert(1)<script>`.rec")
        self.call("report", f"--input={sweep}", f"--output={self.folder / 'r.html'}", check=True)
        for page in ("r.html", "r.md"):
            lines = (self.folder / page).read_text().splitlines()
            self.assertTrue(any("script" in line for line in lines))
            self.assertFalse([line for line in lines if line.lstrip().startswith("<script")])


class Absurd(ToolCase):
    """Impossible numbers under correct checksums. Field numbers are those of lib/proto."""

    POINT = 2  # record of the sweep's point: after header and spec

    def forged(self, *changes):
        """Returns the sweep with fields appended to its point: a later value of a field replaces the earlier one."""
        records = whole_records(self.sweep.read_bytes())
        records[self.POINT] += field(4, b"".join(changes))
        path = self.folder / "forged.rec"
        path.write_bytes(b"".join(map(frame, records)))
        return path

    def test_sweep(self):
        cases = {
            "point.batch_size is 0": field(1, 0),
            "point.images_per_epoch is 81": field(5, 81),
            "point.epoch_seconds.value[0] is nan": field(7, field(1, struct.pack("<d", float("nan")))),
            "point.step_seconds.value[0] is -1": field(8, field(1, struct.pack("<d", -1.0))),
            "point.copy_seconds.value[0] is inf": field(10, field(1, struct.pack("<d", float("inf")))),
        }
        for message, change in cases.items():
            with self.subTest(message):
                self.refused(3, "report", f"--input={self.forged(change)}", f"--output={self.folder / 'r.html'}",
                             message=[f"forged.rec: record {self.POINT}: {message}; expected"])
                self.assertFalse((self.folder / "r.html").exists())

    def test_scale(self):
        header, trailer = whole_records(self.sweep.read_bytes())[0], field(2, field(2, 3))
        header = header.replace(b"lockstep.proto.SweepFile", b"lockstep.proto.ScaleFile")
        spec = field(3, b"")
        for message, point in [("point.ranks is 0", field(2, 8) + field(3, 8)),
                               ("point.epoch_seconds.value[0] is -2",
                                   field(1, 1) + field(2, 8) + field(3, 8) + field(10, field(1, struct.pack("<d", -2.0))))]:
            path = self.folder / "forged.rec"
            path.write_bytes(b"".join(map(frame, [header, spec, field(4, point), trailer])))
            with self.subTest(message):
                self.refused(3, "comm_model", f"--input={path}", message=["forged.rec: record 2: ", message])

    def test_many_points_are_a_bounded_page(self):
        records = whole_records(self.sweep.read_bytes())
        many = 20000
        points = [records[self.POINT] + field(4, field(1, 20 + i) + field(3, b"point %d" % i)) for i in range(many)]
        path = self.folder / "many.rec"
        path.write_bytes(b"".join(map(frame, [*records[:2], *points, field(2, field(2, 2 + many))])))
        self.call("report", f"--input={path}", f"--output={self.folder / 'r.html'}", check=True)
        page = (self.folder / "r.html").read_text()
        self.assertIn(f"the first 1000 of each kind are shown, {many - 1000} are left out", page)
        self.assertLess(len(page), 20e6)


class EmptyElement(ToolCase):
    def test_each_list(self):
        for tool, flag, values in [("report", "input", [",1", "1,", "1,,2", ","]), ("comm_model", "audit", [",1"]),
                                   ("comm_model", "times", ["1,"]), ("comm_model", "what_if", ["1,,2"]),
                                   ("quantize", "checkpoint", [",1"]), ("train_sweep", "batch_size", ["1,"]),
                                   ("scale_run", "ranks", ["1,,2"])]:
            for value in values:
                with self.subTest(tool=tool, flag=flag, value=value):
                    self.refused(2, tool, f"--{flag}={value}", message=f"--{flag}={value}: expected values")


if __name__ == "__main__":
    run_tests(__doc__)
