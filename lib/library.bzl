"""A library and its test, whose files are found by the library's name.

    lockstep_library(
        name = "spread",                      # spread.h, spread.cc and spread_test.cc, as far as they are there
        deps = ["//lib/proto:quantity_cc_proto"],
        test_deps = ["//lib/testing:matchers"],
        public = True,                        # used by other packages (tests/layers_test says by which)
    )
"""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")

def _found(files):
    return native.glob(files, allow_empty = True)

def lockstep_library(
        name,
        srcs = None,
        deps = [],
        public = False,
        test = True,
        test_deps = [],
        test_size = "small",
        test_data = [],
        test_tags = [],
        target_compatible_with = [],
        **kwargs):
    """A cc_library, and the cc_test of its name where its source is there.

    Args:
      name: the files are NAME.h, NAME.cc and NAME_test.cc
      srcs: instead of NAME.cc
      deps: of the library
      public: visible to all packages; otherwise to its own
      test: False where NAME_test.cc has a lockstep_test of its own
      test_deps: of the test, beside the library and GoogleTest
      test_size: of the test
      test_data: of the test
      test_tags: of the test
      target_compatible_with: of both
      **kwargs: of the library
    """
    cc_library(
        name = name,
        srcs = _found([name + ".cc"]) if srcs == None else srcs,
        hdrs = [name + ".h"],
        deps = deps,
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
            deps = [":" + name] + test_deps,
        )

def lockstep_test(name, deps, size = "small", **kwargs):
    """A cc_test of NAME.cc with GoogleTest's main."""
    cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        deps = deps + ["//third_party/libstdcxx", "@com_google_googletest//:gtest_main"],
        **kwargs
    )
