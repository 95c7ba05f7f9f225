"""Checks that no call gives a boolean parameter of a header's function as a literal.

The value of an enum says what is chosen. Two functions, or options by name ({.small = true}), do so, too. Reads the
sources of lib/, tools/, benchmarks/ and tests/. Run by bazel (tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/booleans_test.py --root .
"""

import collections
import re
import unittest

import source_tree

FOLDERS = {"benchmarks", "lib", "tests", "tools"}
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
NAME = re.compile(r"\b([A-Z]\w*)\(")
BOOLEAN = re.compile(r"(?:const )?bool \w+(?: = \w+)?")


def without_noise(text):
    return NOISE.sub(lambda noise: '""' if noise[0].startswith('"') else "", text)


def arguments(text, at):
    """Returns the texts between the commas of the bracket at `at`, and its end; (None, at) if it does not end."""
    found, depth, start = [], 0, at + 1
    for place in range(at, len(text)):
        character = text[place]
        depth += (character in "({[") - (character in ")}]")
        if depth == 0 or depth == 1 and character == ",":
            found.append(" ".join(text[start:place].split()))
            start = place + 1
        if depth == 0:
            return found, place + 1
    return None, at


def calls(text):
    """Yields (name, arguments, offset) of each bracket after a name that begins with a capital letter."""
    for name in NAME.finditer(text):
        given, _ = arguments(text, name.end() - 1)
        if given:
            yield name[1], given, name.start()


def boolean_parameters(text):
    """Yields (name, position) of each boolean parameter of the functions that `text` declares. Setters may have one."""
    for name, given, _ in calls(text):
        for position, parameter in enumerate(given):
            if BOOLEAN.fullmatch(parameter) and not (name.startswith("Set") and position == len(given) - 1):
                yield name, position


def violations(root):
    """Returns each call of a header's function with a literal for a boolean."""
    texts = {path: without_noise(path.read_text())
             for path in source_tree.files_in(root, FOLDERS, {".h", ".cc", ".cu"})}
    declared = collections.defaultdict(set)
    for path, text in texts.items():
        if path.suffix == ".h":
            for name, position in boolean_parameters(text):
                declared[name].add(position)
    found = []
    for path, text in texts.items():
        own = {name for name, _ in boolean_parameters(text)} if path.suffix != ".h" else set()  # declared here alone
        for name, given, at in calls(text):
            if name in declared and name not in own:
                for position in declared[name]:
                    if position < len(given) and given[position] in ("true", "false"):
                        found.append(f"{path.relative_to(root)}:{text.count(chr(10), 0, at) + 1}: {name}")
    return found


class BooleansTest(unittest.TestCase):
    root = None

    def test_no_call_has_a_literal(self):
        self.assertEqual(violations(self.root), [], "declare an enum class with two values, or two functions")

    def in_file(self, header, source):
        return violations(source_tree.sample(self, {"lib/a/x.h": header, "lib/a/y.cc": source}))

    def test_a_literal_is_found(self):
        for call in ("F(1, true)", "F(G({1, 2}), /*on=*/false)", "x.F(f(), true)"):
            with self.subTest(call):
                self.assertEqual(self.in_file("int F(int n, bool on);", f"\n{call};"), ["lib/a/y.cc:2: F"])

    def test_others_are_not(self):
        for header, call in (("int F(int n, bool on);", "F(1, on)"), ("int F(int n, On on);", "F(1, On::kYes)"),
                             ("void SetRelu(int n, bool on);", "SetRelu(1, true)"),
                             ("int F(Options options);", "F({.on = true})"), ("int F(int n, bool on);", "F(true, on)"),
                             ("int F(bool on);", "int F(bool of_this_file); int n = F(true)")):
            with self.subTest(call):
                self.assertEqual(self.in_file(header, call + ";"), [])


if __name__ == "__main__":
    source_tree.main(BooleansTest)
