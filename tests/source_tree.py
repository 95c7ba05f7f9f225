"""For tests that read the source tree, which Bazel does not see as their input (tests/BUILD gives them WORKSPACE)."""

import pathlib
import sys

import bazel_unittest


def main(case):
    """Runs the module's tests with `case.root` set from --root FOLDER (the workspace, or a file in its root)."""
    arguments = sys.argv[1:]
    if len(arguments) != 2 or arguments[0] != "--root":
        sys.exit(f"usage: {sys.argv[0]} --root FOLDER")
    given = pathlib.Path(arguments[1]).resolve()
    case.root = given if given.is_dir() else given.parent
    bazel_unittest.main([])
