"""Names, and strings of records, that could control a terminal, a page, a drawing or a table."""

import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unicodedata
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import ToolCase, run_tests

# Escape sequence, CSI as one character (C1), marks of the writing direction, line separator, no-break space without
# width: none may reach a terminal.
FORGED = "x\x1b[2J\u009b31m\u202egpj\u2066\u200f\u2028\ufeffy"
# Strings in records in place of a name. A JSON parser may refuse some of them.
STRINGS = {
    "term": "\x1b]0;title\x07\x1b[2J\b\b\x7f",
    "nul": "a\x00b",
    "surrogate": "\udc80\ud800",
    "noncharacter": "\ufffe\uffff",
    "cdata": "]]><![CDATA[\x01<script>",
    "c1": "\u009b2J\u0085\u0090",
    "bidi": "\u202egpj.exe\u2066\u061c\u200e",
    "formula": "\u00a0=cmd()|'/C calc'!A1",
}
# Fields of a sweep record that hold text of the machine, of the user or of a library.
TEXT_FIELDS = {"name", "cpu_model", "kernel", "driver_version", "detail", "timing_method", "noise_warning", "command_line",
               "preset", "absent_reason", "libtorch"}


def unseen(text):
    """Returns the characters of `text` that no line, page or drawing may hold, apart from tabs and line ends."""
    return sorted({c for c in text if c not in "\t\n" and c not in "\u200c\u200d" and
                   (unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or ord(c) & 0xFFFE == 0xFFFE)})


def forged(value, text, key=""):
    """Returns the JSON value with `text` appended to each text of TEXT_FIELDS."""
    if isinstance(value, dict):
        return {name: forged(one, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [forged(one, text, key) for one in value]
    return value + text if isinstance(value, str) and key in TEXT_FIELDS else value


def texts(value):
    """Yields every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts(one)


class TextCase(ToolCase):
    def clean(self, data, what=""):
        text = data.decode() if isinstance(data, bytes) else data
        self.assertEqual(unseen(text), [], what)
        return text


class Terminal(TextCase):
    """A name in a flag, in an error and in the line that reports the written file."""

    def test_forged_names_in_errors(self):
        for name in (FORGED.encode(), FORGED.encode() + b"\xe9"):
            missing = os.fsdecode(os.fsencode(self.folder) + b"/" + name)
            for tool, *flags in [
                    ("cifar_prep", "--input={}"), ("train_sweep", "--input={}"), ("scale_run", "--input={}"),
                    ("quantize", "--input={dataset}", "--checkpoint={}"), ("comm_model", "--input={}"),
                    ("comm_model", "--audit={}"), ("report", "--input={}"), ("report", "--print={}"),
                    ("report", "--{}=1"), ("train_sweep", "--input={dataset}", "--model={}"), ("scale_run", "{}")]:
                with self.subTest(tool=tool, flags=flags):
                    result = self.call(tool, *(flag.format(missing, dataset=self.dataset) for flag in flags))
                    self.assertIn(result.returncode, (2, 3))
                    stderr = self.clean(result.stderr)
                    self.assertEqual(stderr.count("\n"), 1, stderr)
                    self.assertIn("\\x1b[2J", stderr)

    def test_forged_names_in_lines_of_success(self):
        records = {"timed": self.timed_sweep(), "sweep": self.sweep, "out": f"{self.folder}/{FORGED}"}
        shutil.copy(self.published / "hand_in_001.textproto", f"{self.folder}/{FORGED}.textproto")
        for tool, *flags in [
                ("cifar_prep", "--input_format=synthetic", "--train_images=10", "--test_images=10", "--output={out}.rec"),
                ("report", "--input={timed}", "--trace={out}.json"),
                ("report", "--input={sweep}", "--prometheus={out}.prom"),
                ("report", "--input={sweep}", "--tensorboard={out}.events"),
                ("report", "--input={sweep}", "--mllog={out}.mllog"),
                ("report", "--input={sweep}", "--wandb_csv={out}.csv"),
                ("report", "--input={sweep}", "--output={out}.page.html"),
                ("report", "--convert={sweep}", "--output={out}.sweep.rec"),
                ("report", "--print={out}.sweep.rec"), ("report", "--print={out}.rec", "--format=json"),
                ("comm_model", "--audit={out}.textproto", "--output={out}.m.rec", "--format=text"),
                ("comm_model", "--audit={out}.textproto", "--output={out}.m.rec", "--format=json"),
                ("train_sweep", "--input={out}.rec", "--model=lenet5", "--device=cpu", "--batch_size=5", "--epochs=1",
                 "--output={out}.s.rec"),
                ("train_sweep", "--input={out}.rec", "--model=lenet5", "--device=cpu", "--batch_size=5", "--epochs=1",
                 "--output={out}.s.rec")]:
            with self.subTest(tool=tool, flags=flags):
                result = self.call(tool, *(flag.format(**records) for flag in flags))
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                self.clean(result.stderr)
                text = self.clean(result.stdout)
                if tool == "report" and "--format=json" in flags:  # the record holds its command line
                    self.assertTrue(any(FORGED in one for one in texts(json.loads(text))))

    def test_doctor_prints_the_output_of_gxx(self):
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        for name, stream in (("g++", 1), ("bazel", 2), ("gnuplot", 3)):
            (bin_folder / name).write_text(f"#!/bin/sh\nprintf '%s' '12.2{FORGED}' >&{stream}\n")
            (bin_folder / name).chmod(0o755)
        for flags in ([], ["--format=json"]):
            with self.subTest(flags):
                result = self.call("doctor", *flags, env={"PATH": f"{bin_folder}:{os.environ['PATH']}"})
                self.assertIn(result.returncode, (0, 4))
                # g++'s and gnuplot's output; of Bazel's the doctor prints only the digits.
                self.assertGreaterEqual(self.clean(result.stdout).count("12.2x"), 2)
                self.clean(result.stderr)


class Pages(TextCase):
    """Strings of records in each format of a report."""

    def record(self, name, text):
        """Returns a sweep record as JSON that holds `text`; None if report refuses it as a record."""
        plain = json.loads(self.call("report", f"--print={self.timed_sweep()}", "--format=json", check=True).stdout)
        path = self.folder / "input" / f"{name}.json"
        path.parent.mkdir()
        path.write_text(json.dumps(forged(plain, text)))
        result = self.call("report", f"--print={path}")
        self.clean(result.stderr)
        if result.returncode != 0:
            self.assertEqual(result.returncode, 3, result.stderr.decode())
            return None
        self.clean(result.stdout)
        return path

    def pages(self, name):
        record = self.record(name, STRINGS[name])
        if record is None:
            return
        page = self.folder / f"{name}.html"
        for formats in ("html,markdown", "csv,json", "latex"):
            output = page if formats != "latex" else page.with_suffix(".tex")
            result = self.call("report", f"--input={record}", f"--output={output}", f"--format={formats}", "--force")
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.clean(result.stderr)
        for path in self.folder.glob(f"{name}.*"):
            if path.suffix in (".html", ".md", ".svg", ".csv", ".tex"):
                text = self.clean(path.read_bytes().replace(b"\r\n", b"\n"), path.name)
                if path.suffix == ".svg":
                    xml.etree.ElementTree.fromstring(text)
        self.assertNotIn("<script>", page.read_text())
        for row in csv.reader(io.StringIO(page.with_suffix(".csv").read_bytes().decode(), newline="")):
            for cell in row:
                self.assertNotIn(cell.lstrip(" \u00a0\u3000")[:1], ("=", "@"), cell)
        junit = self.folder / f"{name}.xml"
        self.assertIn(self.call("report", "--check", f"--input={record}", f"--junit={junit}").returncode, (0, 4))
        xml.etree.ElementTree.parse(junit)

    def test_trace_of_one_record_is_the_same_each_time(self):
        traces = []
        for i in range(4):
            trace = self.folder / f"trace{i}.json"
            self.call("report", f"--input={self.timed_sweep()}", f"--trace={trace}", check=True)
            traces.append(trace.read_bytes())
        self.assertEqual(len(set(traces)), 1)
        self.assertGreater(len(json.loads(traces[0])["traceEvents"]), 2)

    def test_class_newline_name(self):
        for name in ("a\nb", f"s{FORGED}"):
            student = self.folder / "class" / name
            student.mkdir(parents=True)
            shutil.copy(self.sweep, student / "sweep.rec")
        page = self.folder / "class.html"
        result = self.call("report", f"--class_folder={self.folder / 'class'}", f"--output={page}")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.clean(result.stderr)
        self.assertIn("x\\x1b[2J\\u009b31m\\u202egpj", self.clean(page.read_bytes()))


def case_of(name):
    return lambda self: self.pages(name)


for name in STRINGS:
    setattr(Pages, f"test_forged_strings_{name}", case_of(name))


if __name__ == "__main__":
    run_tests(__doc__)
