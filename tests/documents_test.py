"""Checks statements of documents on the tree: links and paths exist, each package's README names its headers, and the
tools have the flags and the words that commands in documents give them.

Reads the *.md files, and the paths in comments of sources. Run by bazel (tests/BUILD) and tools/presubmit.sh, or:
    python3 tests/documents_test.py --root .
"""

import fnmatch
import functools
import html
import os
import re
import subprocess
import unittest

import source_tree

DESIGN_BYTES = 8192  # upper limit, because a longer map is not read
PAGE_LINES = 120  # upper limit of a page in docs/
COLUMNS = 120

LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
# A path below the root in prose or comments: with or without a suffix, perhaps with a * for several.
PATH = re.compile(r"(?<![\w./:@$}{-])((?:lib|tools|tests|benchmarks|data|third_party)/[\w./*-]*[\w*])")
FENCE = re.compile(r"^(```|    )")


def headings(text):
    """Returns the ids that GitHub gives to the headings of a Markdown text."""
    ids = set()
    for heading in re.findall(r"^#+ +(.+)$", text, re.M):
        plain = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
        ids.add(plain.replace(" ", "-"))
    return ids


def broken_links(root, document):
    text = document.read_text()
    for one, other in LINK.findall(text):
        target = one or other
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = document.parent / path if path else document
        if os.path.relpath(file, root) not in names_of_tree(root):
            yield f"{document.relative_to(root)}: link to {target}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in headings(file.read_text()):
            yield f"{document.relative_to(root)}: link to {target}: no such heading"


@functools.lru_cache(maxsize=None)
def names_of_tree(root):
    """Returns names, relative to `root`, of the tree's files and of the folders that hold them."""
    files = [path.relative_to(root) for path in source_tree.files(root)]
    return {str(path) for path in files} | {str(folder) for path in files for folder in path.parents}


def exists(root, path):
    """Returns true if a path, the stem of a path (lib/record/run_files) or a pattern (lib/kernels/sgd*) names a part of
    the tree."""
    path = path.rstrip("/.").split(":")[0]
    names = names_of_tree(root)
    return path in names or bool(fnmatch.filter(names, path if "*" in path else path + ".*"))


def broken_paths(root, file):
    """Yields paths in prose or comments of `file` that do not exist. Outputs of a build are in bazel-bin/."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if file.suffix != ".md":
            line = "".join(re.findall(r"(?://|#(?!include)) .*", line))
        for path in PATH.findall(line):
            if re.search(r"(^|/)[A-Z]+(_|/|\.|$)", path):  # lib/X, NAME.cc: a placeholder
                continue
            if not exists(root, path):
                yield f"{file.relative_to(root)}:{number}: {path} is not there"


def wide_lines(root, document):
    fenced = False
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fenced ^= line.startswith("```")
        line = re.sub(r"<!--.*?-->", "", line)  # markers of generated figures
        if len(line) > COLUMNS and not fenced and not line.startswith(("|", "    ", "[", "!")):
            yield f"{document.relative_to(root)}:{number}: {len(line)} columns, expected at most {COLUMNS}"


def cut_off_help(root, script):
    """A script that prints the first lines of its head by their number loses those that are added later."""
    for number, line in enumerate(script.read_text().splitlines(), 1):
        if re.search(r"""sed -n ['"]2,\d""", line):
            yield f"{script.relative_to(root)}:{number}: the help ends at a line number, expected /^set -/"


def unnamed_headers(root):
    files = source_tree.files_in(root, {"lib"}, {".h", ".md"})
    for package in sorted({path.parent for path in files if path.parent.parent == root / "lib"}):
        readme = package / "README.md"
        if readme not in files:
            yield f"{package.relative_to(root)}: no README.md"
            continue
        words = set(re.findall(r"\w+", readme.read_text()))
        for header in (path for path in files if path.parent == package and path.suffix == ".h"):
            if header.stem not in words:
                yield f"{readme.relative_to(root)}: does not name {header.name}"


def headers_that_are_gone(root):
    """Yields headers that a package's README names as its own and that do not exist; headers of other packages have a
    path."""
    files = source_tree.files_in(root, {"lib"}, {".h", ".md"})
    for readme in (path for path in files if path.name == "README.md"):
        for header in re.findall(r"`([a-z0-9_]+\.h)`", readme.read_text()):
            if readme.parent / header not in files:
                yield f"{readme.relative_to(root)}: names {header}, which is not in the package"


# Definitions of flags: ABSL_FLAG(TYPE, NAME, ...), RANGED_FLAG(TYPE, NAME, ...), and FLAG_WORDS(NAME, "a", "b").
FLAG = re.compile(r"\b(?:ABSL|RANGED)_FLAG\(\s*[\w:<>]+,\s*(\w+),")
FLAG_WORDS = re.compile(r"\bFLAG_WORDS\((\w+),\s*([^)]*)\)")
TOOLS = ["cifar_prep", "train_sweep", "scale_run", "comm_model", "quantize", "report", "doctor", "lab"]
# Flags of srun, mpirun and torchrun in docs/cluster.md whose form is that of a tool's flag.
LAUNCHERS_FLAGS = {"gres", "host", "label", "nnodes"}
TAKEN_FLAG = re.compile(r'\bTakeFlag\("(\w+)"')  # flag of a benchmark (benchmarks/taken_flag.h)
# A tool and its flags, which may continue on the next line, also that of a code span in prose.
COMMAND = re.compile(r"\b(%s)((?:[ \\\n]+'?--[a-z](?:'[^'\n]*'|[^\s`'|])*'?)+)" % "|".join(TOOLS))
GIVEN_FLAG = re.compile(r"--([a-z]\w*)(?:=('[^']*'|[^\s`'|]*))?")


def flags_of(root, tool):
    """Returns {flag: set of its words, or None for any value} of a tool, from the sources that define them."""
    names = [f"tools/{tool}.cc", f"tools/{tool}_flags.cc", "lib/base/init_main.cc"]
    names += ["tools/training_flags.cc"] if tool in ("train_sweep", "scale_run") else []
    text = "\n".join((root / name).read_text() for name in names if (root / name).exists())
    flags = dict.fromkeys(FLAG.findall(text))
    flags.update({name: set(re.findall(r'"([^"]*)"', words)) for name, words in FLAG_WORDS.findall(text)})
    return {**flags, "help": None, "version": None}


def text_of(document):
    """Returns the text of a document; that of a page without its style and tags, each of which ends a command."""
    text = document.read_text()
    tags = r"(?s)<style.*?</style>|<[^>]*>"
    return html.unescape(re.sub(tags, " | ", text)) if document.suffix == ".html" else text


def wrong_flags(root, document):
    """Yields commands of a document with a flag that the tool lacks, or with a word that the flag does not take. Values
    in capitals (FILE, MEAN/STD) and in a case of "..." are placeholders."""
    flags = {tool: flags_of(root, tool) for tool in TOOLS}
    for tool, given in COMMAND.findall(text_of(document)):
        for name, value in GIVEN_FLAG.findall(given):
            if name not in flags[tool] and name.removeprefix("no") not in flags[tool]:
                yield f"{document.relative_to(root)}: {tool} has no --{name}"
                continue
            words = flags[tool].get(name)
            for word in value.strip("'").rstrip(",.;:)").split(",") if value and words else []:
                if word not in words and not re.search(r"[A-Z/|]|\.\.\.", word):
                    yield f"{document.relative_to(root)}: {tool} --{name} does not take {word}"


def unknown_flags(root, page):
    """Yields flags in a page of docs/ that no tool, benchmark or launcher has, such as a flag's old name."""
    benchmarks = source_tree.files_in(root, {"benchmarks"}, {".cc"})
    known = {name for tool in TOOLS for name in flags_of(root, tool)} | LAUNCHERS_FLAGS
    known |= {name for path in benchmarks for name in TAKEN_FLAG.findall(path.read_text())}
    text = re.sub(r"(?m)^.*error: unknown flag.*$", "", text_of(page))
    for name in sorted(set(re.findall(r"(?<![\w-])--([a-z][a-z_0-9]*)(?![\w-])", text))):
        if name not in known and name.removeprefix("no") not in known:
            yield f"{page.relative_to(root)}: no tool has --{name}"


def documents(root):
    return [path for path in source_tree.files(root) if path.suffix == ".md"]


def sources(root):
    folders = {"lib", "tools", "tests", "benchmarks", "third_party"}
    suffixes = {".h", ".cc", ".cu", ".cuh", ".proto", ".py", ".sh", ".bzl"}
    return [path for path in source_tree.files_in(root, folders, suffixes) if "golden" not in path.parts]


class DocumentsTest(unittest.TestCase):
    root = None

    def test_links_lead_somewhere(self):
        self.assertEqual([line for document in documents(self.root) for line in broken_links(self.root, document)], [])

    def test_paths_in_documents_are_there(self):
        self.assertEqual([line for document in documents(self.root) for line in broken_paths(self.root, document)], [])

    def test_paths_in_comments_are_there(self):
        this = self.root / "tests" / "documents_test.py"
        self.assertEqual([line for file in sources(self.root) if file != this for line in broken_paths(self.root, file)], [])

    def test_each_package_names_its_headers(self):
        self.assertEqual(list(unnamed_headers(self.root)), [])

    def test_packages_name_no_header_that_is_gone(self):
        self.assertEqual(list(headers_that_are_gone(self.root)), [])

    def test_documents_are_not_wider_than_sources(self):
        self.assertEqual([line for document in documents(self.root) for line in wide_lines(self.root, document)], [])

    def test_the_help_of_scripts_is_their_whole_head(self):
        scripts = [path for path in source_tree.files(self.root) if path.suffix == ".sh"]
        self.assertGreater(len(scripts), 20)
        self.assertEqual([line for script in scripts for line in cut_off_help(self.root, script)], [])

    def test_the_map_is_short(self):
        self.assertLessEqual(len((self.root / "DESIGN.md").read_bytes()), DESIGN_BYTES)

    def test_the_tools_have_the_flags_that_documents_give_them(self):
        commands = 0
        for document in documents(self.root):
            # Pages of benchmarks have the commands of the versions that were measured, with the flags of then.
            if document.name != "CHANGELOG.md" and document.relative_to(self.root).parts[0] != "benchmarks":
                commands += len(COMMAND.findall(document.read_text()))
                self.assertEqual(list(wrong_flags(self.root, document)), [])
        self.assertGreater(commands, 80)

    def test_pages_of_the_tools_name_flags_that_exist(self):
        pages = [path for path in documents(self.root) if path.parent == self.root / "docs"]
        self.assertLessEqual({f"{tool}.md" for tool in TOOLS}, {page.name for page in pages})
        self.assertEqual([line for page in pages for line in unknown_flags(self.root, page)], [])

    def test_the_example_page_names_flags_that_exist(self):
        page = self.root / "docs" / "example" / "report.html"
        self.assertGreater(len(COMMAND.findall(text_of(page))), 5)
        self.assertEqual([*wrong_flags(self.root, page), *unknown_flags(self.root, page)], [])

    def test_the_changelog_lists_every_renamed_flag_and_field(self):
        rows = (self.root / "CHANGELOG.md").read_text()
        names = ("lib/base/renamed_flags.cc", "lib/record/old_field_names.cc")
        sources = [(self.root / name).read_text() for name in names]
        flags = re.findall(r'(?m)^    \{"(\w+)", "(\w+)"', sources[0])
        fields = re.findall(r'(?m)^    \{"(\w+)", "(\w+)", "(\w+)"\}', sources[1])
        self.assertGreater(min(len(flags), len(fields)), 3)
        present = {name for tool in TOOLS for name in flags_of(self.root, tool)}
        for old, new in flags:
            with self.subTest(flag=old):
                self.assertIn(new, present)
                self.assertNotIn(old, present)
                self.assertRegex(rows, rf"(?m)^\| `--{old}(=\w+)?` \| `--{new}` \|$")
        for message, old, new in fields:
            with self.subTest(message=message, field=old):
                self.assertIn(f"\n| {message} | `{old}` | `{new}` |\n", rows)

    def test_pages_of_the_tools_are_short(self):
        for page in (path for path in documents(self.root) if path.parent == self.root / "docs"):
            with self.subTest(page.name):
                self.assertLessEqual(len(page.read_text().splitlines()), PAGE_LINES)

    def test_the_tree_is_really_read(self):
        names = {str(path.relative_to(self.root)) for path in documents(self.root)}
        self.assertLessEqual({"README.md", "DESIGN.md", "CONTRIBUTING.md", "lib/record/README.md"}, names)
        self.assertGreater(len(sources(self.root)), 500)

    def test_what_the_lab_writes_is_not_read(self):
        root = source_tree.sample(self, {"a.md": "short", "lockstep_lab/report.md": "x" * 121, "report.md": "[b](b.md)", "gone.md": ""})
        subprocess.run(["git", "init", "-q", root], check=True)
        subprocess.run(["git", "-C", root, "add", "a.md", "gone.md"], check=True)
        (root / "gone.md").unlink()
        self.assertEqual(documents(root), [root / "a.md"])

    def test_a_broken_link_is_found(self):
        root = source_tree.sample(self, {"a.md": "[b](b.md) [c](c.md) [d](b.md#the-end) [e](b.md#an-end) [f](https://x.org/y)", "b.md": "# An end"})
        self.assertEqual(list(broken_links(root, root / "a.md")),
                         ["a.md: link to c.md: no such file", "a.md: link to b.md#the-end: no such heading"])

    def test_a_path_that_is_not_there_is_found(self):
        root = source_tree.sample(self, {"a.md": "`lib/a/b.h`, lib/a/b, `lib/a/b*`, lib/c/d.h and lib/NAME/x.h", "lib/a/b.h": "",
                            "lib/a/c.cc": "// As in lib/a/gone.h\nint x;  // and in lib/a/b.\n#include \"lib/z.h\"\n"})
        self.assertEqual(list(broken_paths(root, root / "a.md")), ["a.md:1: lib/c/d.h is not there"])
        self.assertEqual(list(broken_paths(root, root / "lib/a/c.cc")), ["lib/a/c.cc:1: lib/a/gone.h is not there"])

    def test_a_header_without_a_name_is_found(self):
        root = source_tree.sample(self, {"lib/a/one.h": "", "lib/a/two.h": "", "lib/a/README.md": "`one.h` is all.", "lib/b/three.h": ""})
        self.assertEqual(list(unnamed_headers(root)), ["lib/a/README.md: does not name two.h", "lib/b: no README.md"])

    def test_a_header_that_is_gone_is_found(self):
        root = source_tree.sample(self, {"lib/a/one.h": "", "lib/a/README.md": "`one.h`, `two.h`", "lib/b/two.h": ""})
        self.assertEqual(list(headers_that_are_gone(root)), ["lib/a/README.md: names two.h, which is not in the package"])

    def test_a_wrong_flag_is_found(self):
        root = source_tree.sample(self, {
            "tools/report.cc": 'ABSL_FLAG(std::string, style, "lab",\n "");\nFLAG_WORDS(style, "lab", "given");\n'
                               'RANGED_FLAG(bool, check, false, "");',
            "lib/base/init_main.cc": 'ABSL_FLAG(bool, quiet, false, "");',
            "benchmarks/sums.cc": 'TakeFlag("record", "", argc, argv)',
            "b.md": "    srun --label sums --record=FILE --recor=FILE",
            "a.md": "    report --style=lab --nocheck --quiet \\\n        --styl=lab\n"
                    "`report --check\n--style=labs`, report --style=STYLE"})
        self.assertEqual(list(wrong_flags(root, root / "a.md")),
                         ["a.md: report has no --styl", "a.md: report --style does not take labs"])
        self.assertEqual(list(unknown_flags(root, root / "a.md")), ["a.md: no tool has --styl"])
        self.assertEqual(list(unknown_flags(root, root / "b.md")), ["b.md: no tool has --recor"])

    def test_a_wrong_flag_of_a_page_is_found(self):
        root = source_tree.sample(self, {
            "tools/report.cc": 'ABSL_FLAG(std::string, style, "lab",\n "");\nFLAG_WORDS(style, "lab", "given");\n',
            "a.html": "<style>p { color: var(--ink); }</style><td>report --style=lab --styl=lab</td>"
                      "<td>--style=&#39;</td><p>with --styles</p>"})
        self.assertEqual(list(wrong_flags(root, root / "a.html")), ["a.html: report has no --styl"])
        self.assertEqual(list(unknown_flags(root, root / "a.html")),
                         ["a.html: no tool has --styl", "a.html: no tool has --styles"])

    def test_a_wide_line_is_found(self):
        root = source_tree.sample(self, {"a.md": "x" * 121 + "\n|" + "x" * 121 + "\n```\n" + "x" * 121 + "\n```\n"})
        self.assertEqual(list(wide_lines(root, root / "a.md")), ["a.md:1: 121 columns, expected at most 120"])

    def test_a_help_that_is_cut_off_is_found(self):
        root = source_tree.sample(self, {"a.sh": "sed -n '2,/^set -/p' \"$0\"\nsed -n '2,9p' \"$0\"\n"})
        self.assertEqual(list(cut_off_help(root, root / "a.sh")),
                         ["a.sh:2: the help ends at a line number, expected /^set -/"])


if __name__ == "__main__":
    source_tree.main(DocumentsTest)
