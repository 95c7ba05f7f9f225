"""A test that is a Python script, run by the python3 that is there.

    python_test(
        name = "cli_test",                              # cli_test.py
        args = ["--tools", "$(location //tools:cifar_prep)"],
        data = ["//tools", "//tools:cifar_prep"],
        size = "large",
    )
"""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

def python_test(name, args, script = None, data = [], size = "small", **kwargs):
    """An sh_test of NAME.py, whose cases Bazel counts one by one (tests/bazel_unittest.py).

    Args:
      name: of the test
      args: what it is started with
      script: instead of NAME.py
      data: what it reads, beside itself and what tests import
      size: of the test
      **kwargs: of the sh_test
    """
    script = script or name + ".py"
    sh_test(
        name = name,
        size = size,
        srcs = ["//tests:run_python.sh"],
        args = ["$(location %s)" % script] + args,
        data = [script, "//tests:python"] + data,
        **kwargs
    )
