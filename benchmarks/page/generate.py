"""Regenerates the tables and figures of README.md and the pages in benchmarks, from the records in benchmarks/results.

    python3 benchmarks/page/generate.py [--root .] [--check]

All numbers follow one rule: the median and the range (min to max) over all timed epochs of all processes of one
version. Generated text is between markers (render.py); tables.py lists the tables, their records and their commands.
--check changes nothing, and exits 1 if a document differs from the generated one, or holds a table or a figure outside
the markers.
"""

import argparse
import difflib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import render  # noqa: E402
import tables  # noqa: E402

DOCUMENTS = ["README.md", "docs/questions.md", "docs/sessions.md", "benchmarks/README.md", "benchmarks/lab.md",
             "benchmarks/networks.md", "benchmarks/predictions.md"]


def generated(root, text):
    """Returns a document's text with its blocks generated from the records below `root`."""
    return render.fill(text, tables.blocks(root))


def complaints(root, name):
    """Returns a line for everything in a document that was not generated from the records."""
    text = (root / name).read_text()
    found = [f"{name}:{line}: typed, not generated: {what}" for line, what in render.typed_figures(text)]
    difference = difflib.unified_diff(text.splitlines(), generated(root, text).splitlines(), name, "generated", lineterm="", n=0)
    return found + list(difference)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent.parent)
    parser.add_argument("--check", action="store_true", help="change nothing")
    given = parser.parse_args()
    if given.check:
        found = [line for name in DOCUMENTS for line in complaints(given.root, name)]
        if found:
            sys.exit("\n".join(found) + "\nrun benchmarks/page/generate.py to regenerate the pages")
        return
    for name in DOCUMENTS:
        path = given.root / name
        text = path.read_text()
        new = generated(given.root, text)
        if new != text:
            path.write_text(new)
            print(f"{name}: written")


if __name__ == "__main__":
    main()
