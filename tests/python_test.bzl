"""Macro for tests that are Python scripts, run by the python3 on PATH.

    python_test(
        name = "cli_test",                    # cli_test.py
        size = "large",
        tools = True,
        data = ["//tools:README.md"],
    )
"""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

# Arguments and files of tests by what they read: one entry per boolean of python_test.
_TOOLS = struct(args = ["--tools", "$(location //tools:cifar_prep)"], data = ["//tools", "//tools:cifar_prep"])
_PUBLISHED = struct(args = ["--published", "data/published"], data = ["//data:published"])
_SOURCE_TREE = struct(args = ["--root", "$(location //:WORKSPACE)"], data = ["//:WORKSPACE"])

def _script(label):
    return struct(args = ["--script", "$(location %s)" % label], data = [label])

def python_test(
        name,
        tools = False,
        published = False,
        source_tree = False,
        tested_script = None,
        args = [],
        script = None,
        data = [],
        size = "small",
        tags = [],
        **kwargs):
    """Defines an sh_test of NAME.py, whose cases Bazel counts one by one (tests/bazel_unittest.py).

    Args:
      name: name of the test
      tools: True: the test starts the tools, and gets --tools with the path of one of them
      published: True: the test reads data/published, and gets --published with its path
      source_tree: True: the test reads the source tree, gets --root, and always runs: Bazel does not know its inputs
      tested_script: label of a script that the test gets as --script
      args: further arguments of the script
      script: script to run instead of NAME.py
      data: further files that the script reads, in addition to itself and the modules that tests import
      size: size of the test
      tags: tags of the test
      **kwargs: further attributes of the sh_test
    """
    script = script or name + ".py"
    reads = ([_TOOLS] if tools else []) + ([_PUBLISHED] if published else []) + ([_SOURCE_TREE] if source_tree else [])
    reads += [_script(tested_script)] if tested_script else []
    sh_test(
        name = name,
        size = size,
        srcs = ["//tests:run_python.sh"],
        args = ["$(location %s)" % script] + [arg for read in reads for arg in read.args] + args,
        data = [script, "//tests:python"] + [label for read in reads for label in read.data] + data,
        tags = tags + (["external"] if source_tree else []),
        **kwargs
    )
