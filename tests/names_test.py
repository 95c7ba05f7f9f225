"""Checks that no two headers define the same type, constant or function signature in one namespace.

Two types of the same name in one program break C++'s one-definition rule, and no compiler or linker reports this.
Reads the headers of lib/ and tools/. Run by bazel (tests/BUILD), or directly:
    python3 tests/names_test.py --root .
"""

import pathlib
import re
import tempfile
import unittest

import source_tree

SUFFIXES = {".h", ".cuh"}

# Text that is not part of a statement of a namespace. Raw strings are not covered; headers have none.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
TYPE = re.compile(r"^(?:struct|class|union|enum(?:\s+class|\s+struct)?)\s+(?:alignas\([^)]*\)\s*)?(\w+)")
ALIAS = re.compile(r"^using\s+(\w+)\s*=")
CONSTANT = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$")


def without_noise(text):
    """Returns `text` without comments, contents of strings and preprocessor lines."""
    return NOISE.sub(lambda m: '""' if m[0].startswith('"') else "0" if m[0].startswith("'") else " ", text)


def statements(text):
    """Yields (namespaces, statement, its end: ';' or '{') for each statement of a namespace, without bodies."""
    spaces, start, at, text = [], 0, 0, without_noise(text)
    while at < len(text):
        character = text[at]
        if character == "(":
            at = closing(text, at, "(", ")")
        elif character == ";":
            yield tuple(spaces), text[start:at].strip(), ";"
            start = at + 1
        elif character == "{":
            head = text[start:at].strip()
            if re.match(r"^(inline\s+)?namespace\b", head):
                spaces.append(head.split("namespace")[1].strip())
                start = at + 1
            elif "=" in re.sub(r"operator\s*\S+|\([^()]*\)", "", head) or re.search(r"\w\s*$", head) and not (
                    TYPE.match(without_template(head)) or ")" in head):
                at = closing(text, at, "{", "}")  # a value in braces; its statement continues to the ';'
            else:
                yield tuple(spaces), head, "{"
                at = closing(text, at, "{", "}")
                start = at + 1
        elif character == "}":
            spaces.pop()
            start = at + 1
        at += 1


def closing(text, at, opening, end):
    """Returns the position of the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == opening) - (text[place] == end)
        if depth == 0:
            return place
    raise ValueError(f"no {end} for the {opening} in: {text[at:at + 80]}")


def without_template(statement):
    """Returns `statement` without its template parameters."""
    while statement.startswith("template"):
        depth, at = 0, statement.index("<")
        for place in range(at, len(statement)):
            depth += (statement[place] == "<") - (statement[place] == ">")
            if depth == 0:
                break
        statement = statement[place + 1:].strip()
    return statement


def parts(parameters):
    """Splits at the commas that are in no bracket."""
    found, depth, start = [], 0, 0
    for place, character in enumerate(parameters):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            found.append(parameters[start:place])
            start = place + 1
    return [part.strip() for part in found + [parameters[start:]] if part.strip() not in ("", "void")]


def signature(statement):
    """Returns "Name(type, type)" of a function at the level of a namespace, or None."""
    head = statement.split("(")[0]
    name = re.search(r"(operator\s*\S+|[\w:~]+)\s*$", head)
    if name is None or "::" in name[1] or "=" in head.replace("operator", "") and "operator" not in head:
        return None
    begin = len(head)
    types = []
    for parameter in parts(statement[begin + 1:closing(statement, begin, "(", ")")]):
        parameter = parameter.split("=")[0].strip()
        parameter = re.sub(r"(?<=[\s&*>])\w+$", "", parameter) if re.search(r"[\w>&*]\s*[\s&*]\s*\w+$", parameter) else parameter
        types.append(re.sub(r"\s+", "", parameter))
    return f"{name[1]}({', '.join(types)})"


def names_of(text):
    """Yields (namespace, name) of each type, alias, constant and function that a header's text defines or declares."""
    for spaces, statement, end in statements(text):
        if "" in spaces or statement.startswith(("static_assert", "extern template", "friend")):
            continue
        statement = re.sub(r"\[\[[^\]]*\]\]\s*|\balignas\([^)]*\)\s*", "", without_template(statement))
        kind, alias = TYPE.match(statement), ALIAS.match(statement)
        if kind and "(" not in statement.split(kind[1])[0] and not re.match(r"^\w+\s+\w+\s+[\w*&]+\s*\(", statement):
            if end == "{" and "<" not in statement.split(":")[0]:  # not a declaration alone, nor a specialisation
                yield "::".join(spaces), kind[1]
        elif alias:
            yield "::".join(spaces), alias[1]
        elif statement.startswith("using") or not statement:
            continue
        elif "(" in statement and signature(statement):
            yield "::".join(spaces), signature(statement)
        elif re.match(r"^(inline\s+|static\s+|extern\s+|__constant__\s+)*(constexpr|const)\b", statement):
            constant = CONSTANT.search(re.split(r"[={]", statement)[0].strip())
            yield "::".join(spaces), constant[1]


def violations(root):
    """Returns a line for each name that a second header defines again."""
    seen, found = {}, []
    for path in source_tree.files_in(root, {"lib", "tools"}, SUFFIXES):
        header = str(path.relative_to(root))
        for space, name in names_of(path.read_text()):
            if (space, name) not in seen:
                seen[space, name] = header
            elif seen[space, name] != header:
                found.append(f"{space}::{name} is in {seen[space, name]} and in {header}")
            elif name.endswith(")"):
                found.append(f"{space}::{name} is twice in {header}")
    return found


class NamesTest(unittest.TestCase):
    root = None

    def test_one_name_is_one_thing(self):
        self.assertEqual(violations(self.root), [])

    def test_the_tree_is_really_read(self):
        names = [name for path in source_tree.files_in(self.root, {"lib"}, {".h"}) for name in names_of(path.read_text())]
        for name in (("lockstep", "BaseCases"), ("lockstep", "NoteProgress()"), ("lockstep", "kResultFd"),
                     ("lockstep", "ScaleRecords"), ("lockstep", "WriteResult(conststd::string&)")):
            self.assertIn(name, names)
        self.assertGreater(len(names), 800)

    def pair(self, first, second):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for package, text in (("a", first), ("b", second)):
                (root / "lib" / package).mkdir(parents=True)
                (root / "lib" / package / "x.h").write_text("#pragma once\nnamespace lockstep {\n" + text + "\n}\n")
            return violations(root)

    def test_what_is_defined_twice_is_found(self):
        for first, second, name in (
                ("struct A { int x; };", "// of b\nstruct A {\n  double x = 0;\n};", "A"),
                ("class A final : public B { };", "enum class A : int { kX };", "A"),
                ("struct A { };", "using A = int;", "A"),
                ("struct alignas(16) A { };", "struct A { };", "A"),
                ("template <typename T>\nstruct A { };", "struct A { };", "A"),
                ("int F(const A& a, int n = 3);", "double F(const A& other, int);", "F(constA&, int)"),
                ("inline int F() { return 1; }", "int F();", "F()"),
                ("inline constexpr int kMax = 3;", "constexpr double kMax{4};", "kMax"),
                ("A operator*(double f, const A& a);", "A operator*(double g, const A& b);", "operator*(double, constA&)")):
            with self.subTest(name=name, first=first):
                self.assertEqual(self.pair(first, second), [f"lockstep::{name} is in lib/a/x.h and in lib/b/x.h"])

    def test_what_is_declared_twice_in_one_header_is_found(self):
        self.assertEqual(self.pair("int F(int n);\nint F(int m);", ""), ["lockstep::F(int) is twice in lib/a/x.h"])

    def test_what_may_stand_twice_is_not(self):
        for first, second in (("struct A;", "struct A { int x; };"),
                              ("int F(int n);", "int F(double n);"),
                              ("namespace a { struct A { }; }", "struct A { };"),
                              ("namespace { struct A { }; }", "struct A { };"),
                              ("struct A { struct C { }; };", "struct B { struct C { }; };"),
                              ("struct alignas(16) A { };", "struct alignas(16) B { };"),
                              ("const char kText[] = \"struct B { };\";", "struct B { };"),
                              ("using std::swap;", "using std::swap;")):
            with self.subTest(first=first):
                self.assertEqual(self.pair(first, second), [])


if __name__ == "__main__":
    source_tree.main(NamesTest)
