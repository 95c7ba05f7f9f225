"""Files in the working folder and in the home folder that a tool, a launcher or a script could run or load."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import TOOLS, ToolCase, run_tests

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
# Modules that a search for torch imports, or that Python imports when it starts.
MODULES = ["glob", "importlib", "os", "fnmatch", "re", "sitecustomize", "usercustomize", "numpy"]
LIBRARY = "#!/bin/sh\nprintf '%s\\n' \"$LD_LIBRARY_PATH\" \"$0\" \"$@\"\n"


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class WorkingFolderCase(ToolCase):
    reads_sweep = False

    def setUp(self):
        super().setUp()
        self.marker = self.folder / "ran"
        self.theirs = self.folder / "theirs"
        (self.theirs / "torch" / "lib").mkdir(parents=True)
        note = f"open({str(self.marker)!r}, 'a').write(__name__ + '\\n')\n"
        for name in MODULES:
            (self.theirs / f"{name}.py").write_text(note)
        (self.theirs / "torch" / "__init__.py").write_text(note)
        (self.theirs / "torch" / "lib" / "libc10.so").write_text("no library")

    def nothing_of_theirs_ran(self, *outputs):
        self.assertFalse(self.marker.exists(), self.marker.read_text() if self.marker.exists() else "")
        for output in outputs:
            self.assertNotIn(str(self.theirs), output)


class PackagedLauncher(WorkingFolderCase):
    """Launchers of the portable folder, with scripts in the place of the programs."""

    def setUp(self):
        super().setUp()
        self.package = self.folder / "pkg"
        program(self.package / "libexec" / "train_sweep", LIBRARY)
        program(self.package / "libexec" / "report", LIBRARY)
        program(self.package / "train_sweep", (SCRIPTS / "torch_launcher.sh").read_text())
        program(self.package / "report", (SCRIPTS / "launcher.sh").read_text())
        # A Python that has no packages of the machine; it finds torch only on PYTHONPATH.
        self.python = program(self.folder / "bin" / "python", f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        self.site = self.folder / "site"
        (self.site / "torch").mkdir(parents=True)
        (self.site / "torch" / "__init__.py").write_text("")
        (self.site / "nvidia" / "cudnn" / "lib").mkdir(parents=True)

    def launch(self, path, *arguments, cwd=None, **environment):
        environment = {k: v for k, v in {**os.environ, "LD_LIBRARY_PATH": "", **environment}.items() if v is not None}
        result = subprocess.run([str(path), *arguments], cwd=cwd or self.theirs, capture_output=True, text=True,
                                timeout=60, env={"PYTHON": str(self.python), **environment})
        return result.returncode, result.stdout.splitlines(), result.stderr

    def test_package_launcher_runs_python_of_the_working_folder(self):
        torch = f"{self.site}/torch/lib:{self.site}/nvidia/cudnn/lib"
        for python_path in (str(self.site), f":{self.site}", f"{self.site}:", f"{self.site}::"):
            with self.subTest(python_path):
                code, out, stderr = self.launch(self.package / "train_sweep", "--epochs=1", "a b", PYTHONPATH=python_path)
                self.assertEqual((code, out[1:], stderr),
                                 (0, [f"{self.package}/libexec/train_sweep", "--epochs=1", "a b"], ""))
                self.assertEqual(out[0], f"{torch}:{self.package}/lib")
                self.nothing_of_theirs_ran(*out)

    def test_package_launcher_takes_torch_of_the_working_folder(self):
        for module in self.theirs.glob("*.py"):
            module.unlink()
        for python_path in (None, "", ":", "::"):
            with self.subTest(python_path):
                code, out, stderr = self.launch(self.package / "train_sweep", PYTHONPATH=python_path)
                self.assertEqual((code, out), (5, []), stderr)
                self.assertEqual(len(stderr.splitlines()), 1, stderr)
                self.assertIn("train_sweep: error: ", stderr)
                self.assertIn("cannot import torch", stderr)
                self.nothing_of_theirs_ran(stderr)

    def test_package_launcher_has_no_empty_entry_in_the_library_path(self):
        for inherited, expected in (("", ""), (":", ""), (":/a::/b:", ":/a:/b"), ("/a", ":/a")):
            with self.subTest(inherited):
                code, out, stderr = self.launch(self.package / "report", LD_LIBRARY_PATH=inherited)
                self.assertEqual((code, out[0]), (0, f"{self.package}/lib{expected}"), stderr)
                code, out, stderr = self.launch(self.package / "train_sweep", LD_LIBRARY_PATH=inherited,
                                                LOCKSTEP_LIBRARIES=":/torch:")
                self.assertEqual((code, out[0]), (0, f"/torch:{self.package}/lib{expected}"), stderr)

    def test_package_launcher_through_a_link(self):
        home = self.folder / "home" / "bin"
        home.mkdir(parents=True)
        for name in ("train_sweep", "report"):
            (home / name).symlink_to(os.path.relpath(self.package / name, home))
            (home / f"my_{name}").symlink_to(home / name)
            for link in (home / name, home / f"my_{name}", pathlib.Path(name)):
                with self.subTest(link=link):
                    path = link if link.is_absolute() else f"./{link}"
                    code, out, stderr = self.launch(path, "--version", cwd=home, PYTHONPATH=str(self.site))
                    self.assertEqual((code, out[1:]), (0, [f"{self.package}/libexec/{name}", "--version"]), stderr)

    def test_package_launcher_with_CDPATH(self):
        decoy = self.folder / "decoy"
        (decoy / "pkg" / "libexec").mkdir(parents=True)
        for name in ("train_sweep", "report"):
            with self.subTest(name):
                code, out, stderr = self.launch(f"pkg/{name}", cwd=self.folder, CDPATH=str(decoy),
                                                PYTHONPATH=str(self.site))
                self.assertEqual((code, out[1:]), (0, [f"{self.package}/libexec/{name}"]), stderr)


class Doctor(WorkingFolderCase):
    def test_doctor_runs_python_of_the_working_folder(self):
        """A doctor of a portable folder, which asks Python for LibTorch, and programs that print where they run."""
        doctor = self.folder / "pkg" / "libexec" / "doctor"
        doctor.parent.mkdir(parents=True)
        shutil.copy(self.tools / "doctor", doctor)
        folders = self.folder / "folders"
        where = program(self.folder / "bin" / "bazel", f"#!/bin/sh\npwd >> {folders}\necho bazel 1.2.3\n")
        python = program(self.folder / "bin" / "python", f'#!/bin/sh\npwd >> {folders}\nexec {sys.executable} -S "$@"\n')
        for python_path in ("", ":"):
            with self.subTest(python_path):
                result = subprocess.run(
                    [str(doctor), "--format=json", "--timeout=60s"], cwd=self.theirs, capture_output=True, timeout=240,
                    env={**os.environ, "PATH": f"{where.parent}:{os.environ['PATH']}", "PYTHONPATH": python_path,
                         "PYTHON": os.path.relpath(python, self.theirs)})
                self.assertIn(result.returncode, (0, 4), result.stderr.decode())
                self.nothing_of_theirs_ran(result.stdout.decode())
        self.assertEqual(folders.read_text().splitlines(), ["/"] * 4)


class Lab(WorkingFolderCase):
    """Runs the lab of a portable folder with scripts in the place of the tools, which log their arguments. No script
    writes a record, so that the lab ends after the data set."""

    def setUp(self):
        super().setUp()
        self.package = self.folder / "pkg"
        self.calls = self.folder / "calls"
        for tool in TOOLS:
            program(self.package / tool, f'#!/bin/sh\nprintf "%s\\n" "$0 $*" >> {self.calls}\n')
        program(self.package / "lab", (SCRIPTS / "launcher.sh").read_text())
        (self.package / "libexec").mkdir()
        shutil.copy(self.tools / "lab", self.package / "libexec" / "lab")
        (self.package / "data" / "published").mkdir(parents=True)
        (self.package / "data" / "published" / "hand_in_000.textproto").write_text("")
        self.work = self.folder / "work"
        self.work.mkdir()

    def lab(self, *arguments, script=None, **environment):
        environment = {k: v for k, v in {**os.environ, **environment}.items() if k != "BUILD_WORKING_DIRECTORY"}
        return subprocess.run([str(script or self.package / "lab"), "--device=cpu", *arguments], cwd=self.work,
                              capture_output=True, text=True, timeout=60, env=environment)

    def refused(self, *arguments, message, **options):
        result = self.lab(*arguments, **options)
        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("lab: error: "), result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(list(self.work.iterdir()), [])
        self.assertFalse(self.calls.exists())

    def test_lab_output_with_a_comma(self):
        self.refused("--output=a,b", message="--output=a,b: expected a folder without a comma")

    def test_lab_output_empty(self):
        self.refused("--output=", message="--output=: expected the name of a folder")

    def test_lab_output_that_cannot_be_made(self):
        self.refused("--output=/dev/null/lab", message="--output=/dev/null/lab: expected a folder")

    def test_lab_in_a_folder_with_a_comma(self):
        self.package = self.package.rename(self.folder / "p,kg")
        self.refused(message="p,kg/data/published: expected a folder without a comma")

    def test_lab_prints_nothing_that_controls_the_terminal(self):
        forged = "\x1b[2J\x9b\u202e"
        self.refused(f"--x={forged}", message="unknown flag ")
        for text in (self.lab(f"--x={forged}").stderr, self.lab(f"--output=caf{forged} d").stderr):
            self.assertTrue(all(" " <= c <= "~" or c == "\n" for c in text), text)

    def test_lab_through_a_link_and_with_CDPATH(self):
        home = self.folder / "home"
        (home / "cifar_prep").mkdir(parents=True)
        (home / "lab").symlink_to("../pkg/lab")
        decoy = self.folder / "decoy"
        for folder in ("out", "pkg", "home"):
            (decoy / folder).mkdir(parents=True)
        result = self.lab("--output=out", script="../home/lab", CDPATH=str(decoy))
        self.assertEqual(result.returncode, 3, result.stderr)  # the scripts make no data set
        self.assertIn("out/dataset.rec", result.stderr)
        for call in self.calls.read_text().splitlines():
            self.assertTrue(call.startswith(f"{self.package}/"), call)
        self.assertEqual(list((decoy / "out").iterdir()), [])


@unittest.skipUnless(shutil.which("gnuplot"), "there is no gnuplot")
class Gnuplot(ToolCase):
    reads_sweep = False

    def report(self, name, **environment):
        """Returns the LaTeX document, whose plots are drawn by gnuplot, and the messages."""
        page = self.folder / name / "r.tex"
        page.parent.mkdir()
        result = self.call("report", f"--input={self.timed_sweep()}", f"--output={page}", env=environment)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return page.read_bytes(), result.stderr.decode()

    def test_users_gnuplot_startup_file(self):
        home = self.folder / "home"
        home.mkdir()
        marker = self.folder / "ran"
        (home / ".gnuplot").write_text(f'system("touch {marker}")\nset xrange [0:1e9]\n')
        before, _ = self.report("a")
        self.assertIn(b"epoch_time.pdf", before)
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(home)
        for i, environment in enumerate([{"HOME": str(home)}, {"XDG_CONFIG_HOME": str(home), "GNUTERM": "nonsense"}]):
            with self.subTest(environment):
                after, _ = self.report(f"b{i}", **environment)
                self.assertFalse(marker.exists())
                self.assertEqual(after, before)

    def fake(self, script):
        """Makes a gnuplot that has a version, logs each drawing and runs `script`. Returns its PATH and its log."""
        starts = self.folder / "starts"
        gnuplot = program(self.folder / "bin" / "gnuplot",
                          "#!/bin/sh\ngrep -q 'set terminal' \"$1\" || { echo 5.4.4 > /dev/fd/3; exit; }\n"
                          f"echo $$ >> {starts}\n{script}\n")
        return f"{gnuplot.parent}:{os.environ['PATH']}", starts

    def test_gnuplot_that_writes_for_ever(self):
        path, starts = self.fake("exec cat /dev/zero > /dev/fd/3")
        page, stderr = self.report("r", PATH=path)
        self.assertNotIn(b"epoch_time.pdf", page)
        self.assertIn(b"wrote more than", page)
        self.assertIn("so there is no plot", stderr)
        self.assertEqual(len(starts.read_text().split()), 1)

    def test_gnuplot_that_hangs_when_it_draws_and_sigterm(self):
        path, starts = self.fake("exec sleep 600")
        process = subprocess.Popen([str(self.tools / "report"), f"--input={self.timed_sweep()}",
                                    f"--output={self.folder}/r.tex"],
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "PATH": path})
        while not starts.exists() or not starts.read_text().endswith("\n"):
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 143, stderr)
        for pid in starts.read_text().split():
            self.assertFalse(pathlib.Path("/proc", pid).exists())
        self.assertFalse((self.folder / "r.tex").exists())


if __name__ == "__main__":
    run_tests(__doc__)
