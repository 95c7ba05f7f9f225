"""An output that would destroy an input, that is lost, or that cannot be."""

import fcntl
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tarfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import TOOLS, ToolCase, run_tests

SWEEP = ["--model=lenet5", "--device=cpu", "--batch=20", "--epochs=1"]
SCALE = ["--model=lenet5", "--device=cpu", "--ranks=1", "--batch=10", "--repeats=1"]
SYNTHETIC = ["--input_format=synthetic", "--train_images=10", "--test_images=10"]


def binary_folder(path):
    """A subset of CIFAR-10 in its binary layout: five training files and a test file of 1 + 3072 bytes an image."""
    path.mkdir(parents=True)
    for name, count in [(f"data_batch_{i}.bin", 2) for i in range(1, 6)] + [("test_batch.bin", 10)]:
        (path / name).write_bytes(b"".join(bytes([i % 10]) + bytes(3072) for i in range(count)))
    (path / "batches.meta.txt").write_text(
        "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n")
    return path


class OutputsCase(ToolCase):
    def tree(self):
        """Every file of this test's folder, with its bytes; a link with where it points."""
        return {str(p.relative_to(self.folder)): os.readlink(p) if p.is_symlink() else p.read_bytes()
                for p in sorted(self.folder.rglob("*")) if p.is_symlink() or p.is_file()}

    def changes_nothing(self, code, tool, *arguments, says, **options):
        """Refused before any work: one error line is all that it says, and every file is as it was."""
        before = self.tree()
        if not any(str(a).startswith(("--output", "--print")) for a in arguments):
            arguments = (*arguments, f"--output={self.folder / 'out.rec'}")
        result = self.call(tool, *arguments, **options)
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, code, stderr)
        self.assertEqual([line.split(": error: ")[0] for line in stderr.splitlines()], [tool], stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, stderr)
        self.assertEqual(self.tree(), before)
        return stderr

    def copy(self, source, name):
        return pathlib.Path(shutil.copy(source, self.folder / name))

    def table(self, name="a.textproto"):
        return self.copy(self.published / "hand_in_001.textproto", name)

    def tool(self, tool, *arguments, **options):
        """The tool, with standard streams of the caller's choice."""
        return subprocess.run([str(self.tools / tool), *map(str, arguments)], timeout=240,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


class OutputIsInput(OutputsCase):
    def test_each_input_of_each_tool(self):
        data = self.copy(self.dataset, "data.rec")
        weights = self.copy(self.checkpoint, "w.pt")
        sweep = self.copy(self.sweep, "sweep.rec")
        table = self.table()
        archive = self.archive()
        attacks = [
            ("cifar_prep", archive, [f"--input={archive}", "--allow_partial"]),
            ("train_sweep", data, [f"--input={data}", *SWEEP]),
            ("scale_run", data, [f"--input={data}", *SCALE]),
            ("scale_run", sweep, [f"--input={data}", f"--prediction={sweep}", *SCALE]),
            ("quantize", data, [f"--input={data}", f"--checkpoint={weights}"]),
            ("quantize", weights, [f"--input={data}", f"--checkpoint={weights}"]),
            ("comm_model", sweep, [f"--input={sweep}"]),
            ("comm_model", sweep, [f"--input={data}", f"--sweep={sweep}"]),
            ("comm_model", sweep, [f"--input={data}", f"--score={sweep}"]),
        ] + [("comm_model", table, [f"--input={data}", f"--{flag}={table}"])
             for flag in ("audit", "times", "all_reduce", "model_spec", "cluster")]
        for tool, victim, arguments in attacks:
            with self.subTest(tool=tool, arguments=arguments[:2]):
                self.changes_nothing(2, tool, *arguments, f"--output={victim}",
                                     says=["would replace the input", str(victim)])

    def test_a_checkpoint_that_is_the_data_set(self):
        data = self.copy(self.dataset, "data.rec")
        self.changes_nothing(2, "train_sweep", f"--input={data}", *SWEEP, f"--checkpoint={data}",
                             says=["--checkpoint=", "would replace the input"])

    def test_a_training_state_that_is_the_data_set(self):
        data = self.copy(self.dataset, "out.rec.batch20.state")
        self.changes_nothing(2, "train_sweep", f"--input={data}", *SWEEP, "--resume",
                             says=["out.rec.batch*.state", "would replace the input"])

    def test_another_spelling_is_the_same_file(self):
        table = self.table()
        (self.folder / "sub").mkdir()
        (self.folder / "link").symlink_to(self.folder)
        (self.folder / "soft").symlink_to(table)
        os.link(table, self.folder / "hard")
        for output in ("sub/../a.textproto", "./a.textproto", "link/a.textproto", "soft", "hard"):
            with self.subTest(output=output):
                self.changes_nothing(2, "comm_model", f"--audit={table}", f"--output={self.folder}/{output}",
                                     says="would replace the input")
                self.changes_nothing(2, "comm_model", f"--audit={self.folder}/{output}", f"--output={table}",
                                     says="would replace the input")

    def test_the_part_of_an_output(self):
        table = self.table("out.rec.part")
        self.changes_nothing(2, "comm_model", f"--audit={table}", says="would replace the input")

    def test_standard_input_from_the_output(self):
        data = self.copy(self.dataset, "data.rec")
        before = data.read_bytes()
        with open(data, "rb") as stdin:
            result = self.tool("train_sweep", "--input=-", *SWEEP, f"--output={data}", stdin=stdin)
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        self.assertIn("standard input", result.stderr.decode())
        self.assertEqual(data.read_bytes(), before)

    def test_standard_output_to_the_input(self):
        sweep = self.copy(self.sweep, "sweep.rec")
        before = sweep.read_bytes()
        for tool, arguments in [("report", [f"--print={sweep}"]), ("comm_model", [f"--input={sweep}", "--output=-"]),
                                ("report", [f"--input={sweep}", "--format=markdown", "--output=-"])]:
            with self.subTest(tool=tool), open(sweep, "ab") as stdout:
                result = self.tool(tool, *arguments, stdout=stdout)
                self.assertEqual(result.returncode, 2, result.stderr.decode())
                self.assertIn("standard output is the input", result.stderr.decode())
                self.assertEqual(sweep.read_bytes(), before)

    def test_the_files_of_a_report(self):
        for name in ("r.html", "r.md", "r.rec", "r.speedup.svg", "r.any.svg", "r.speedup.svg.part", "r.md.part"):
            with self.subTest(name=name):
                sweep = self.copy(self.sweep, name)
                self.changes_nothing(2, "report", f"--input={sweep}", f"--output={self.folder / 'r.html'}",
                                     says=["would replace the input", name])
                sweep.unlink()

    def archive(self):
        path = self.folder / "cifar.tar"
        with tarfile.open(path, "w") as tar:
            tar.add(binary_folder(self.folder / "for_archive"), "cifar-10-batches-bin")
        return path

    def test_a_file_of_the_input_folder(self):
        top = self.folder / "top"
        inner = binary_folder(top / "cifar-10-batches-bin")
        for folder in (top, inner):
            with self.subTest(folder=folder):
                self.changes_nothing(2, "cifar_prep", f"--input={folder}", "--allow_partial",
                                     f"--output={inner / 'test_batch.bin'}",
                                     says=["would replace the input", "test_batch.bin"])

    def test_a_file_that_the_input_folder_links_to(self):
        folder = binary_folder(self.folder / "cifar")
        elsewhere = (folder / "test_batch.bin").rename(self.folder / "elsewhere.rec")
        (folder / "test_batch.bin").symlink_to(elsewhere)
        self.changes_nothing(2, "cifar_prep", f"--input={folder}", "--allow_partial", f"--output={elsewhere}",
                             says=["would replace the input", "test_batch.bin"])

    def test_a_picture_of_the_input_folder(self):
        picture = self.folder / "images" / "train" / "cat" / "0001.png"
        picture.parent.mkdir(parents=True)
        picture.write_bytes(b"any")
        self.changes_nothing(2, "cifar_prep", f"--input={self.folder / 'images'}", f"--output={picture}",
                             says=["would replace the input", "train/cat/0001.png"])

    def test_a_file_beside_those_of_the_input_folder_is_no_input(self):
        folder = binary_folder(self.folder / "cifar")
        arguments = [f"--input={folder}", "--allow_partial", f"--output={folder / 'dataset.rec'}"]
        self.call("cifar_prep", *arguments, check=True)
        self.assertIn("cached", self.call("cifar_prep", *arguments, check=True).stderr.decode())


class OutputsDiffer(OutputsCase):
    def test_a_checkpoint_that_is_another_output(self):
        (self.folder / "sub").mkdir()
        for checkpoint in ("s.rec", "s.rec.part", "sub/../s.rec", "s.rec.batch20.state", "s.rec.batch20.state.part"):
            with self.subTest(checkpoint=checkpoint):
                self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, "--resume",
                                     f"--checkpoint={self.folder}/{checkpoint}", f"--output={self.folder / 's.rec'}",
                                     says=["--checkpoint=", "are one file"])

    def test_an_output_that_is_the_checkpoints_part(self):
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, f"--checkpoint={self.folder / 'w.pt'}",
                             f"--output={self.folder / 'w.pt.part'}", says=["--output=", "are one file"])


class Places(OutputsCase):
    def runs(self):
        return [("cifar_prep", SYNTHETIC), ("train_sweep", [f"--input={self.dataset}", *SWEEP]),
                ("scale_run", [f"--input={self.dataset}", *SCALE]),
                ("comm_model", [f"--audit={self.published / 'hand_in_001.textproto'}"]),
                ("quantize", [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}"]),
                ("report", [f"--input={self.sweep}"])]

    def test_a_folder_that_is_not_there(self):
        for tool, arguments in self.runs():
            with self.subTest(tool=tool):
                self.changes_nothing(2, tool, *arguments, "--output=/no/such/x.rec", says=["--output", "/no/such"])

    def test_a_checkpoints_folder_that_is_not_there(self):
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, "--checkpoint=/no/such/w.pt",
                             says=["--checkpoint", "/no/such"])

    def test_places_for_no_file(self):
        file = self.folder / "file"
        file.write_text("a file")
        (self.folder / "x.part").mkdir()
        (self.folder / "y.part").symlink_to(file)
        for output, says in [(self.folder, "is a folder"), (file / "x", "file"), ("/dev/null", "is a device"),
                             (self.folder / "x", "x.part: is no regular file"), (self.folder / "y", "y.part"),
                             (self.folder / ("n" * 253), "name too long")]:
            with self.subTest(output=output):
                self.changes_nothing(2, "cifar_prep", *SYNTHETIC, f"--output={output}", says=says)

    def test_a_checkpoint_that_is_a_folder(self):
        (self.folder / "w").mkdir()
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, f"--checkpoint={self.folder / 'w'}",
                             says=["--checkpoint", "is a folder"])

    def test_an_empty_output(self):
        for tool, arguments in self.runs():
            with self.subTest(tool=tool):
                self.changes_nothing(2, tool, *arguments, "--output=", says="--output is empty")

    def test_another_writer_is_found_before_the_images_are_made(self):
        part = self.folder / "x.rec.part"
        with open(part, "wb") as writer:
            fcntl.flock(writer, fcntl.LOCK_EX)
            self.changes_nothing(3, "cifar_prep", *SYNTHETIC, f"--output={self.folder / 'x.rec'}",
                                 says="another process is writing it")


class LostText(OutputsCase):
    def texts(self):
        """Runs that print on standard output, but for records (cli_test.py)."""
        table = f"--audit={self.published / 'hand_in_001.textproto'}"
        return ([("cifar_prep", ["--help"]), ("report", ["--version"])] +
                [("comm_model", [table, f"--output={self.folder / 'c.rec'}", f"--format={format}"])
                 for format in ("text", "json")] +
                [("report", [f"--input={self.sweep}", f"--format={format}", "--output=-"])
                 for format in ("html", "markdown")] +
                [("report", [f"--print={self.sweep}"]), ("report", [f"--print={self.sweep}", "--format=json"])])

    def expect_lost(self, result, says):
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, 5, stderr)
        lines = [line for line in stderr.splitlines() if ": cached " not in line and ": wrote " not in line]
        self.assertEqual(len(lines), 1, stderr)
        self.assertIn(says, lines[0])

    def test_a_full_disk(self):
        for tool, arguments in self.texts() + [(tool, ["--help"]) for tool in TOOLS]:
            with self.subTest(tool=tool, arguments=arguments), open("/dev/full", "wb") as full:
                self.expect_lost(self.tool(tool, *arguments, stdout=full), "standard output: cannot write: No space left")

    def test_a_reader_that_is_gone(self):
        for tool, arguments in self.texts():
            with self.subTest(tool=tool, arguments=arguments):
                read_end, write_end = os.pipe()
                os.close(read_end)
                with os.fdopen(write_end, "wb") as pipe:
                    self.expect_lost(self.tool(tool, *arguments, stdout=pipe), "Broken pipe")

    def test_a_reader_that_has_seen_enough(self):
        process = subprocess.Popen([str(self.tools / "report"), f"--print={self.dataset}", "--print_bytes"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(process.stdout.read(10), b"record {\n ")
        process.stdout.close()
        stderr = process.stderr.read().decode()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 5, stderr)
        self.assertRegex(stderr, r"^report: error: .*Broken pipe.*\n$")

    def test_a_standard_output_that_is_closed(self):
        for tool, arguments in self.texts():
            with self.subTest(tool=tool, arguments=arguments):
                result = subprocess.run(["sh", "-c", '"$0" "$@" >&-', str(self.tools / tool), *map(str, arguments)],
                                        stderr=subprocess.PIPE, timeout=60)
                self.expect_lost(result, "standard output: is closed")

    def test_a_plan_that_nobody_can_read(self):
        runs = [("cifar_prep", SYNTHETIC), ("train_sweep", [f"--input={self.dataset}", *SWEEP]),
                ("scale_run", [f"--input={self.dataset}", *SCALE]),
                ("quantize", [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}", "--calibration_images=20"])]
        for tool, arguments in runs:
            with self.subTest(tool=tool), open("/dev/full", "wb") as full:
                result = self.tool(tool, *arguments, "--dry_run", stderr=full)
                self.assertEqual(result.returncode, 5)


class TrainingState(OutputsCase):
    def test_a_damaged_one_says_what_to_remove(self):
        state = self.folder / "out.rec.batch20.state"
        state.write_bytes(b"no state")
        arguments = [f"--input={self.dataset}", *SWEEP, "--resume", f"--output={self.folder / 'out.rec'}"]
        result = self.call("train_sweep", *arguments)
        self.assertEqual(result.returncode, 3, result.stderr.decode())
        self.assertRegex(result.stderr.decode(), f"train_sweep: error: .*remove {state} to start it afresh")
        state.unlink()
        self.call("train_sweep", *arguments, check=True)


@unittest.skipUnless(shutil.which("gnuplot"), "without gnuplot a report has no plots")
class WholeReport(OutputsCase):
    def setUp(self):
        super().setUp()
        self.report = [f"--input={self.two_points()}", f"--output={self.folder / 'r' / 'r.html'}"]
        (self.folder / "r").mkdir()

    @classmethod
    def two_points(cls):
        """A sweep of two batch sizes, which has a plot; made once."""
        path = pathlib.Path(cls.shared.name) / "two.rec"
        if not path.exists():
            cls.call("train_sweep", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--batch=20,40",
                     "--epochs=2", f"--output={path}", check=True)
        return path

    def names(self):
        return sorted(p.name for p in (self.folder / "r").iterdir())

    def test_plots_that_are_no_longer_shown_are_removed(self):
        self.call("report", *self.report, check=True)
        plots = [name for name in self.names() if name.endswith(".svg")]
        self.assertNotEqual(plots, [])
        (self.folder / "r" / "r.mine.svg").write_text("not of the report")
        self.call("report", f"--input={self.sweep}", self.report[1], "--force", check=True)
        self.assertEqual(self.names(), ["r.html", "r.md", "r.mine.svg", "r.rec"])

    def with_limit(self, limit_bytes, *arguments):
        """The report where a file cannot grow beyond the limit, as on a disk that is full then."""
        return self.tool("report", *self.report, *arguments,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes)))

    def expect_full(self, result):
        self.assertEqual(result.returncode, 5, result.stderr.decode())
        self.assertIn("r.html.part", result.stderr.decode())

    def test_a_full_disk_leaves_no_part_of_a_report(self):
        self.call("report", *self.report, check=True)
        page = (self.folder / "r" / "r.html").stat().st_size
        self.assertGreater(page, max(p.stat().st_size for p in (self.folder / "r").glob("*.svg")))
        before = self.tree()
        self.expect_full(self.with_limit(page - 1, "--force"))
        self.assertEqual(self.tree(), before)
        for path in (self.folder / "r").iterdir():
            path.unlink()
        self.expect_full(self.with_limit(page - 1))
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    run_tests(__doc__)
