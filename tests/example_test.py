"""Tests docs/example: the committed page is the one that the tools make from the records, and one file is all of it.

Run by bazel (tests/BUILD), or directly:
python3 tests/example_test.py --script docs/example/write.py --tools bazel-bin/tools/report \\
    --page docs/example/report.html
"""

import html.parser
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

LARGEST_PAGE = 1_500_000  # bytes, so that the page can be read in a repository and sent by mail


class OtherFiles(html.parser.HTMLParser):
    """Files that a browser would load for the page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [(tag, name, value) for name, value in attrs
                       if name in ("src", "data", "poster", "srcset") or tag == "link" or tag == "script"]


class ExampleTest(unittest.TestCase):
    script = None
    tools = None
    page = None

    @classmethod
    def setUpClass(cls):
        cls.text = cls.page.read_text()

    def check(self, text):
        """Returns the exit code of write.py --check for a page of `text`, and what it prints."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "report.html"
            page.write_text(text)
            done = subprocess.run([sys.executable, self.script, f"--tools={self.tools}", f"--page={page}", "--check"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(page.read_text(), text, "--check writes nothing")
        return done.returncode, done.stdout + done.stderr

    def test_the_page_is_the_one_of_these_tools(self):
        self.assertEqual(self.check(self.text), (0, ""))

    def test_a_changed_number_is_found_and_the_command_named(self):
        number = re.search(r"<td[^>]*>[^<]*?(\d)", self.text)
        changed = self.text[:number.start(1)] + str(9 - int(number[1])) + self.text[number.end(1):]
        code, output = self.check(changed)
        self.assertEqual(code, 1)
        self.assertRegex(output, r"2 lines differ .* write it again: bazel run //docs/example:write")

    def test_the_version_is_not_compared(self):
        other, versions = re.subn(r"\(Lockstep [\w.]+\)", "(Lockstep 9.9.9)", self.text)
        self.assertEqual(versions, 1)
        self.assertEqual(self.check(other), (0, ""))

    def test_one_file_is_all_of_it(self):
        parser = OtherFiles()
        parser.feed(self.text)
        self.assertEqual(parser.found, [])
        self.assertNotRegex(self.text, r"url\(|@import")
        self.assertLess(len(self.text.encode()), LARGEST_PAGE)

    def test_no_record_is_of_an_uncommitted_build(self):
        self.assertNotIn("by a build that no commit describes", self.text)

    def explain(self, page):
        """Runs write.py --explain with stand-ins for the tools; report makes `page`. Returns the exit code, what it
        prints, the page, and the contents of the records in the folder of results.
        """
        spec = importlib.util.spec_from_file_location("write", self.script)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for record in module.RECORDS.values():
                (folder / "results" / record).parent.mkdir(parents=True, exist_ok=True)
                (folder / "results" / record).write_text("kept")
            (folder / "tools").mkdir()
            for tool, output in (("comm_model", "made"), ("report", page)):
                script = folder / "tools" / tool
                script.write_text(f"#!/bin/sh\nfor last; do :; done\necho '{output}' >\"${{last#--output=}}\"\n")
                script.chmod(0o755)
            (folder / "report.html").write_text("before")
            done = subprocess.run([sys.executable, self.script, "--explain", f"--tools={folder / 'tools'}",
                                   f"--results={folder / 'results'}", f"--page={folder / 'report.html'}"],
                                  capture_output=True, text=True, check=False)
            explained = {(folder / "results" / module.RECORDS[name]).read_text() for name in module.EXPLAINED}
            return done.returncode, done.stdout + done.stderr, (folder / "report.html").read_text(), explained

    def test_a_clean_build_explains(self):
        code, _, page, explained = self.explain("a page")
        self.assertEqual((code, page, explained), (0, "a page\n", {"made\n"}))

    def test_an_uncommitted_build_changes_nothing(self):
        code, output, page, explained = self.explain("Made by a build that no commit describes: two.rec")
        self.assertEqual((code, page, explained), (1, "before", {"kept"}))
        self.assertRegex(output, r"uncommitted changes.*commit the changes, then: bazel run //docs/example:write -- "
                                 r"--explain")

    def test_no_path_of_a_machine_is_in_it(self):
        self.assertNotRegex(self.text, r"/(?:tmp|home|root|work)/")


if __name__ == "__main__":
    bazel_unittest.main_of(ExampleTest, files=("script", "page"), folders=("tools",))
