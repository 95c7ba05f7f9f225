"""Checks that programs and shared libraries run with glibc 2.34 and the libstdc++ of GCC 11, such as on RHEL 9.

    symbol_versions.py FILE...    exit 1, and a line for each symbol that is newer

Reads the symbols that each file imports (objdump -T).
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Newest version of each kind in glibc 2.34 and in the libraries of GCC 11 (its manual, "ABI Policy and Guidelines").
NEWEST = {"GLIBC": "2.34", "GLIBCXX": "3.4.29", "CXXABI": "1.3.13", "GCC": "11.0.0"}
UNDEFINED = re.compile(r"\*UND\*.*\((GLIBC|GLIBCXX|CXXABI|GCC)_([0-9.]+)\)\s+(\S+)$", re.MULTILINE)


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def asked(file):
    """Returns kind, version and name of each versioned symbol that the file imports."""
    table = subprocess.run(["objdump", "-T", file], capture_output=True, text=True, check=True).stdout
    return [match.groups() for match in UNDEFINED.finditer(table)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind, newest in NEWEST.items():
        parser.add_argument("--" + kind.lower(), default=newest)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    failed = False
    for file in arguments.files:
        symbols = asked(file)
        for kind, version, name in sorted(set(symbols)):
            newest = getattr(arguments, kind.lower())
            if numbers(version) > numbers(newest):
                failed = True
                print(f"symbol_versions.py: error: {file} needs {name} of {kind}_{version}, expected {newest} at most",
                      file=sys.stderr)
        print(file.name, *[f"{kind}_{max((v for k, v, _ in symbols if k == kind), key=numbers)}" for kind in NEWEST
                           if any(k == kind for k, _, _ in symbols)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
