"""Helps tests that read the source tree, which Bazel does not see as their input (tests/BUILD gives them WORKSPACE).

They read only the files that git tracks: files that the tools and the lab write into the checkout are not part of it.
"""

import functools
import pathlib
import subprocess
import sys
import tempfile

import bazel_unittest


def sample(case, files):
    """Makes a folder with these files, {path: text or bytes}, which is removed when the test case ends."""
    folder = tempfile.TemporaryDirectory()
    case.addCleanup(folder.cleanup)
    root = pathlib.Path(folder.name)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@functools.lru_cache(maxsize=None)
def files(root):
    """Sorted absolute paths of the files below `root` that git tracks, without those deleted from the working tree.

    Returns all files below `root` if it has no .git, as in an unpacked archive or in a test's own sample.
    """
    if not (root / ".git").exists():
        return sorted(path for path in root.rglob("*") if path.is_file())
    # The checkout may belong to another user, like in a container; these tests run no program of it.
    listed = subprocess.run(["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z"], capture_output=True)
    if listed.returncode != 0:
        sys.exit(f"git ls-files in {root}: {listed.stderr.decode(errors='replace').strip()}")
    names = set(listed.stdout.decode(errors="surrogateescape").split("\0")) - {""}  # a merge lists a file several times
    return sorted(path for path in (root / name for name in names) if path.is_file())


def files_in(root, folders, suffixes):
    """Returns those of files(root) that are below one of `folders` (in the root) and have one of `suffixes`."""
    return [path for path in files(root)
            if path.relative_to(root).parts[0] in folders and path.suffix in suffixes]


def main(case):
    """Runs the module's tests with `case.root` set from --root FOLDER (the workspace, or a file in its root)."""
    arguments = sys.argv[1:]
    if len(arguments) != 2 or arguments[0] != "--root":
        sys.exit(f"usage: {sys.argv[0]} --root FOLDER")
    given = pathlib.Path(arguments[1]).resolve()
    case.root = given if given.is_dir() else given.parent
    bazel_unittest.main([])
