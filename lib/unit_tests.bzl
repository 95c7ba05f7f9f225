"""One program for the small tests of a package: compiled together they take a third of the time.

    unit_tests()   # last in a BUILD file with tests (tests/build_files_test.py)

A test's own templates take little of the time in which it is compiled. Most are those of GoogleTest and Abseil, which
are the same in all tests. unit_tests() therefore joins the sources of a package to programs unit_tests_1, ..., which
`bazel test //...` runs. The program of one test is built if it is named:

    bazel test //lib/scaling:unit_tests_1 --test_filter=LinkLimitTest.*
    bazel test //lib/scaling:link_limit_test

Each source's unnamed namespace gets a name, so that sources may use the same names. Not joined are tests that are
larger than small, have tags, a main() or flags of their own, or are `alone` (lockstep_test).
"""

load("@cuda//:defs.bzl", "requires_cuda")
load("@libtorch//:defs.bzl", "requires_torch")
load("@rules_cc//cc:defs.bzl", "cc_test")
load("//third_party/precompiled:test_copts.bzl", "TEST_COPTS")
load("//third_party/system:rounding.bzl", "ROUNDING_COPTS")
load(":library.bzl", "GTEST_MAIN", "JOINED", "precompiled", "with_abseil")

# Sources of a program: many enough to share templates, few enough that several processes compile a large package.
_SOURCES = 14

# Precompiled header and requirements of the tests in each group of lockstep_test.
_GROUPS = {
    "": struct(header = "tests", compatible = []),
    "cuda": struct(header = "tests", compatible = requires_cuda()),
    "torch": struct(header = "tests", compatible = requires_torch()),
    "torch_module": struct(header = "torch_tests", compatible = requires_torch()),
}

# Gives the unnamed namespace a name, and keeps the lines of the source in messages. A using directive, which would make
# the names known after the namespace, would also make them known in the next sources.
_JOIN = """
for source in $(SRCS); do
  name=$$(basename $$source .cc)
  echo "#line 1 \\"$$source\\""
  sed "s/^namespace {/namespace in_$$name {/" $$source
done >$@
"""

def unit_tests():
    """Defines the programs of the tests that this package has joined so far, at most _SOURCES tests in each."""
    groups = {}
    for name, rule in native.existing_rules().items():
        for tag in rule.get("tags", []):
            if tag.startswith(JOINED):
                groups.setdefault(tag[len(JOINED):], []).append(name[:-len("_parts")])
    for group, tests in sorted(groups.items()):
        tests = sorted(tests)
        programs = (len(tests) + _SOURCES - 1) // _SOURCES
        for index in range(programs):
            _program("_".join([part for part in ("unit_tests", group, str(index + 1)) if part]),
                     tests[index::programs], _GROUPS[group])

def _program(name, tests, group):
    native.genrule(
        name = name + "_source",
        testonly = True,
        srcs = [test + ".cc" for test in tests],
        outs = [name + ".cc"],
        cmd = _JOIN,
    )
    first = precompiled(group.header, TEST_COPTS)
    cc_test(
        name = name,
        size = "medium",
        srcs = [name + ".cc"],
        tags = ["joined", "unit_test"],
        copts = first.copts + ROUNDING_COPTS,
        target_compatible_with = group.compatible,
        deps = with_abseil([":%s_parts" % test for test in tests]) + first.deps +
               ["//third_party/libstdcxx", GTEST_MAIN],
    )
