"""Tests manual pages and shell completion (tools/manual.py): they have every flag of every tool, and bash completes.

Starts the real tools. Run by bazel (tests/BUILD), or directly:
    python3 tests/manual_test.py --tools bazel-bin/tools --published data/published
"""

import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from tool_case import TOOLS, ToolCase, run_tests

SCRIPT = pathlib.Path(__file__).absolute().parent.parent / "tools/manual.py"
ALL = [*TOOLS, "doctor", "lab"]

# Asks for a completion like bash: the words of the line, split at '=' according to COMP_WORDBREAKS.
ASK = r"""
source "$1"
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
"_lockstep_$2"
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
"""


class ManualTest(ToolCase):
    share = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if ManualTest.share is None:
            folder = tempfile.TemporaryDirectory()
            unittest.addModuleCleanup(folder.cleanup)
            ManualTest.share = pathlib.Path(folder.name)
            subprocess.run([sys.executable, SCRIPT, f"--tools={cls.tools}", f"--output={cls.share}", "--date=2026-01-02"], check=True)

    def flags_of(self, tool):
        listing = self.call(tool, "--help=all", check=True).stdout.decode()
        return re.findall(r"(?m)^  --(\w+) \(default: ", listing)

    def page(self, tool):
        return self.share / "man/man1" / f"{tool}.1"

    def complete(self, tool, *words):
        script = self.share / "bash-completion/completions" / tool
        result = subprocess.run(["bash", "-u", "-c", ASK, "bash", script, tool, *words], cwd=self.folder, capture_output=True,
                                text=True, check=True)
        return result.stdout.split("\n")[:-1]

    def test_every_flag_is_in_all_of_them(self):
        for tool in ALL:
            flags = self.flags_of(tool)
            self.assertIn("quiet", flags)
            texts = {"page": self.page(tool).read_text(),
                     "zsh": (self.share / "zsh/site-functions" / f"_{tool}").read_text(),
                     "fish": (self.share / "fish/vendor_completions.d" / f"{tool}.fish").read_text()}
            offered = self.complete(tool, "--")
            for flag in flags:
                with self.subTest(tool=tool, flag=flag):
                    self.assertIn(f"\n\\fB\\-\\-{flag}\\fR", texts["page"])
                    self.assertRegex(texts["zsh"], rf"(?m)^  .?--{flag}[=\[]")
                    self.assertIn(f" -l {flag} ", texts["fish"])
                    self.assertEqual(len({f"--{flag}", f"--{flag}="} & set(offered)), 1, offered)

    def test_every_page_is_made_without_a_warning(self):
        commands = [["groff", "-ww", "-man", "-Tutf8", "-z"], ["man", "--warnings", "-E", "UTF-8", "-l"]]
        commands = [command for command in commands if shutil.which(command[0])]
        if not commands:
            self.skipTest("neither groff nor man is here")
        for tool in ALL:
            for command in commands:
                with self.subTest(tool=tool, command=command):
                    result = subprocess.run([*command, self.page(tool)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                            check=False, env={**os.environ, "MANPAGER": "cat", "MANROFFSEQ": ""})
                    self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_sections_of_a_page(self):
        page = self.page("train_sweep").read_text()
        self.assertEqual(re.findall(r'(?m)^\.SH (.*)$', page),
                         ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"])
        listing = self.call("train_sweep", "--help=all", check=True).stdout.decode()
        groups = re.findall(r"(?m)^Flags of the group (\w+: .*)$", listing)
        self.assertEqual([group.replace("\\(aq", "'") for group in re.findall(r'(?m)^\.SS "(\w+: .*)"$', page)], groups)
        for code in (0, 1, 2, 3, 4, 5, 129, 130, 143):
            self.assertIn(f"\n.TP\n{code}\n", page)
        for line in re.search(r"Examples:\n((?:  .*\n)*)", listing)[1].splitlines():
            self.assertIn(line.strip().replace("-", "\\-"), page)

    def test_bash_completes_flags_words_and_files(self):
        (self.folder / "data set.rec").write_text("")
        (self.folder / "other.rec").write_text("")
        for words, expected in [
                (["--dev"], ["--device="]),
                (["--for"], ["--force"]),
                (["--noforc"], ["--noforce"]),
                (["--device", "="], ["auto", "cpu", "cuda"]),
                (["--device", "=", "c"], ["cpu", "cuda"]),
                (["--device=c"], ["--device=cpu", "--device=cuda"]),
                (["--device", "cu"], ["cuda"]),
                (["--quiet", "--inp"], ["--input="]),
                (["--input", "=", "d"], ["data set.rec"]),
                (["--batch_size", "=", ""], []),
                (["--help", "=", "rec"], ["recipe"]),
                (["--no_such"], [])]:
            with self.subTest(words=words):
                self.assertEqual(self.complete("train_sweep", *words), expected)
        self.assertEqual(self.complete("scale_run", "--mode", "=", "ddp,d"), ["ddp,ddp", "ddp,dp"])
        self.assertEqual(self.complete("report", "--input", "=", "a.rec,oth"), ["a.rec,other.rec"])
        self.assertEqual(self.complete("report", "--input=a.rec,oth"), ["--input=a.rec,other.rec"])
        self.assertEqual(self.complete("doctor", "--for", "=", "train,s"), ["train,scale"])

    def test_bash_completes_at_the_prompt(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", PS1="ready> ", INPUTRC="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, terminal)

        def typed(text, until):
            os.write(terminal, text.encode())
            seen, end = b"", time.monotonic() + 60
            while until.encode() not in seen and time.monotonic() < end:
                if select.select([terminal], [], [], 1)[0]:
                    seen += os.read(terminal, 4096)
            self.assertIn(until, seen.decode(errors="replace"))

        typed(f"bind 'set enable-bracketed-paste off'; source '{self.share}/bash-completion/completions/train_sweep'; echo loa''ded\n",
              "loaded")
        typed("train_sweep --mod\t", "--model=")
        typed("lenet5_\t", "lenet5_bias")
        typed(" --devi\tcu\t", "--device=cuda")

    def test_other_shells_read_their_files(self):
        shells = {"zsh": "zsh/site-functions/_{}", "fish": "fish/vendor_completions.d/{}.fish"}
        found = [shell for shell in shells if shutil.which(shell)]
        if not found:
            self.skipTest("neither zsh nor fish is here")
        for shell in found:
            for tool in ALL:
                subprocess.run([shell, "-n", self.share / shells[shell].format(tool)], check=True)

    # --- the words of a flag ---

    def values_of(self, tool):
        """Returns the flags that take neither a number nor a switch's yes and no, with their words."""
        manual = json.loads(self.call(tool, "--help=manual", check=True).stdout)
        return {flag["name"]: set(flag["words"]) for group in manual["groups"] for flag in group["flags"]
                if flag["takes"] != "switch" and not flag["range"]}

    def bases(self, tool, flag):
        """Returns flags together with which the tool reads --FLAG."""
        data = [f"--input={self.dataset}"]
        if tool == "report" and flag == "format":
            return [[f"--input={self.sweep}"], [f"--print={self.sweep}"]]
        if tool == "report" and flag == "latex":
            return [[f"--input={self.sweep}", "--format=latex"]]
        if tool == "comm_model" and flag == "algorithm":
            return [[f"--input={self.scale()}", "--what_if=8", "--devices_per_host=2",
                     "--inter_host_gigabytes_per_second=10", "--inter_host_latency_microseconds=5"]]
        return {"train_sweep": [[*data, "--dry_run", "--device=cpu"]], "scale_run": [[*data, "--dry_run", "--device=cpu"]],
                "quantize": [[*data, f"--checkpoint={self.checkpoint}", "--device=cpu", "--calibration_images=20"]],
                "comm_model": [[f"--audit={self.published / 'hand_in_001.textproto'}"]],
                "report": [[f"--input={self.sweep}"]], "lab": [["--dry_run"]]}.get(tool, [[]])

    def scale(self):
        path = self.folder / "scale.rec"
        if not path.exists():
            self.call("scale_run", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--ranks=1,2", "--batch_size=10",
                      "--repeats=1", "--threads=1", f"--output={path}", check=True)
        return path

    def words_in_error(self, tool, flag):
        """Returns the words that the tool names when it refuses --FLAG=no_such_word; empty if it names none."""
        # The error of --normalization does not name this word.
        words = {"auto"} if (tool, flag) == ("quantize", "normalization") else set()
        for base in self.bases(tool, flag):
            given = [one for one in base if not one.startswith(f"--{flag}=")]
            with tempfile.TemporaryDirectory() as folder:  # some flags name outputs
                errors = subprocess.run([self.tools / tool, *map(str, given), f"--{flag}=no_such_word"], cwd=folder,
                                        capture_output=True, text=True, timeout=240, check=False).stderr
            for line in errors.splitlines():
                match = (re.search(rf"--{flag}=no_such_word: (?:expected ([\w:, ]+ or [\w:]+)|with --print, (\w+ or \w+) is expected)", line)
                         or re.search(r"expected an all-reduce algorithm \(([\w, ]+)\), found 'no_such_word'", line))
                if match:
                    words |= set(re.split(r", | or ", match[1] or match[2]))
        return words - {"MEAN"}  # placeholder of --normalization=MEAN/STD

    def test_the_words_of_a_flag_are_those_that_the_tool_takes(self):
        for tool in ALL:
            for flag, words in self.values_of(tool).items():
                with self.subTest(tool=tool, flag=flag):
                    self.assertEqual(words, self.words_in_error(tool, flag))
                    self.assertLessEqual(words, set(self.complete(tool, f"--{flag}", "=", "")))


if __name__ == "__main__":
    run_tests(__doc__)
