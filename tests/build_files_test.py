"""Checks that Bazel 4 and Bazel 7 can read the same BUILD and .bzl files (third_party/bazel_rules/README.md).

Run by bazel (tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/build_files_test.py --root .
"""

import ast
import re
import unittest

import source_tree

# Rules that are not built into newer versions of Bazel.
RULE = re.compile(r"^[ \[]*((?:cc|java|objc|proto|py|sh)_\w+)\(", re.M)
NATIVE = re.compile(r"\bnative\.((?:cc|java|objc|proto|py|sh)_\w+)")
# Built-in names of C++ rules that newer versions lack too.
CC_NAME = re.compile(r"\b(cc_common|CcInfo)\b(?=[.\](])")
LOAD = re.compile(r"^load\((.*?)\)", re.M | re.S)
# A declaration of a repository, in the forms that third_party/ uses.
REPOSITORY = re.compile(r"\b\w*(?:_repository|system_library)\(\s*name = \"(\w+)\"")

# A library that only tests may use: a rule in one line, or one that ends with a line of its bracket alone.
TEST_ONLY = re.compile(r"^(?:(?:lockstep|torch|cuda_host|cc)_library|cuda_kernel)\((?:.*\btestonly = True.*\)$"
                       r"|\n(?:[^)\n].*\n)*?.*\btestonly = True.*\n(?:.*\n)*?\)$)", re.M)
# Calls of the macros that add Abseil to their deps (lib/*.bzl), on one line or up to a line ")".
WITH_ABSEIL = re.compile(r"^\[?(?:(?:lockstep|torch|cuda_host|optional)_(?:library|test)|(?:rank|fuzz)_test)"
                         r"\((?:[^\n]*\)$|.*?^\))", re.M | re.S)
# Attributes with lists of labels or files.
LABELS = {"data", "deps", "hdrs", "interface_deps", "reference_deps", "srcs", "test_data", "test_deps"}
ABSEIL = '"@com_google_absl//:absl"'


def without_comments(text):
    return re.sub(r'"""(?:.|\n)*?"""|#[^\n]*', "", text)


def build_files(root):
    """Yields (path, text) of each file in Bazel's language that git tracks."""
    for path in source_tree.files(root):
        if path.name == "BUILD" or path.suffix in (".BUILD", ".bzl") or path.name.endswith(".bzl.tpl"):
            yield path.relative_to(root).as_posix(), path.read_text()


def unloaded(text):
    """Returns names of rules and C++ modules that `text` uses and does not load."""
    code = without_comments(text)
    loaded = {name for load in LOAD.findall(text) for name in re.findall(r"\"(\w+)\"", load)}
    used = set(RULE.findall(code)) | set(CC_NAME.findall(code))
    return sorted(used - loaded) + sorted("native." + name for name in set(NATIVE.findall(code)))


def test_only(text):
    """Returns the names of libraries that `text` defines for tests alone."""
    return [re.search(r'name = "(\w+)"', rule)[1] for rule in TEST_ONLY.findall(text)]


def repeats_abseil(text):
    """Returns the names of the targets whose deps name Abseil although their macro adds it."""
    return [re.search(r'name = "?([^",\n]+)', call)[1] for call in WITH_ABSEIL.findall(text) if ABSEIL in call]


def label_key(label):
    """Returns the key by which buildifier sorts labels: files, then :target, then //package, then @repository."""
    kind = next((i for i, start in enumerate((":", "//", "@"), 1) if label.startswith(start)), 0)
    return kind, label.replace(":", ".").split(".")


def load_key(label):
    """Returns the key by which buildifier sorts load(): repositories, then packages, then files of the same package."""
    package, _, file = label.rpartition(":")
    return not label.startswith("@"), not package, package, file


def unsorted(text):
    """Returns the first value of each list of labels, and of the loads, that is not sorted like by buildifier."""
    lists = [node.value.elts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.keyword)
             and node.arg in LABELS and isinstance(node.value, ast.List)]
    texts = [[getattr(item, "value", None) for item in items] for items in lists]
    labels = [items for items in texts if all(isinstance(item, str) for item in items)]
    loads = re.findall(r'^load\("([^"]+)"', text, re.M)
    return ([items[0] for items in labels if items != sorted(items, key=label_key)]
            + (loads[:1] if loads != sorted(loads, key=load_key) else []))


class BuildFilesTest(unittest.TestCase):
    root = None

    def test_every_rule_is_loaded(self):
        for path, text in build_files(self.root):
            if not path.startswith("third_party/bazel_rules/"):
                with self.subTest(path):
                    self.assertEqual(unloaded(text), [], "load() them from @rules_cc, @rules_proto or @rules_shell")

    def test_no_target_repeats_abseil(self):
        for path, text in build_files(self.root):
            with self.subTest(path):
                self.assertEqual(repeats_abseil(text), [], "lib/library.bzl adds Abseil to the deps of these targets")

    def test_the_small_tests_of_each_package_run(self):
        for path, text in build_files(self.root):
            folder = (self.root / path).parent
            if path.endswith("/BUILD") and WITH_ABSEIL.search(text) and any(folder.glob("*_test.cc")):
                with self.subTest(path):
                    self.assertTrue(text.endswith("\n\nunit_tests()\n"), "the last line must be unit_tests() "
                                    "(lib/unit_tests.bzl): it defines the programs in which small tests run")

    def test_labels_are_sorted(self):
        for path, text in build_files(self.root):
            if path.endswith("BUILD") and not path.endswith(".BUILD"):
                with self.subTest(path):
                    self.assertEqual(unsorted(text), [], "sort these lists like buildifier")

    def test_module_names_the_repositories_of_workspace(self):
        folder = self.root / "third_party"
        declared = {"rules_shell"}
        for path in [folder / "repositories.bzl", *folder.glob("*/*.bzl")]:
            if path.parent.name != "bazel_rules":
                declared |= set(REPOSITORY.findall(without_comments(path.read_text())))
        used = re.search(r"use_repo\((.*?)\)", (self.root / "MODULE.bazel").read_text(), re.S)[1]
        self.assertEqual(re.findall(r"\"(\w+)\"", used), sorted(declared),
                         "MODULE.bazel: use_repo() must name the repositories that third_party/ declares, sorted")

    def test_test_only_libraries_end_with_testing_and_are_in_that_namespace(self):
        for path, text in build_files(self.root):
            if path.startswith("lib/") and not path.startswith("lib/testing/"):
                for name in test_only(text):
                    with self.subTest(path):
                        self.assertRegex(name, r"_testing$")
                        header = (self.root / path).parent / f"{name}.h"
                        self.assertRegex(header.read_text(), r"\n}  // namespace (?:lockstep::)?testing\n")

    def test_bazel_7_does_not_read_workspace(self):
        self.assertEqual(without_comments((self.root / "WORKSPACE.bzlmod").read_text()).strip(), "")

    def test_no_file_names_a_version_that_debians_bazel_refuses(self):
        self.assertFalse((self.root / ".bazelversion").exists())


class TestOnlyTest(unittest.TestCase):

    def test_libraries_with_testonly(self):
        text = 'lockstep_library(name = "a", testonly = True)\ncuda_kernel(\n    name = "b",\n    testonly = True,\n)\n'
        self.assertEqual(test_only(text), ["a", "b"])

    def test_other_libraries(self):
        text = ('lockstep_library(name = "a")\n\nlockstep_library(\n    name = "b",\n)\n\n'
                'lockstep_test(name = "b_test")\n\nfuzz_test(\n    name = "c",\n    testonly = True,\n)\n')
        self.assertEqual(test_only(text), [])


class UnloadedTest(unittest.TestCase):

    def test_what_is_used_and_not_loaded(self):
        self.assertEqual(unloaded('sh_test(\n    name = "a",\n)\n'), ["sh_test"])
        self.assertEqual(unloaded('[cc_test(\n    name = n,\n) for n in NAMES]\n'), ["cc_test"])
        self.assertEqual(unloaded("def a():\n    native.sh_test(name = 1)\n"), ["native.sh_test"])
        self.assertEqual(unloaded("cc_common.merge_cc_infos(dep[CcInfo])\n"), ["CcInfo", "cc_common"])

    def test_what_is_loaded(self):
        self.assertEqual(unloaded('load("@rules_shell//shell:sh_test.bzl", "sh_test")\n\nsh_test(name = "a")\n'), [])
        self.assertEqual(unloaded('"""sh_test(\ncc_common.x\n"""\n# native.cc_library\n'), [])

    def test_targets_that_repeat_abseil(self):
        one_line = 'lockstep_library(name = "a", deps = ["@com_google_absl//:absl"], public = True)\n'
        lines = 'lockstep_test(\n    name = "b",\n    deps = [\n        ":a", "@com_google_absl//:absl",\n    ],\n)\n'
        plain = 'lockstep_library(name = "c")\n\ncc_library(name = "d", deps = ["@com_google_absl//:absl"])\n'
        self.assertEqual(repeats_abseil(one_line + plain + lines), ["a", "b"])

    def test_what_is_unsorted(self):
        self.assertEqual(unsorted('a(deps = ["//b", ":c"])\nb(data = [":c", "//b", "//b:a", "//b_c"])\n'), ["//b"])
        self.assertEqual(unsorted('load("//b:x.bzl", "x")\nload("@b//:y.bzl", "y")\n'), ["//b:x.bzl"])
        self.assertEqual(unsorted('load("//b:x.bzl", "x")\nload("//b/c:x.bzl", "y")\nload(":z.bzl", "z")\n'), [])


if __name__ == "__main__":
    source_tree.main(BuildFilesTest)
