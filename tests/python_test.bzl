"""Defines tests that are Python scripts, run by the python3 on PATH.

    python_test(
        name = "cli_test",                              # cli_test.py
        args = ["--tools", "$(location //tools:cifar_prep)"],
        data = ["//tools", "//tools:cifar_prep"],
        size = "large",
    )
"""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

def python_test(name, args, script = None, data = [], size = "small", **kwargs):
    """Defines an sh_test of NAME.py, whose cases Bazel counts one by one (tests/bazel_unittest.py).

    Args:
      name: name of the test
      args: arguments of the script
      script: script to run instead of NAME.py
      data: files that the script reads, in addition to itself and the modules that tests import
      size: size of the test
      **kwargs: further attributes of the sh_test
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
