"""Checks rules of wording that a pattern can express, each with a line that breaks it and one that does not.

Run by bazel (tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/words_test.py --root .
"""

import re
import unittest

import source_tree

CODE = {".h", ".cc", ".cu", ".cuh", ".proto"}
SCRIPTS = {".py", ".sh", ".bzl"}
TEXT = {".md", ".txt"}

# Reasons of rules that have exceptions.
THREADS = "threads are started by lib/base/start_thread.h, whose error is exit 5"
CLOCK = "deadlines are on the monotonic clock (lib/base/monotonic_time.h)"

# Files that may read the wall clock, which may be set: for a time that a person or another program reads as a date.
WALL_CLOCK = [
    "lib/cifar/cifar_prep.cc",  # start_time of a dataset's header
    "lib/launch/error_file.cc",  # the timestamp that torchrun's error file must have
    "lib/record/provenance.cc",  # start_time of a record's header
    "lib/record/record_writer.cc",  # end_time of a record's trailer
    "lib/base/monotonic_time.h",  # its comment says what it replaces
    "lib/base/subprocess_test.cc",  # sets the clock, as this process sees it
]

# (reason, files, pattern that breaks the rule, a line that breaks it, a line that does not)
RULES = [
    ("a comment names its subject", CODE | SCRIPTS, re.compile(r"(?:^|\s)(?://|#) (?:Of (?!course)|Likewise\b)|[;,.] [Ll]ikewise\.?$"),
     "int x;  // Of the lanes.", "int x;  // Lanes of the step. Often one."),
    ("the ends of a range are kMax... and kMin...", CODE, re.compile(r"\bk(?:Most|Least)(?:[A-Z]\w*)?\b"),
     "constexpr int kMostRanks = 8;", "constexpr int kMaxRanks = 8;  // the most that fit"),
    ("a seed starts random numbers; the documents are hand-ins", CODE | SCRIPTS | TEXT | {".textproto"},
     re.compile(r"\bseed_00\d|\b(?:five|published|all|the) seeds\b(?! of)|\bseed 00\d"),
     "the five seeds' tables", "three seeds, --seed=7, the seed of the order"),
    ("no place of one machine, no registry's host", CODE | SCRIPTS | TEXT, re.compile(r"(?<![\w.])/(?:root|home|work)/\w|pythonhosted|pypi\.org"),
     "see /work/x", "see lib/work/x"),
    (THREADS, CODE, re.compile(r"\bstd::(?:thread\b(?!::)|jthread\b|async\b)|\bpthread_create\("),
     "std::thread worker(work);", "std::thread::hardware_concurrency(); std::this_thread::yield();"),
    (CLOCK, CODE,
     re.compile(r"\babsl::Now\(\)|(?<!cuda::std::chrono::)\bsystem_clock\b|\bgettimeofday\(|\bCLOCK_REALTIME\b|(?<![\w.>])time\((?:nullptr|NULL|0)\)"),
     "const absl::Time deadline = absl::Now() + timeout;", "const MonotonicTime deadline = MonotonicTime::Now() + timeout;"),
    ("nothing is left for later in the code", CODE | SCRIPTS, re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "// TODO: more", "// Todo lists are elsewhere"),
]
LEFT_OUT = {"tests/words_test.py"}

# Files in which one rule does not hold.
EXCEPT = {
    THREADS: re.compile(r"lib/base/start_thread\.(?:h|cc)|.*_test\.cc|(?:benchmarks|tests)/.*"),
    CLOCK: re.compile("|".join(map(re.escape, WALL_CLOCK))),
}


def leaves_out(why, name):
    return why in EXCEPT and EXCEPT[why].fullmatch(name)


def broken(root):
    """Yields a line for each line of the tree that breaks a rule."""
    for path in source_tree.files(root):
        name = str(path.relative_to(root))
        if name in LEFT_OUT or name.startswith(("benchmarks/results/", "data/testdata/")):
            continue
        rules = [rule for rule in RULES if path.suffix in rule[1] and not leaves_out(rule[0], name)]
        if not rules:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for why, _, pattern, _, _ in rules:
                if pattern.search(line):
                    yield f"{name}:{number}: {why}: {line.strip()[:100]}"


class WordsTest(unittest.TestCase):
    root = None

    def test_the_rules_are_kept(self):
        found = list(broken(self.root))
        self.assertEqual(found, [], f"{len(found)} lines\n" + "\n".join(found[:200]))

    def test_who_may_read_the_wall_clock_does(self):
        for name in sorted(WALL_CLOCK):
            text = (self.root / name).read_text()
            self.assertTrue(any(pattern.search(text) for why, _, pattern, _, _ in RULES if why == CLOCK), name)

    def test_each_rule_finds_what_breaks_it_alone(self):
        for why, _, pattern, breaks, keeps in RULES:
            with self.subTest(why):
                self.assertRegex(breaks, pattern)
                self.assertNotRegex(keeps, pattern)


if __name__ == "__main__":
    source_tree.main(WordsTest)
