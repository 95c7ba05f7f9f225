"""Outputs that would destroy an input, that are lost, or that cannot be written."""

import errno
import fcntl
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tarfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import TOOLS, ToolCase, run_tests

SWEEP = ["--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1"]
SCALE = ["--model=lenet5", "--device=cpu", "--ranks=1", "--batch_size=10", "--repeats=1"]
SYNTHETIC = ["--input_format=synthetic", "--train_images=10", "--test_images=10"]


def binary_folder(path):
    """Makes a subset of CIFAR-10 in its binary layout: 5 training files, 1 test file, 1 + 3072 bytes per image."""
    path.mkdir(parents=True)
    for name, count in [(f"data_batch_{i}.bin", 2) for i in range(1, 6)] + [("test_batch.bin", 10)]:
        (path / name).write_bytes(b"".join(bytes([i % 10]) + bytes(3072) for i in range(count)))
    (path / "batches.meta.txt").write_text(
        "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n")
    return path


class OutputsCase(ToolCase):
    def tree(self):
        """Returns every file of this test's folder with its bytes, and every link with its target."""
        return {str(p.relative_to(self.folder)): os.readlink(p) if p.is_symlink() else p.read_bytes()
                for p in sorted(self.folder.rglob("*")) if p.is_symlink() or p.is_file()}

    def changes_nothing(self, code, tool, *arguments, message, **options):
        """Checks that the tool refuses before any work: it prints one error line, and no file changes."""
        before = self.tree()
        if not any(str(a).startswith(("--output", "--print")) for a in arguments):
            arguments = (*arguments, f"--output={self.folder / 'out.rec'}")
        result = self.call(tool, *arguments, **options)
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, code, stderr)
        self.assertEqual([line.split(": error: ")[0] for line in stderr.splitlines()], [tool], stderr)
        for text in [message] if isinstance(message, str) else message:
            self.assertIn(text, stderr)
        self.assertEqual(self.tree(), before)
        return stderr

    def copy(self, source, name):
        return pathlib.Path(shutil.copy(source, self.folder / name))

    def table(self, name="a.textproto"):
        return self.copy(self.published / "hand_in_001.textproto", name)

    @classmethod
    def two_points(cls):
        """Returns a sweep of two batch sizes, which has a plot; made once."""
        path = pathlib.Path(cls.shared.name) / "two.rec"
        if not path.exists():
            cls.call("train_sweep", f"--input={cls.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20,40",
                     "--epochs=2", f"--output={path}", check=True)
        return path

    def tool(self, tool, *arguments, **options):
        """Runs the tool with the caller's standard streams."""
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
            ("comm_model", table, [f"--input={data}", f"--cluster={table}", "--what_if=8"]),
        ] + [("comm_model", table, [f"--input={data}", f"--{flag}={table}"])
             for flag in ("audit", "times", "all_reduce", "model_spec")]
        for tool, victim, arguments in attacks:
            with self.subTest(tool=tool, arguments=arguments[:2]):
                self.changes_nothing(2, tool, *arguments, f"--output={victim}",
                                     message=["would replace the input", str(victim)])

    def test_a_checkpoint_that_is_the_data_set(self):
        data = self.copy(self.dataset, "data.rec")
        self.changes_nothing(2, "train_sweep", f"--input={data}", *SWEEP, f"--checkpoint={data}",
                             message=["--checkpoint=", "would replace the input"])

    def test_a_training_state_that_is_the_data_set(self):
        data = self.copy(self.dataset, "out.rec.batch20.state")
        self.changes_nothing(2, "train_sweep", f"--input={data}", *SWEEP, "--resume",
                             message=["out.rec.batch*.state", "would replace the input"])

    def test_another_spelling_is_the_same_file(self):
        table = self.table()
        (self.folder / "sub").mkdir()
        (self.folder / "link").symlink_to(self.folder)
        (self.folder / "soft").symlink_to(table)
        os.link(table, self.folder / "hard")
        for output in ("sub/../a.textproto", "./a.textproto", "link/a.textproto", "soft", "hard"):
            with self.subTest(output=output):
                self.changes_nothing(2, "comm_model", f"--audit={table}", f"--output={self.folder}/{output}",
                                     message="would replace the input")
                self.changes_nothing(2, "comm_model", f"--audit={self.folder}/{output}", f"--output={table}",
                                     message="would replace the input")

    def test_the_part_of_an_output(self):
        table = self.table("out.rec.part")
        self.changes_nothing(2, "comm_model", f"--audit={table}", message="would replace the input")

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
        for name in ("r.html", "r.md", "r.rec.part", "r.plots/speedup.svg", "r.plots/any.svg", "r.plots/any.svg.part",
                     "r.md.part"):
            with self.subTest(name=name):
                (self.folder / name).parent.mkdir(exist_ok=True)
                sweep = self.copy(self.sweep, name)
                self.changes_nothing(2, "report", f"--input={sweep}", f"--output={self.folder / 'r.html'}",
                                     message=["would replace the input", name])
                sweep.unlink()

    def test_a_page_with_the_name_of_its_input(self):
        """The record of the report has another name; a user who names the input as the output is refused."""
        sweep = self.copy(self.sweep, "r.rec")
        before = sweep.read_bytes()
        self.changes_nothing(2, "report", f"--input={sweep}", f"--output={sweep}", message="would replace the input")
        self.call("report", f"--input={sweep}", f"--output={self.folder / 'r.html'}", check=True)
        self.assertEqual(sweep.read_bytes(), before)
        self.assertTrue((self.folder / "r.report.rec").exists())

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
                                     message=["would replace the input", "test_batch.bin"])

    def test_a_file_that_the_input_folder_links_to(self):
        folder = binary_folder(self.folder / "cifar")
        elsewhere = (folder / "test_batch.bin").rename(self.folder / "elsewhere.rec")
        (folder / "test_batch.bin").symlink_to(elsewhere)
        self.changes_nothing(2, "cifar_prep", f"--input={folder}", "--allow_partial", f"--output={elsewhere}",
                             message=["would replace the input", "test_batch.bin"])

    def test_a_picture_of_the_input_folder(self):
        picture = self.folder / "images" / "train" / "cat" / "0001.png"
        picture.parent.mkdir(parents=True)
        picture.write_bytes(b"any")
        self.changes_nothing(2, "cifar_prep", f"--input={self.folder / 'images'}", f"--output={picture}",
                             message=["would replace the input", "train/cat/0001.png"])

    def test_another_file_of_the_input_folder_is_no_input(self):
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
                                     message=["--checkpoint=", "are the same file"])

    def test_an_output_that_is_the_checkpoints_part(self):
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, f"--checkpoint={self.folder / 'w.pt'}",
                             f"--output={self.folder / 'w.pt.part'}", message=["--output=", "are the same file"])


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
                self.changes_nothing(2, tool, *arguments, "--output=/no/such/x.rec", message=["--output", "/no/such"])

    def test_a_checkpoints_folder_that_is_not_there(self):
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, "--checkpoint=/no/such/w.pt",
                             message=["--checkpoint", "/no/such"])

    def test_places_for_no_file(self):
        file = self.folder / "file"
        file.write_text("a file")
        (self.folder / "x.part").mkdir()
        (self.folder / "y.part").symlink_to(file)
        for output, message in [(self.folder, "is a folder"), (file / "x", "file"), ("/dev/null", "is a device"),
                                (self.folder / "x", "x.part: is not a regular file"), (self.folder / "y", "y.part"),
                                (self.folder / ("n" * 253), "name too long")]:
            with self.subTest(output=output):
                self.changes_nothing(2, "cifar_prep", *SYNTHETIC, f"--output={output}", message=message)

    def test_a_checkpoint_that_is_a_folder(self):
        (self.folder / "w").mkdir()
        self.changes_nothing(2, "train_sweep", f"--input={self.dataset}", *SWEEP, f"--checkpoint={self.folder / 'w'}",
                             message=["--checkpoint", "is a folder"])

    def test_an_empty_output(self):
        for tool, arguments in self.runs():
            with self.subTest(tool=tool):
                self.changes_nothing(2, tool, *arguments, "--output=", message="--output is empty")

    def test_another_writer_is_found_before_the_images_are_made(self):
        part = self.folder / "x.rec.part"
        with open(part, "wb") as writer:
            fcntl.flock(writer, fcntl.LOCK_EX)
            self.changes_nothing(3, "cifar_prep", *SYNTHETIC, f"--output={self.folder / 'x.rec'}",
                                 message="another process is writing it")


class LostText(OutputsCase):
    def texts(self):
        """Returns runs that print text on standard output; cli_test.py tests those that print records."""
        table = f"--audit={self.published / 'hand_in_001.textproto'}"
        return ([("cifar_prep", ["--help"]), ("report", ["--version"])] +
                [("comm_model", [table, f"--output={self.folder / 'c.rec'}", f"--format={format}"])
                 for format in ("text", "json")] +
                [("report", [f"--input={self.sweep}", f"--format={format}", "--output=-"])
                 for format in ("html", "markdown")] +
                [("report", [f"--print={self.sweep}"]), ("report", [f"--print={self.sweep}", "--format=json"])])

    def expect_lost(self, result, message):
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, 5, stderr)
        lines = [line for line in stderr.splitlines() if ": cached " not in line and ": wrote " not in line]
        self.assertEqual(len(lines), 1, stderr)
        self.assertIn(message, lines[0])

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
    def test_the_error_of_a_damaged_one_names_what_to_remove(self):
        state = self.folder / "out.rec.batch20.state"
        state.write_bytes(b"no state")
        arguments = [f"--input={self.dataset}", *SWEEP, "--resume", f"--output={self.folder / 'out.rec'}"]
        result = self.call("train_sweep", *arguments)
        self.assertEqual(result.returncode, 3, result.stderr.decode())
        self.assertRegex(result.stderr.decode(), f"train_sweep: error: .*remove {state} to start again")
        state.unlink()
        self.call("train_sweep", *arguments, check=True)


class WholeReport(OutputsCase):
    def setUp(self):
        super().setUp()
        self.report = [f"--input={self.two_points()}", f"--output={self.folder / 'r' / 'r.html'}"]
        (self.folder / "r").mkdir()
        self.plots = self.folder / "r" / "r.plots"

    def test_a_picture_that_only_the_page_names_is_not_removed(self):
        """A user added a picture to the page, and changed one of the report's."""
        self.call("report", *self.report, check=True)
        page, = (self.folder / "r").glob("r.md")
        changed = sorted(self.plots.glob("*.svg"))[0]
        changed.write_text("changed by hand")
        (self.plots / "mine.svg").write_text("precious")
        page.write_text(page.read_text() + "\n![mine](r.plots/mine.svg)\n")
        self.call("report", f"--input={self.sweep}", self.report[1], "--force", check=True)
        self.assertEqual((self.plots / "mine.svg").read_text(), "precious")
        self.assertEqual(changed.read_text(), "changed by hand")

    def names(self):
        return sorted(p.name for p in (self.folder / "r").iterdir())

    def test_plots_that_are_no_longer_shown_are_removed(self):
        self.call("report", *self.report, check=True)
        self.assertNotEqual(list(self.plots.iterdir()), [])
        (self.plots / "mine.svg").write_text("not of the report")
        self.call("report", f"--input={self.sweep}", self.report[1], "--force", check=True)
        self.assertEqual(self.names(), ["r.html", "r.md", "r.plots", "r.rec"])
        self.assertEqual([p.name for p in self.plots.iterdir()], ["mine.svg"])
        (self.plots / "mine.svg").unlink()
        self.call("report", f"--input={self.sweep}", self.report[1], "--force", check=True)
        self.assertEqual(self.names(), ["r.html", "r.md", "r.rec"])

    def with_limit(self, limit_bytes, *arguments):
        """Runs the report where a file cannot grow beyond the limit, like on a full disk."""
        return self.tool("report", *self.report, *arguments,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes)))

    def expect_full(self, result):
        self.assertEqual(result.returncode, 5, result.stderr.decode())
        self.assertIn("r.html: cannot write", result.stderr.decode())

    def test_a_full_disk_leaves_no_part_of_a_report(self):
        self.call("report", *self.report, check=True)
        page = (self.folder / "r" / "r.html").stat().st_size
        self.assertGreater(page, max(p.stat().st_size for p in self.plots.glob("*.svg")))
        before = self.tree()
        self.expect_full(self.with_limit(page - 1, "--force"))
        self.assertEqual(self.tree(), before)
        shutil.rmtree(self.folder / "r")
        (self.folder / "r").mkdir()
        self.expect_full(self.with_limit(page - 1))
        self.assertEqual(self.names(), [])


PRELOAD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
/* ATTACK_FLOCK=wait: the first flock says so by the file ATTACK_AT and waits for the file ATTACK_GO. A number: its errno.
   ATTACK_RENAME: the errno of each rename. */
static int refused(const char* name) {
  const char* value = getenv(name);
  int number = value == NULL ? 0 : atoi(value);
  errno = number != 0 ? number : errno;
  return number != 0;
}
int flock(int fd, int how) {
  if (refused("ATTACK_FLOCK")) return -1;
  if (getenv("ATTACK_GO") != NULL) {
    FILE* at = fopen(getenv("ATTACK_AT"), "w");
    if (at != NULL) fclose(at);
    for (int i = 0; i < 60000 && access(getenv("ATTACK_GO"), F_OK) != 0; ++i) usleep(1000);
  }
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(fd, how);
}
int rename(const char* from, const char* to) {
  return refused("ATTACK_RENAME") ? -1 : ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int renameat2(int a, const char* from, int b, const char* to, unsigned how) {
  return refused("ATTACK_RENAME")
             ? -1 : ((int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2"))(a, from, b, to, how);
}
"""


class NothingOfAUsersIsWrittenOver(OutputsCase):
    """Files that are not our outputs, or that are of another command, at the names of outputs and of their parts."""

    def exports(self):
        """Returns each output of report that is always made again: its name, and a function of the arguments for a
        path."""
        sweep = self.two_points()
        student = self.folder / "class" / "student"
        student.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.sweep, student / "sweep.rec")
        return {"trace": lambda path: [f"--input={sweep}", f"--trace={path}"],
                "prometheus": lambda path: [f"--input={sweep}", f"--prometheus={path}"],
                "wandb_csv": lambda path: [f"--input={sweep}", f"--wandb_csv={path}"],
                "junit": lambda path: [f"--input={self.sweep}", "--check", f"--junit={path}"],
                "class_folder_output": lambda path: [f"--class_folder={self.folder / 'class'}", f"--output={path}"]}

    def export_attack(self, name):
        exports = self.exports()
        make = exports.pop(name)
        path = self.folder / "precious.html"
        path.write_text("precious")
        result = self.call("report", *make(path))
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        self.assertRegex(result.stderr.decode(), r"(?m)^report: error: would replace .*precious.html: .*--force$")
        self.assertEqual(path.read_text(), "precious")
        self.call("report", *make(path), "--force", check=True)
        self.assertNotEqual(path.read_bytes(), b"precious")
        self.call("report", *make(path), check=True)  # its own, without --force
        for other, make_other in exports.items():  # no other kind's file
            with self.subTest(other=other):
                self.assertEqual(self.call("report", *make_other(path)).returncode, 2)
        self.assertEqual([p.name for p in self.folder.iterdir() if "part" in p.name], [])

    def test_precious_file_at_trace(self):
        self.export_attack("trace")

    def test_precious_file_at_prometheus(self):
        self.export_attack("prometheus")

    def test_precious_file_at_wandb_csv(self):
        self.export_attack("wandb_csv")

    def test_precious_file_at_junit(self):
        self.export_attack("junit")

    def test_precious_file_at_class_folder_output(self):
        self.export_attack("class_folder_output")

    def test_precious_file_at_tensorboard(self):
        board = self.folder / "board"
        arguments = [f"--input={self.sweep}", f"--tensorboard={board}"]
        self.call("report", *arguments, check=True)
        self.call("report", *arguments, check=True)
        event_file, = [p for p in board.rglob("*") if p.is_file()]
        event_file.write_text("precious")
        self.assertEqual(self.call("report", *arguments).returncode, 2)
        self.assertEqual(event_file.read_text(), "precious")
        self.call("report", *arguments, "--force", check=True)

    def test_precious_file_at_a_reports_plot_and_page(self):
        for name in ("r.md", "r.html"):
            with self.subTest(name=name):
                (self.folder / name).write_text("precious")
                self.changes_nothing(2, "report", f"--input={self.sweep}", f"--output={self.folder / 'r.html'}",
                                     message=[name, "--force"])
                (self.folder / name).unlink()

    def test_precious_page_next_to_an_own_record(self):
        """A file that this report's record does not name does not belong to the report, whatever its name."""
        self.call("report", f"--input={self.sweep}", f"--output={self.folder / 'r.html'}", "--format=html", check=True)
        (self.folder / "r.md").write_text("precious")
        before = self.tree()
        result = self.call("report", f"--input={self.sweep}", f"--output={self.folder / 'r.html'}", "--format=html,markdown")
        self.assertEqual(result.returncode, 2, result.stderr)
        last = result.stderr.decode().splitlines()[-1]
        self.assertIn("r.md", last)
        self.assertIn("--force", last)
        self.assertEqual(self.tree(), before)

    def test_a_page_that_is_left_out_once_stays_the_reports(self):
        for formats in ["html,markdown", "html", "html,markdown"]:
            self.call("report", f"--input={self.sweep}", f"--output={self.folder / 'r.html'}", f"--format={formats}",
                      check=True)

    def records(self):
        return {"cifar_prep": SYNTHETIC, "comm_model": [f"--audit={self.published / 'hand_in_001.textproto'}"],
                "report": [f"--input={self.sweep}"], "train_sweep": [f"--input={self.dataset}", *SWEEP],
                "scale_run": [f"--input={self.dataset}", *SCALE],
                "quantize": [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}", "--calibration_images=20"]}

    def part_attack(self, tool):
        part = self.folder / "out.rec.part"
        output = self.folder / ("out.html" if tool == "report" else "out.rec")
        part.write_text("precious")
        for force in ([], ["--force"]):
            self.changes_nothing(2, tool, *self.records()[tool], f"--output={output}", *force,
                                 message=["out.rec.part: expected the journal of a stopped run", "move it away"])

    def test_precious_file_at_part_of_cifar_prep(self):
        self.part_attack("cifar_prep")

    def test_precious_file_at_part_of_comm_model(self):
        self.part_attack("comm_model")

    def test_precious_file_at_part_of_report(self):
        self.part_attack("report")

    def test_precious_file_at_part_of_train_sweep(self):
        self.part_attack("train_sweep")

    def test_precious_file_at_part_of_scale_run(self):
        self.part_attack("scale_run")

    def test_precious_file_at_part_of_quantize(self):
        self.part_attack("quantize")

    def test_precious_file_at_part_of_trace(self):
        for name, make in self.exports().items():
            with self.subTest(name=name):
                part = self.folder / f"{name}.html.part"
                part.write_text("precious")
                self.call("report", *make(self.folder / f"{name}.html"), check=True)
                self.assertEqual(part.read_text(), "precious")

    def test_precious_file_at_part_of_a_checkpoint(self):
        (self.folder / "w.pt.part").write_text("precious")
        self.call("train_sweep", f"--input={self.dataset}", *SWEEP, f"--checkpoint={self.folder / 'w.pt'}",
                  f"--output={self.folder / 'out.rec'}", check=True)
        self.assertEqual((self.folder / "w.pt.part").read_text(), "precious")

    def test_modes(self):
        """A file that only its owner may read must be replaced by a file with the same mode."""
        weights = self.folder / "w.pt"
        runs = {tool: [*arguments, f"--output={self.folder / (tool + ('.html' if tool == 'report' else '.rec'))}"]
                for tool, arguments in self.records().items()}
        runs["train_sweep"] += [f"--checkpoint={weights}"]
        for tool, arguments in runs.items():
            self.call(tool, *arguments, check=True)
        outputs = [p for p in self.folder.iterdir() if p.is_file()]
        self.assertIn(weights, outputs)
        for path in outputs:
            path.chmod(0o600)
        for tool, arguments in runs.items():
            with self.subTest(tool=tool):
                self.call(tool, *arguments, "--force", check=True)
        self.assertEqual({p.name: oct(p.stat().st_mode & 0o777) for p in outputs}, {p.name: "0o600" for p in outputs})

    def test_comma_in_output(self):
        for tool, arguments in self.records().items():
            with self.subTest(tool=tool):
                output = self.folder / ("a,b.html" if tool == "report" else "a,b.rec")
                self.changes_nothing(2, tool, *arguments, f"--output={output}", message=["a,b.", "comma"])

    def test_comma_in_input(self):
        sweep = self.copy(self.sweep, "a,b.rec")
        self.changes_nothing(2, "report", f"--input={sweep}", f"--output={self.folder / 'r.html'}",
                             message=[f"found {sweep}", "rename"])


class OtherRuns(OutputsCase):
    """Two runs of one output, one of which is held at a chosen call."""

    def preload(self, **attack):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("needs a C compiler")
        library = pathlib.Path(self.shared.name) / "attack.so"
        if not library.exists():
            source = library.with_suffix(".c")
            source.write_text(PRELOAD)
            subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return {**os.environ, "LD_PRELOAD": str(library), **{f"ATTACK_{k.upper()}": str(v) for k, v in attack.items()}}

    def wait_for(self, path, process):
        deadline = time.monotonic() + 120
        while not path.exists():
            if process.poll() is not None:
                self.fail(process.communicate())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def held(self, tool, arguments, own, other):
        """Holds the command of `own` before its lock, runs that of `other`, then lets the first one continue."""
        at, go, output = self.folder / "at", self.folder / "go", self.folder / "out.rec"
        process = subprocess.Popen([self.tools / tool, *arguments, own, f"--output={output}"], stderr=subprocess.PIPE,
                                   env=self.preload(at=at, go=go))
        self.wait_for(at, process)
        self.call(tool, *arguments, other, f"--output={output}", check=True)
        result = output.read_bytes()
        go.touch()
        stderr = process.communicate(timeout=120)[1].decode()
        self.assertEqual(process.returncode, 2, stderr)
        self.assertIn("out.rec holds another result", stderr)
        self.assertEqual(output.read_bytes(), result)
        self.assertFalse(output.with_suffix(".rec.part").exists())

    def test_other_command_ends_between_the_look_and_the_lock(self):
        self.held("cifar_prep", SYNTHETIC, "--seed=1", "--seed=0")

    def test_other_command_ends_between_the_look_and_the_lock_of_comm_model(self):
        table = self.published / "hand_in_001.textproto"
        other = self.copy(self.published / "hand_in_003.textproto", "b.textproto")
        self.held("comm_model", [], f"--audit={table}", f"--audit={other}")

    def test_part_removed_then_another_run_whose_journal_the_first_renames(self):
        output, part = self.folder / "out.rec", self.folder / "out.rec.part"
        run = [self.tools / "train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu",
               "--batch_size=20,10", f"--output={output}"]
        first = subprocess.Popen([*run, "--epochs=2"], stderr=subprocess.PIPE)
        self.addCleanup(first.kill)
        self.wait_for(part, first)
        part.unlink()
        second = subprocess.Popen([*run, "--epochs=3", "--seed=1"], stderr=subprocess.PIPE)
        self.addCleanup(second.kill)
        first_error = first.communicate(timeout=120)[1].decode()
        self.assertEqual(first.returncode, 3, first_error)
        self.assertIn("out.rec.part: the file of this run was removed", first_error)
        second_error = second.communicate(timeout=120)[1].decode()
        self.assertEqual(second.returncode, 0, second_error)
        self.assertIn("--seed=1", self.call("report", f"--print={output}", check=True).stdout.decode())

    def refused_call(self, code, message, **attack):
        output = self.folder / "out.rec"
        result = self.tool("cifar_prep", *SYNTHETIC, f"--output={output}", env=self.preload(**attack))
        stderr = result.stderr.decode()
        self.assertEqual(result.returncode, code, stderr)
        self.assertRegex(stderr, rf"(?m)^cifar_prep: error: .*{message}")
        self.assertEqual([p.name for p in self.folder.iterdir()], [])

    def test_errno_flock_ENOSYS(self):
        self.refused_call(2, "cannot lock: Function not implemented; .* use another --output$", flock=errno.ENOSYS)

    def test_errno_rename_EBUSY_and_EXDEV(self):
        for number in (errno.EBUSY, errno.EXDEV):
            with self.subTest(number=number):
                self.refused_call(2, "cannot be renamed to .*; mount its folder|cannot be renamed to .*mount its folder",
                                  rename=number)

    def test_an_output_that_is_mounted_by_itself(self):
        """docker -v FILE:FILE: no file can be renamed onto the mount, which must be found before any work."""
        self.table("mounted")
        output = self.table("out.rec")
        probe = subprocess.run(["unshare", "-rm", "mount", "--bind", self.folder / "mounted", output], capture_output=True)
        if probe.returncode != 0:
            self.skipTest(f"no mount namespaces: {probe.stderr.decode()}")
        result = subprocess.run(["unshare", "-rm", "sh", "-c", 'mount --bind "$1" "$2"; shift 2; "$@"', "sh",
                                 self.folder / "mounted", output, self.tools / "cifar_prep", *SYNTHETIC, "--force",
                                 f"--output={output}"], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 2, result.stderr.decode())
        self.assertIn("no other file can be renamed to it; mount its folder", result.stderr.decode())


class Digests(OutputsCase):
    def test_OPENSSL_CONF_without_SHA_256(self):
        """Without digests, every input would have the same digest, and another seed the same result."""
        configuration = self.folder / "openssl.cnf"
        configuration.write_text("openssl_conf = init\n[init]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1\n")
        output = self.folder / "out.rec"
        self.call("cifar_prep", *SYNTHETIC, f"--output={output}", check=True)
        runs = {"cifar_prep": [*SYNTHETIC, "--seed=1"], "train_sweep": [f"--input={self.dataset}", *SWEEP],
                "scale_run": [f"--input={self.dataset}", *SCALE],
                "comm_model": [f"--audit={self.published / 'hand_in_001.textproto'}"],
                "quantize": [f"--input={self.dataset}", f"--checkpoint={self.checkpoint}"],
                "report": [f"--input={self.sweep}", "--format=html"]}
        for tool, arguments in runs.items():
            with self.subTest(tool=tool):
                self.changes_nothing(5, tool, *arguments, f"--output={output}", env={"OPENSSL_CONF": str(configuration)},
                                     message=["SHA-256", "OPENSSL_CONF"])
        self.changes_nothing(5, "report", f"--print={self.sweep}", env={"OPENSSL_CONF": str(configuration)},
                             message=["SHA-256", "OPENSSL_CONF"])


if __name__ == "__main__":
    run_tests(__doc__)
