"""Checks rules of wording that a pattern can express, each with a line that breaks it and one that does not.

Run by bazel (tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/words_test.py --root .
"""

import collections
import functools
import re
import unittest

import source_tree

CODE = {".h", ".cc", ".cu", ".cuh", ".proto"}
SCRIPTS = {".py", ".sh", ".bzl"}
TEXT = {".md", ".txt"}

# Reasons of rules that have exceptions.
THREADS = "threads are started by lib/base/start_thread.h, whose error is exit 5"
PATHS = "the parts of a path come from lib/base/path.h"
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

# Retired names of the fused step, its kernels and its exchange.
RETIRED_NAMES = re.compile("|".join((
    r"\bStepLanes?\b|\bstep_lanes|\blanes_\b",  # StepStreams
    r"\bWire(?!FormatLite|Type)[A-Z]?|\bwire_(?!format_lite)|_wire\b",  # CommunicationDtype, send buffer
    r"(?:Time|Clock|Reducer|Bucket|Step|Range|Arrival|Exchange)Marks?\b|\bMarkClock",  # Timestamp
    r"\b(?:time|step|range|reducer|clock)_marks?\b",
    r"\bTrainMarked|\bMarkedSteps|\bStepSeams|\b[sS]eams\b|step_seams",  # TrainInstrumented, StepPhases
    r"ConvolutionNorm\w*Meeting|MeetingHeadBytes|\bnorm_meeting",  # LamportReduction, lamport_buffer
    r"(?:Part|Exchange|Normed|Packet|Make|Wants|Check)Rooms?|\bpart_rooms|\brooms?_\b|_rooms?_\b",  # workspace, buffers
    r"\b(?:add|sum|has|in)_parts\b|\b(?:Add|Sum)Parts|PartsToAdd",  # split-K partials
    r"[mM]ultiprocessor_?[sS]hares|\bDivideMultiprocessors",  # SmPartition
    r"EmptyPlaces|kPlaceBytes|PlacesOffset",  # slots
    r"SilentExchange\b|\bsilent_exchange",  # NoOpExchange
)))

# Retired names of processes and their messages, and the names that replaced them.
RETIRED_ACTIONS = re.compile("|".join((
    r"\bMeeting(?:Point|Flags|Key)?\b|[a-z]Meeting\b|\bmeetings_\b|meeting_point|_meeting\b",  # Rendezvous
    r"\bBlame|\bblame[ds]?_?\b",  # AttributeFailure
    r"\bPulse\b|\bpulse_?\b|\b(?:set_|has_)alive\(",  # Heartbeat
    r"AgentHello|process_hello|\bk?Hello\b|_hello\b",  # ProcessDescription
    r"\btold_|_told\b|ToldApart|untold|CannotTell",  # reported, distinguishable, inconclusive
    r"[a-z]Mend(?:s|ed)?\b|\bMend(?:ed)?(?:[A-Z]\w*)?\(|\bmend(?:s|ed)?\b",  # remedy
    r"\bSay(?:[A-Z]\w*)?\(|\bTell(?:[A-Z]\w*)?\(|\bTalks?\(|\btalks?\b|\bsays=",  # Format, Log, Send, log, message
    r"\bkLook|\bLook(?:At|Into)?\(|EarlyLook|\blooks_",  # poll, visit, check
    r"[pP]atience",  # timeout
    r"\bCan?GoOn|\bGoOn(?:From)?\b|\bgo(?:es)?_on\b",  # resume
    r"ended_by_us|\bdoes_not_end\b",  # ended_by_parent, unkillable
)))

# Retired names of flags (lib/base/renamed_flags.cc) and of the fields that they set. CHANGELOG.md and the commands
# of old results have them.
FLAGS = "a flag has the name of the record's field that it sets"
RETIRED_FLAGS = re.compile(r"(?<![\w-])--(?:no)?(?:graph|int(?:er|ra)_(?:gigabytes|latency)_\w+"
                           r"|link_gigabytes_per_second|memory_(?:format|limit)|own_kernels|workers)\b(?!-)"
                           r"|\bno_own_kernels|\blr_milestone\b|(?:train_sweep|scale_run)\b.* --batch\b(?![_-])")

# (reason, files, pattern that breaks the rule, a line that breaks it, a line that does not)
RULES = [
    ("a comment names its subject", CODE | SCRIPTS, re.compile(r"(?:^|\s)(?://|#) (?:Of (?!course)|Likewise\b)|[;,.] [Ll]ikewise\.?$"),
     "int x;  // Of the lanes.", "int x;  // Lanes of the step. Often one."),
    ("the ends of a range are max and min, like kMaxRanks and max_ranks", CODE | SCRIPTS,
     re.compile(r"\bk(?:Most|Least)(?:[A-Z]\w*)?\b|\b(?:set_)?(?:most|least)_(?!squares|common|likely)\w|\bMOST_"),
     "int most_ranks = kMaxRanks;", "constexpr int kMaxRanks = 8;  // the most that fit; least_squares; at_most"),
    ("a factor is the scale or the size of a Unit (lib/statistics/unit.h)", CODE,
     re.compile(r"\bk(?:Per)?(?:Milli|Micro|Nano|Kilo|Mega|Giga|Tera)\b"
                r"|\bk(?:Milli|Micro|Nano)secondsPerSecond\b|double kPercent\b"),
     "constexpr double kPerGiga = 1e-9;", "bytes * kGigabytes.scale; kPercent.scale * share"),
    (PATHS, CODE, re.compile(r"\brfind\('/'\)|\bfind_last_of\(['\"]/"),
     "path.substr(path.rfind('/') + 1)", "FileNameOf(path); name.find('/')"),
    ("a slow version that defines a result is a reference", CODE | SCRIPTS | TEXT,
     re.compile(r"\b[Tt]wins?\b|[a-z]Twins?(?![a-z])"), "AsTheTwinHasIt", "intertwined"),
    ("a sampler has no set_epoch", CODE | SCRIPTS | TEXT, re.compile(r"\b(?:set_)?fixed_order\b|FixedOrder"),
     "--fixed_order", "in a fixed order"),
    ("batch sizes are a batch sweep, int8 steps are quantization stages, and a rate rises", CODE | SCRIPTS | TEXT,
     re.compile(r"[Ll]adder(?!\.rec)|[Cc]limb"), "ClimbLadder", "--output=ladder.rec"),
    ("a norm is a batch norm or a gradient norm", CODE | SCRIPTS,
     re.compile(r"ConvolutionNorm|convolution_norm|fused_norms|HasNorms|\bkNorms\b|\bNormed[A-Z]|normed_|[.>]norms\b|\bnorm_(?:name|count)"),
     "ConvolutionNorm convolution;", "ConvolutionBatchNorm convolution;  // batch norms, gradient norms, clip_norm"),
    ("machine and environment have a fingerprint", CODE | SCRIPTS | TEXT, re.compile(r"[Ss]urroundings(?![a-z])"),
     "the surroundings of a run", "the surrounding text"),
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
    ("names of the fused step are the field's (DESIGN.md, glossary)", CODE, RETIRED_NAMES,
     "StepLanes lanes_;", "StepStreams streams_;  // of_lane, kLanes"),
    ("a program logs, sends and reports; it does not talk, look or go on", CODE | SCRIPTS, RETIRED_ACTIONS,
     "Talk(header, MeetingPoint());", "LogLine(text);  // is meant, sayings, a lookup"),
    (FLAGS, CODE | SCRIPTS | TEXT, RETIRED_FLAGS, "add --nograph", "add --cuda_graph, not --graph-like"),
    ("next to, together with, concurrent with or compared with, not beside", CODE | SCRIPTS,
     re.compile(r"\b[bB]eside\b|[a-z]Beside(?!s)|beside_|_beside"),
     "void RunBeside();  // beside it", "int besides;  // Besides this"),
    ("the step of lib/fused is the fused step", CODE | SCRIPTS | TEXT, re.compile(r"\b[Hh]and-written steps?\b"),
     "the hand-written step", "a hand-written list"),
    ("messages: a run resumes, a flag needs another, and \"expected X, found Y\"", CODE | SCRIPTS,
     re.compile(r"\bgoes on (?:after|from|with)\b|\bnot to be had\b|\bnothing was done for\b|\bdid not come within\b"
                r"|\bwants (?:an?|the|no|its|one)\b|\b(?:was|were|is|are) expected, found\b"),
     "goes on after 3 records", "resumes after 3 records; expected one file, found 2; wanted"),
    ("nothing is left for later in the code", CODE | SCRIPTS, re.compile(r"\b(?:TODO|FIXME|XXX)\b"), "// TODO: more", "// Todo lists are elsewhere"),
]
LEFT_OUT = {"tests/words_test.py"}
OLD_NAMES = {  # name retired words
    "CHANGELOG.md",
    "lib/base/renamed_flags.cc", "lib/base/renamed_flags.h", "lib/base/renamed_flags_test.cc",
    "lib/record/old_field_names.cc", "lib/record/old_field_names_test.cc",
}

# First words of comments without a subject (CONTRIBUTING.md, "Writing style", rules 1 and 2): of a block, and of a trailing
# comment.
NO_SUBJECT = re.compile(r"(?:what|which|whether|where|who|whose|whom|how|why|that|those|such|likewise|of|as|behind|beside|none)\b", re.I)
NO_NOUN = re.compile(r"(?:of|as|that|which|what|where|with|without|for|in|on|by|from|behind|beside|likewise|those|so|else)\b", re.I)

# Retired words of documents.
RETIRED = re.compile(r"\b(?:beside|behind it|none of which|of which|is told|are told|is had|are had|mends?|mended|epochs? with marks|silent exchanges?|told apart|blames?|meeting point|pulse)\b", re.I)
DOCUMENTS_WITH_RETIRED_WORDS = {"CHANGELOG.md", "CONTRIBUTING.md"}  # names them

# Lines of code of more than 120 columns, by the first folder of their path. These ceilings only fall.
MAX_COLUMNS = 120
LONG_LINES = {"benchmarks": 137, "lib": 37, "tests": 275, "third_party": 55, "tools": 30}


def names_no_subject(lines, mark):
    """Yields the number and the text of each comment that begins without its subject; `lines` from number 1 on."""
    before = ""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        block = re.match(re.escape(mark) + r"+\s?(.*)", text)
        trailing = re.search(r"\S\s+" + re.escape(mark) + r"\s(.*)$", line)
        if block:
            if not before.startswith(mark) and NO_SUBJECT.match(block.group(1)):
                yield number, text
        elif trailing and NO_NOUN.match(trailing.group(1)):
            yield number, text
        before = text


@functools.lru_cache(maxsize=None)
def texts(root):
    """(name, path, lines) of each file of code and text of the tree."""
    return [(str(path.relative_to(root)), path, path.read_text().splitlines()) for path in source_tree.files(root)
            if path.suffix in CODE | SCRIPTS | TEXT | {".textproto", ".BUILD"} or path.name in ("BUILD", "WORKSPACE")]


def is_code(path):
    return path.suffix in CODE | SCRIPTS or path.name == "BUILD"


def comments_without_subject(root):
    for name, path, lines in texts(root):
        if name in LEFT_OUT or name.startswith("data/testdata/"):
            continue
        if is_code(path) or path.name == "WORKSPACE" or path.suffix == ".BUILD":
            for number, text in names_no_subject(lines, "//" if path.suffix in CODE else "#"):
                yield f"{name}:{number}: {text[:110]}"


def retired_words(root):
    for name, path, lines in texts(root):
        if path.suffix == ".md" and name not in DOCUMENTS_WITH_RETIRED_WORDS and not name.startswith("benchmarks/results/"):
            for number, line in enumerate(lines, 1):
                if RETIRED.search(line) and not line.startswith(("|", "    ")):
                    yield f"{name}:{number}: {line.strip()[:110]}"


def long_lines(root):
    """The number of long lines of code by first folder."""
    count = collections.Counter()
    for name, path, lines in texts(root):
        if is_code(path) and not name.startswith(("data/", "tests/golden/")):
            count[name.split("/")[0]] += sum(len(line) > MAX_COLUMNS for line in lines)
    return {folder: long for folder, long in count.items() if long}


# Files in which one rule does not hold.
EXCEPT = {
    THREADS: re.compile(r"lib/base/start_thread\.(?:h|cc)|.*_test\.cc|(?:benchmarks|tests)/.*"),
    PATHS: re.compile(r"lib/base/path\.cc|.*_test\.cc"),
    CLOCK: re.compile("|".join(map(re.escape, WALL_CLOCK))),
    FLAGS: re.compile(r"CHANGELOG\.md|benchmarks/(?:(?:lab|README)\.md|(?:lab|loader)_speed\.py|page/tables\.py)"
                      r"|lib/base/init_main_test\.cc|lib/(?:lab_records/record_as_json|record/record_json)_test\.cc"
                      r"|tests/(?:golden/mistakes\.txt|cli_test\.py)"),
}


def leaves_out(why, name):
    return why in EXCEPT and EXCEPT[why].fullmatch(name)


def broken(root):
    """Yields a line for each line of the tree that breaks a rule."""
    for name, path, lines in texts(root):
        if name in LEFT_OUT | OLD_NAMES or name.startswith(("benchmarks/results/", "data/testdata/")):
            continue
        rules = [rule for rule in RULES if path.suffix in rule[1] and not leaves_out(rule[0], name)]
        for number, line in enumerate(lines if rules else [], 1):
            for why, _, pattern, _, _ in rules:
                if pattern.search(line):
                    yield f"{name}:{number}: {why}: {line.strip()[:100]}"


class WordsTest(unittest.TestCase):
    root = None

    def test_the_rules_are_kept(self):
        found = list(broken(self.root))
        self.assertEqual(found, [], f"{len(found)} lines\n" + "\n".join(found[:200]))

    def test_comments_have_a_subject(self):
        self.assertEqual(list(comments_without_subject(self.root)), [])

    def test_a_comment_without_subject_is_found(self):
        lines = ["// What it is.", "int a;  // of b", "// Number of a.", "// which goes on", "int c;  // columns of d", 'f("// as");']
        self.assertEqual([number for number, _ in names_no_subject(lines, "//")], [1, 2])

    def test_documents_have_no_retired_word(self):
        self.assertEqual(list(retired_words(self.root)), [])

    def test_no_long_line_is_added(self):
        for folder, lines in long_lines(self.root).items():
            self.assertLessEqual(lines, LONG_LINES.get(folder, 0), f"{folder}: break lines of over {MAX_COLUMNS} columns")

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
