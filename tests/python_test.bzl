"""A test that is a Python script, run by the python3 that is there.

    python_test(
        name = "cli_test",                              # cli_test.py
        args = ["--tools", "$(location //tools:cifar_prep)"],
        data = ["//tools", "//tools:cifar_prep"],
        size = "large",
    )
"""

def python_test(name, args, data = [], size = "small", **kwargs):
    """An sh_test of NAME.py, whose cases Bazel counts one by one (tests/bazel_unittest.py).

    Args:
      name: of the test; the script is NAME.py
      args: what it is started with
      data: what it reads, beside itself and what tests import
      size: of the test
      **kwargs: of the sh_test
    """
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//tests:run_python.sh"],
        args = ["$(location %s.py)" % name] + args,
        data = [name + ".py", "//tests:python"] + data,
        **kwargs
    )
