"""Folders and tables of other people: the folders of a class, and documents of many tables."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tool_case import ToolCase, run_tests

COLUMNS = "table,quantity,devices,batch_per_device,value,unit,as_printed\n"


def many_tables(count):
    """Returns a document of `count` tables of 6 numbers, which follow from the times of their own table."""
    lines = ["# source = made by a test\n", COLUMNS]
    for i in range(count):
        one = 40 + 0.173 * i
        two, four = 0.61 * one, 0.37 * one
        for quantity, devices, value in [("epoch_seconds", 1, one), ("epoch_seconds", 2, two), ("epoch_seconds", 4, four),
                                         ("speedup", 2, one / two), ("speedup", 4, one / four),
                                         ("communication_seconds", 4, four - one / 4)]:
            lines.append(f"T{i},{quantity},{devices},32,,,{value:.4f}\n")
    return "".join(lines)


class FolderCase(ToolCase):
    def page_of(self, folder, timeout=60, **options):
        page = self.folder / "class.html"
        result = self.call("report", f"--class_folder={folder}", f"--output={page}", timeout=timeout, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return page.read_text(), result.stderr.decode()

    def student(self, name, **files):
        folder = self.folder / "class" / name
        folder.mkdir(parents=True)
        for file, content in files.items():
            (folder / file).write_bytes(content)
        return folder


class Class(FolderCase):
    """Each folder is on the page, and no folder makes the tool wait."""

    def setUp(self):
        super().setUp()
        self.student("alice").joinpath("sweep.rec").write_bytes(self.sweep.read_bytes())

    def test_class_fifo(self):
        bob = self.student("bob")
        for name in ("x.rec", "x.json", "x.csv", "x.textproto"):
            os.mkfifo(bob / name)
        page, stderr = self.page_of(self.folder / "class")
        self.assertIn("2 students: ", stderr)
        for name in ("x.rec", "x.json", "x.csv", "x.textproto"):
            self.assertIn(f"{name}: not a regular file", page)

    def test_class_link_to_proc_kmsg(self):
        bob = self.student("bob")
        for name, target in [("x.rec", "/proc/kmsg"), ("y.json", "/dev/kmsg"), ("z.csv", "/dev/zero"), ("s.csv", "/etc/passwd"),
                             ("e.csv", "/proc/self/environ")]:
            (bob / name).symlink_to(target)
        page, _ = self.page_of(self.folder / "class")
        for name in ("x.rec", "y.json", "z.csv", "s.csv", "e.csv"):
            self.assertIn(f"{name}: a link out of the folder", page)
        self.assertNotIn("root:", page)

    def test_class_record_that_names_ReportFile_is_left_out(self):
        output = self.student("bob") / "sweep.rec"
        self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=1",
                  f"--checkpoint={self.folder / 'lockstep.proto.ReportFile.pt'}", f"--output={output}", check=True)
        self.student("carol").joinpath("sweep.rec").write_bytes(output.read_bytes())
        page, stderr = self.page_of(self.folder / "class")
        self.assertIn("3 students: ", stderr)
        self.assertIn("the same numbers as sweep.rec of carol", page)

    def test_class_that_holds_its_own_page(self):
        self.call("report", f"--input={self.sweep}", f"--output={self.folder / 'class' / 'alice' / 'report.html'}", check=True)
        page, _ = self.page_of(self.folder / "class")
        self.assertIn("report.rec: a report&#39;s own record", page)
        result = self.call("report", f"--class_folder={self.folder / 'class'}",
                           f"--output={self.folder / 'class' / 'alice' / 'sweep.rec'}")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn(b"the page of --class_folder is HTML; expected NAME.html", result.stderr)

    def test_class_of_1502_with_one_record(self):
        folder = self.folder / "class"
        for i in range(1502):
            (folder / f"s{i:04}").mkdir()
            os.link(folder / "alice" / "sweep.rec", folder / f"s{i:04}" / "sweep.rec")
        page, stderr = self.page_of(folder, timeout=200)
        self.assertIn("1503 students: ", stderr)
        self.assertLess(len(page), 4e6)


class Tables(FolderCase):
    """Many small tables, audited in all three ways."""

    def answers(self, text, code, message="", timeout=60):
        table = self.folder / "many.csv"
        table.write_text(text)
        for arguments in (["report", "--check", f"--input={table}"],
                          ["comm_model", f"--audit={table}", f"--output={self.folder / 'm.rec'}"]):
            with self.subTest(arguments[0]):
                result = self.call(*arguments, timeout=timeout)
                self.assertIn(result.returncode, code, result.stderr)
                self.assertIn(message, result.stderr.decode())

    def test_table_100_tables_17_KB_in_5_s(self):
        self.answers(many_tables(100), [0, 4], timeout=15)  # 0.1 s; 31 s when each column was tried with all

    def test_table_2000_tables(self):
        self.answers(many_tables(2000), [3], "expected at most 10000 numbers, found 12000")
        self.answers(many_tables(501), [3], "expected at most 500 tables, found 501")
        self.student("bob", **{"many.csv": many_tables(2000).encode()})
        page, _ = self.page_of(self.folder / "class")
        self.assertIn("expected at most 10000 numbers", page)

    def test_table_of_separators(self):
        # Lines of separators alone are empty rows, however many they are.
        for text, message in (("," * (8 << 20), "expected the columns "), ("a\n" * (4 << 20), "expected at most "),
                              (",\n" * (4 << 20), "expected the columns ")):
            self.answers(text, [3], message)


if __name__ == "__main__":
    run_tests(__doc__)
