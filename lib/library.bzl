"""A library and its test, whose files are found by the library's name.

    lockstep_library(
        name = "spread",                      # spread.h, spread.cc and spread_test.cc, as far as they are there
        deps = ["//lib/proto:quantity_cc_proto"],
        test_deps = ["//lib/testing:matchers"],
        public = True,                        # used by other packages (tests/layers_test says by which)
    )
"""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")
load("//third_party/precompiled:test_copts.bzl", "TEST_COPTS")
load("//third_party/system:rounding.bzl", "ROUNDING_COPTS")

def precompiled(name, copts = []):
    """The copts and deps of sources that begin with a header of third_party/precompiled, made with `copts`.

    Not with --compilation_mode=dbg: what a source forgets to include is found there.
    """
    label = "//third_party/precompiled:" + name
    flags = ["-include", "$(BINDIR)/third_party/precompiled/%s.h" % name]
    without = "//third_party/precompiled:without"
    return struct(
        copts = select({without: [], "//conditions:default": copts + flags}),
        deps = select({without: [], "//conditions:default": [label]}),
    )

AS_IT_IS = struct(copts = [], deps = [])

GTEST_MAIN = "@com_google_googletest//:gtest_main"

# Beginning of the tag by which unit_tests.bzl finds a test to join; the rest is the test's group.
JOINED = "joined:"

def with_dependency(label, deps):
    """Returns `deps` with `label` at its place in the order of labels: the order of deps is that of include paths.

    A `label` that is already in `deps` stays there once. After a select() it comes last.
    """
    if type(deps) != type([]):
        return deps + [label]
    return [dep for dep in deps if dep < label] + [label] + [dep for dep in deps if dep > label]

def with_abseil(deps):
    """Returns `deps` with Abseil, which nearly every source uses. BUILD files do not repeat it (build_files_test.py)."""
    return with_dependency("@com_google_absl//:absl", deps)

def _found(files):
    return native.glob(files, allow_empty = True)

def lockstep_library(
        name,
        srcs = None,
        deps = [],
        abseil = True,
        public = False,
        test = True,
        test_deps = [],
        test_size = "small",
        test_data = [],
        test_tags = [],
        target_compatible_with = [],
        precompiled_header = "libraries",
        test_precompiled_header = "tests",
        test_optimised = False,
        test_alone = False,
        group = "",
        copts = [],
        **kwargs):
    """A cc_library, and the cc_test of its name where its source is there.

    Args:
      name: the files are NAME.h, NAME.cc and NAME_test.cc
      srcs: instead of NAME.cc
      deps: of the library, in addition to Abseil
      abseil: False for a header of device code: nvcc then gets no include paths and headers of Abseil
      public: visible to all packages; otherwise to its own
      test: False where NAME_test.cc has a lockstep_test of its own
      test_deps: of the test, in addition to the library, Abseil and GoogleTest
      test_size: of the test
      test_data: of the test
      test_tags: of the test
      target_compatible_with: of both
      precompiled_header: name of the header of third_party/precompiled with which the sources begin
      test_precompiled_header: name of the one with which the test begins
      test_optimised: as lockstep_test has it
      test_alone: as `alone` of lockstep_test
      group: as lockstep_test has it
      copts: of the library
      **kwargs: of the library
    """
    srcs = _found([name + ".cc"]) if srcs == None else srcs
    first = precompiled(precompiled_header)
    if copts or not srcs:
        first = AS_IT_IS  # flags of its own, or nothing to compile
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = [name + ".h"],
        copts = copts + first.copts + ROUNDING_COPTS,
        deps = (with_abseil(deps) if abseil else deps) + first.deps,
        # Everything is linked statically: `bazel build //...` need not make a shared library of each.
        linkstatic = True,
        target_compatible_with = target_compatible_with,
        visibility = ["//visibility:public"] if public else ["//visibility:private"],
        **kwargs
    )
    if test and _found([name + "_test.cc"]):
        lockstep_test(
            name = name + "_test",
            size = test_size,
            data = test_data,
            tags = test_tags,
            target_compatible_with = target_compatible_with,
            optimised = test_optimised,
            alone = test_alone,
            group = group,
            precompiled_header = test_precompiled_header,
            deps = [":" + name] + test_deps,
        )

def lockstep_test(
        name,
        deps = [],
        size = "small",
        data = [],
        main = GTEST_MAIN,
        precompiled_header = "tests",
        optimised = False,
        alone = False,
        group = "",
        target_compatible_with = [],
        tags = [],
        **kwargs):
    """A cc_test of NAME.cc with GoogleTest, which begins with the headers of tests precompiled.

    A small test is joined with the others of its package (unit_tests.bzl). Its own program is then `manual`.

    Args:
      name: the file is NAME.cc
      deps: in addition to Abseil and GoogleTest
      size: of the test
      data: of the test
      main: what has main()
      precompiled_header: name of the header of third_party/precompiled with which the test begins
      optimised: its own loops take longer than compiling it; without precompiled headers, which are not optimised
      alone: True if the source cannot be compiled or run together with others: it defines flags or main(), changes
        the whole process, or takes long
      group: tests of one group can be joined; it names what they need (unit_tests.bzl)
      target_compatible_with: of the test
      tags: in addition to "unit_test", by which tools/arm64.sh leaves tests out
      **kwargs: of the cc_test
    """
    own_needs = group == None or (group == "" and target_compatible_with != [])
    joined = not (alone or optimised or tags or kwargs or own_needs) and size == "small" and main == GTEST_MAIN
    cc_library(
        name = name + "_parts",
        testonly = True,
        data = data,
        tags = ["manual"] + ([JOINED + group] if joined else []),
        target_compatible_with = target_compatible_with,
        deps = with_abseil(deps),
    )
    first = AS_IT_IS if optimised else precompiled(precompiled_header, TEST_COPTS)
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        tags = ["unit_test"] + (["manual"] if joined else []) + tags,
        copts = first.copts + ROUNDING_COPTS,
        target_compatible_with = target_compatible_with,
        deps = with_abseil([":%s_parts" % name]) + ["//third_party/libstdcxx", main] + first.deps,
        **kwargs
    )
