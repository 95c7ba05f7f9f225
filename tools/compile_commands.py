"""Turns `bazel aquery --output=jsonproto` (standard input) into a compilation database (standard output).

    compile_commands.py --workspace=FOLDER --output_base=FOLDER --execution_root=FOLDER

tools/compile_commands.sh calls it. Format: https://clang.llvm.org/docs/JSONCompilationDatabase.html
"""

import argparse
import json
import re
import sys

# Flags of gcc that clang does not have.
GCC_ONLY = ("-fno-canonical-system-headers", "-Wno-free-nonheap-object", "-Wunused-but-set-parameter")
# Headers that gcc has precompiled; clang must read the source header (third_party/precompiled).
PRECOMPILED = re.compile(r"^bazel-out/[^/]+/bin/(third_party/precompiled/\w+\.h)$")


def followed(argument, output_base, execution_root):
    """Returns the argument with paths that exist outside of an action's sandbox.

    Relative paths of the workspace stay as they are. The links bazel-out and external of the execution root are not
    used: bazel-out may not exist (--symlink_prefix), and external is another folder in another build.
    """
    match = PRECOMPILED.match(argument)
    if match:
        return match[1]
    argument = re.sub(r"^(-I|-isystem|-iquote)?bazel-out/", lambda found: f"{found[1] or ''}{execution_root}/bazel-out/", argument)
    return re.sub(r"^(-I|-isystem|-iquote)?external/", lambda found: f"{found[1] or ''}{output_base}/external/", argument)


def source_of(arguments):
    """Returns the file that a command compiles, or None."""
    return arguments[arguments.index("-c") + 1] if "-c" in arguments[:-1] else None


def database(actions, workspace, output_base, execution_root):
    """Returns one entry per source of the workspace, sorted by name."""
    entries = {}
    for action in actions:
        arguments = action.get("arguments", [])
        source = source_of(arguments)
        if source is None or source.startswith(("external/", "bazel-out/")) or source in entries:
            continue
        entries[source] = {
            "directory": workspace,
            "file": source,
            "arguments": [followed(argument, output_base, execution_root) for argument in arguments if argument not in GCC_ONLY],
        }
    return [entries[source] for source in sorted(entries)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("workspace", "output_base", "execution_root"):
        parser.add_argument(f"--{name}", required=True)
    given = parser.parse_args()
    entries = database(json.load(sys.stdin).get("actions", []), given.workspace, given.output_base, given.execution_root)
    if not entries:
        sys.exit("compile_commands.py: error: no compile actions were found; bazel aquery prints why")
    json.dump(entries, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
