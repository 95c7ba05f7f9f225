"""Writes numbers and tables as Markdown, and puts generated blocks between the markers of a document.

A block stands between `<!-- table: NAME -->` or `<!-- figure: NAME -->` and `<!-- end -->`.
"""

import re
import textwrap

COLUMNS = 119
BLOCK = re.compile(r"<!-- (table|figure): (\w+) -->(.*?)<!-- end -->", re.S)
# Numbers that are results: with a unit of speed or accuracy, or with decimals, except Ubuntu's versions (24.04).
UNITS = r"%|s|ms|us|seconds|GB/s|TB/s|TFLOP/s|TOPS|GOP/s|images/s|pictures/s|points?|times"
FIGURE = re.compile(rf"(?<![\w./])\d[\d,]*(?:\.\d+)?\s?(?:{UNITS})(?![\w/])|(?<![\w./-])(?!\d\d\.04\b)\d+\.\d+(?![\w.])")


def significant(value, digits=3):
    """Returns a number with `digits` significant digits, and a comma between thousands."""
    if value == 0:
        return "0"
    text = f"{value:.{digits}g}"
    if "e" in text:
        text = f"{float(text):f}".rstrip("0").rstrip(".")
    whole, _, decimals = text.partition(".")
    shown = len(whole.lstrip("-").lstrip("0")) + len(decimals if whole.lstrip("-") != "0" else decimals.lstrip("0"))
    if shown < digits and abs(value) < 10 ** (digits - 1):  # 0.40, not 0.4
        decimals += "0" * (digits - shown)
    return f"{int(whole):,}" + ("." + decimals if decimals else "") if abs(value) >= 1 else whole + "." + decimals


def spread(sample, factor=1):
    """Returns "median (min to max)", or the value alone if there is one."""
    if sample is None:
        return "-"
    median = significant(sample.median * factor)
    if sample.n == 1:
        return median
    return f"{median} ({significant(sample.minimum * factor)} to {significant(sample.maximum * factor)})"


def count(number, noun):
    return f"{number:,} {noun}" + ("" if number == 1 else "s" if not noun.endswith("s") else "es")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"expected {len(head)} cells, found {row}")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def paragraph(text):
    """Returns the text in lines of at most 119 columns; a link is never divided."""
    glued = re.sub(r"\[[^\]]*\]\([^)]*\)", lambda match: match.group().replace(" ", "\0"), text)
    lines = textwrap.wrap(glued, COLUMNS, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def fill(text, blocks):
    """Returns `text` with each block's content replaced by blocks[kind, name]. Raises ValueError if no block has that
    name."""
    def content(match):
        kind, name = match.group(1), match.group(2)
        if (kind, name) not in blocks:
            raise ValueError(f"no {kind} is named {name}; see benchmarks/page/tables.py for the names")
        inner = blocks[kind, name]
        inner = f"\n{inner}" if kind == "table" and inner else inner
        return f"<!-- {kind}: {name} -->{inner}<!-- end -->"

    return BLOCK.sub(content, text)


def typed_figures(text):
    """Yields (line number, what) for each row of a table with a number, and each figure of speed or accuracy, that no
    block generated.

    Indented code, code spans and targets of links are left out: commands, what they print, and names of files.
    """
    masked = BLOCK.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    fenced = False
    for number, line in enumerate(masked.splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced or line.startswith("    "):
            continue
        plain = re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)
        if line.startswith("|"):
            if re.search(r"(?<![A-Za-z])\d", plain):
                yield number, line
            continue
        for match in FIGURE.finditer(plain):
            yield number, match.group()
