"""Tests the report's pages in a browser: nothing wider than its column, nothing overlapping, the summary first.

The pages are of measured labs on one and two GPUs, of large batches, and of a network made int8 here; for two GPUs
also in the lab's style. A script, added to a copy of the page, measures Chromium's layout, on screen and in print.
The tests are skipped without Chromium.

Run by bazel (tests/BUILD), or directly:
python3 tests/page_test.py --tools bazel-bin/tools/report --results benchmarks/results
"""

import argparse
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import bazel_unittest

WIDTHS = [1200, 1920, 420]
PRINTED = 718  # A4 between margins of 1 cm
FIRST_SCREEN = 900
LONGEST_PAGE = 12000

# Boxes of leaves that must not overlap, in CSS pixels; `closed` is before the details are opened.
MEASURE = """
<script>
const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top + scrollY, r.right, r.bottom + scrollY]; };
const all = (what, from = document) => [...from.querySelectorAll(what)];
const name = e => e.tagName + ' ' + (e.id || (e.closest('[id]') || {}).id || '') + ' ' + e.textContent.slice(0, 40);
const closed = {height: document.documentElement.scrollHeight,
                verdicts: all('.question-card').map(e => [e.querySelector('.question').textContent, box(e)[3]]),
                chips: all('.chips').map(e => box(e)[3])};
const lefts = all('.question-card').map(e => box(e)[0]);
// Ratio of contrast (WCAG 2) between a text and the nearest background that is not transparent.
const light = color => {
  const part = c => (c /= 255) <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4);
  const [r, g, b] = color.match(/[0-9.]+/g).map(Number);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const ground = e => {
  for (; e; e = e.parentElement) {
    const color = getComputedStyle(e).backgroundColor;
    if (!/, 0\)$/.test(color)) return light(color);
  }
  return 1;
};
const texts = all('body *').filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) &&
                                        !e.closest('style, script, title, desc, .hidden, .skip'));
const size = e => parseFloat(getComputedStyle(e).fontSize);
const styles = texts.map(e => {
  const drawn = e.closest('svg') !== null;
  const ink = light(drawn ? getComputedStyle(e).fill : getComputedStyle(e).color), under = ground(e);
  return [name(e), drawn, size(e), (Math.max(ink, under) + 0.05) / (Math.min(ink, under) + 0.05)];
});
const headings = all('h1, h2, h3, [role=heading]').map(
    e => [Number(e.getAttribute('aria-level') || e.tagName[1]), e.textContent]);
all('details').forEach(e => e.open = true);
const inside = [];
all('table').forEach(e => inside.push([name(e), box(e), box(e.closest('.scroll'))]));
all('figure svg').forEach(e => inside.push([name(e), box(e), box(e.closest('figure'))]));
all('figure svg text').forEach(e => inside.push([name(e), box(e), box(e.closest('svg'))]));
all('main p, main li, main dd, main figure, main .scroll').forEach(e => inside.push([name(e), box(e), box(e.parentElement)]));
const flow = all('h1, h2, h3, summary, .scroll, figure, main p, .chips li, .checks li, .runs li, .notes li, .spark, dt, dd').map(e => [name(e), box(e)]);
parent.postMessage(JSON.stringify({width: innerWidth, closed, inside, flow, styles, headings, lefts}), '*');
</script>
"""

# A window is at least 500 pixels wide; a frame in it can have any width.
FRAME = """<!DOCTYPE html><script>
onmessage = message => {
  const out = document.createElement('pre');
  out.textContent = message.data;
  out.id = 'measured';
  document.body.append(out);
};
</script><body><iframe src="measured.html" style="border: 0; width: {width}px; height: 900px"></iframe></body>"""


class References(html.parser.HTMLParser):
    """Resources that the page would fetch, and duplicate ids."""

    def __init__(self):
        super().__init__()
        self.outside, self.ids, self.targets = [], [], []

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "xlink:href") and value.startswith("#"):
                self.targets.append(value[1:])
            elif key in ("src", "href", "xlink:href", "data", "action", "poster", "srcset"):
                self.outside.append((tag, value))
            if key == "id":
                self.ids.append(value)


class PageTools:
    """Paths from the command line."""
    tools = None
    results = None


class Page:
    """Tests of each page; a subclass makes its records."""

    verdicts = []
    style = "given"

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        cls.call("report", f"--input={','.join(map(str, cls.records()))}", f"--style={cls.style}",
                 f"--output={cls.folder}/report.html")
        cls.page = (cls.folder / "report.html").read_text()
        cls.measures = {}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    @classmethod
    def call(cls, tool, *arguments):
        subprocess.run([PageTools.tools / tool, *arguments], check=True, stderr=subprocess.DEVNULL)

    def measured(self, width, page=None):
        """Returns the measures. Each width of the page itself is measured once."""
        if page is None:
            if width not in self.measures:
                self.measures[width] = self.measured(width, self.page)
            return self.measures[width]
        browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
        if browser is None:
            self.skipTest("Chromium is not installed (apt-get install chromium)")
        (self.folder / "frame.html").write_text(FRAME.replace("{width}", str(width)))
        (self.folder / "measured.html").write_text(page.replace("</body>", MEASURE + "</body>"))
        dom = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                              f"--user-data-dir={self.folder}/browser", "--window-size=2000,1000",
                              "--virtual-time-budget=20000", "--dump-dom", (self.folder / "frame.html").as_uri()],
                             check=True, capture_output=True, timeout=120).stdout.decode()
        found = re.search('<pre id="measured">(.*?)</pre>', dom, re.DOTALL)
        self.assertIsNotNone(found, dom[:500])
        return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def printed(self):
        return self.measured(PRINTED, self.page.replace("@media print", "@media all"))

    @staticmethod
    def too_wide(measured):
        """Returns elements that are too wide, except what a narrow screen may scroll: the tables of the details."""
        return [(name, [round(x) for x in inner], [round(x) for x in outer])
                for name, inner, outer in measured["inside"]
                if not (measured["width"] < 600 and name.startswith("TABLE ") and "TABLE table-" not in name)
                and inner[2] > inner[0] and (inner[2] > outer[2] + 1 or inner[0] < outer[0] - 1)]

    @staticmethod
    def overlapping(measured):
        boxes = [(name, box) for name, box in measured["flow"] if box[2] > box[0] and box[3] > box[1]]
        contains = lambda a, b: a[0] <= b[0] and a[1] <= b[1] and a[2] >= b[2] and a[3] >= b[3]
        return [(a_name, b_name) for i, (a_name, a) in enumerate(boxes) for b_name, b in boxes[i + 1:]
                if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
                and not contains(a, b) and not contains(b, a)]

    def test_nothing_is_wider_than_its_column(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                measured = self.measured(width)
                self.assertEqual(measured["width"], width)
                self.assertGreater(len(measured["inside"]), 50)
                self.assertEqual(self.too_wide(measured), [])

    def test_nothing_lies_on_top_of_anything(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                self.assertEqual(self.overlapping(self.measured(width)), [])

    def test_print_cuts_nothing_off(self):
        measured = self.printed()
        self.assertEqual(self.too_wide(measured), [])
        self.assertEqual(self.overlapping(measured), [])

    def test_the_state_of_each_question_is_on_the_first_screen(self):
        for width in WIDTHS:
            with self.subTest(width=width):
                closed = self.measured(width)["closed"]
                self.assertEqual([question for question, _ in closed["verdicts"]], self.verdicts)
                self.assertLess(max(closed["chips"]), FIRST_SCREEN)

    def test_text_can_be_read(self):
        """Contrast of 4.5 and 11 px. Text on a part of a bar is tested in lib/plot, text of figures has its own scale."""
        dark = self.page.replace("(prefers-color-scheme: dark)", "all")
        for width, page in [(1200, None), (420, None), (1200, dark)]:
            with self.subTest(width=width, dark=page is not None):
                styles = self.measured(width, page)["styles"]
                self.assertGreater(len(styles), 100)
                self.assertEqual([each for each in styles if not each[1] and each[3] < 4.5], [])
                self.assertEqual([each for each in styles if not each[1] and each[2] < 11], [])

    def test_headings_have_no_gap(self):
        levels = [level for level, _ in self.measured(1200)["headings"]]
        self.assertEqual(levels.count(1), 1)
        self.assertEqual([(a, b) for a, b in zip(levels, levels[1:]) if b > a + 1], [])

    def test_the_grid_has_the_columns_of_its_width(self):
        for width, columns in [(420, 1), (1200, 3)]:
            with self.subTest(width=width):
                lefts = {round(left) for left in self.measured(width)["lefts"]}
                self.assertEqual(len(lefts), min(columns, len(self.verdicts)))

    def test_the_page_is_short(self):
        self.assertLess(self.measured(1200)["closed"]["height"], LONGEST_PAGE)

    def test_nothing_is_fetched_and_every_link_has_a_target(self):
        references = References()
        references.feed(self.page)
        self.assertEqual(references.outside, [])
        self.assertEqual(len(references.ids), len(set(references.ids)))
        self.assertLessEqual(set(references.targets), set(references.ids))
        self.assertNotRegex(re.sub(r'xmlns(:xlink)?="[^"]*"', "", self.page), r"url\(['\"]?[a-z]+:|@import|<script")

    def test_tidy_finds_nothing(self):
        if shutil.which("tidy") is None:
            self.skipTest("tidy is not installed (apt-get install tidy)")
        tidy = subprocess.run(["tidy", "-q", "-e", self.folder / "report.html"], capture_output=True)
        self.assertEqual(tidy.stderr.decode(), "")


class TwoGpus(Page, unittest.TestCase):
    verdicts = ["Q1", "Q2", "Q3"]

    @classmethod
    def records(cls):
        lab = PageTools.results / "2026-11-21-h200x2-fp32"
        cls.call("comm_model", f"--input={lab}/scale.rec", f"--sweep={lab}/sweep.rec",
                 f"--output={cls.folder}/comm_model.rec")
        return [lab / "scale.rec", lab / "sweep.rec", cls.folder / "comm_model.rec"]

    def test_a_fault_is_found(self):
        wide = self.page.replace("</style>", "table { min-width: 3000px; } h2 { margin-bottom: -30px !important; }</style>")
        measured = self.measured(1200, wide)
        self.assertNotEqual(self.too_wide(measured), [])
        self.assertNotEqual(self.overlapping(measured), [])


class LabsStyle(TwoGpus):
    style = "lab"
    verdicts = ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "B1", "B2", "B3", "B4", "B5"]


class OneGpu(Page, unittest.TestCase):
    """Two batch sweeps of one network, and so plots with several series, and parts of a step."""
    verdicts = ["Q1"]

    @classmethod
    def records(cls):
        return [PageTools.results / "2026-11-22-h200-shares-that-fit/batch_sweep.rec",
                PageTools.results / "2026-11-24-h200-ptx80/sweep.rec"]


class LargeBatch(Page, unittest.TestCase):
    verdicts = ["Q4"]

    @classmethod
    def records(cls):
        return [PageTools.results / f"2026-11-23-h200-large-batch/large_batch_{batch}.rec" for batch in [8192, 32768]]


class Int8(Page, unittest.TestCase):
    """LeNet-5 with biases on synthetic images. For a full page, fp32 and int8 must both classify them correctly."""
    verdicts = ["Q1", "B1", "B2", "B3", "B4", "B5"]

    @classmethod
    def records(cls):
        file = lambda name: cls.folder / name
        cls.call("cifar_prep", "--input_format=synthetic", "--train_images=640", "--test_images=100",
                 f"--output={file('dataset.rec')}")
        cls.call("train_sweep", f"--input={file('dataset.rec')}", "--model=lenet5_bias", "--batch_size=32",
                 "--epochs=3",
                 "--device=cpu", f"--output={file('sweep.rec')}", f"--checkpoint={file('lenet5_bias.pt')}")
        cls.call("quantize", f"--input={file('dataset.rec')}", f"--checkpoint={file('lenet5_bias.pt')}",
                 "--calibration_images=64", "--zero_points", f"--output={file('quantized.rec')}")
        return [file(name) for name in ["dataset.rec", "sweep.rec", "quantized.rec"]]

    def test_histograms_stand_behind_one_heading(self):
        groups = re.findall('<details class="box group">.*?</details>', self.page, re.DOTALL)
        self.assertEqual(len(groups), 1)
        self.assertEqual(groups[0].count("<figure "), 11)  # input; weights and activations of five layers
        self.assertRegex(groups[0], ">where int8 ends, ")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="a tool; the others are in the same folder")
    parser.add_argument("--results", required=True, help="the folder benchmarks/results")
    arguments, rest = parser.parse_known_args()
    PageTools.tools = pathlib.Path(arguments.tools).resolve().parent
    PageTools.results = pathlib.Path(arguments.results).resolve()
    bazel_unittest.main(rest)
