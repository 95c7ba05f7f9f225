"""Makes the parts of a release that tools/release.sh puts together.

    release.py archive --folder=FOLDER --output=NAME.tar.gz --mtime=SECONDS
    release.py notes --changelog=CHANGELOG.md --version=VERSION

archive: the same files give the same bytes. Names are sorted, owner and group are root, modes are 755 or 644, and all
times are --mtime (seconds since 1970).
notes: prints a title and the highlights (at most ten) of the first section of the changelog, each on one line; the
first ten entries of a section without highlights.
"""

import argparse
import gzip
import pathlib
import re
import sys
import tarfile

ENTRIES = 10


def archive(folder, output, mtime):
    """Writes `folder` with all its files, below its own name, to `output`."""
    def fixed(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = mtime
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with open(output, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=mtime) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [folder, *sorted(folder.rglob("*"))]:
            tar.add(path, arcname=path.relative_to(folder.parent), recursive=False, filter=fixed)


def entries(section):
    """Returns the paragraphs and list entries of a section, each on one line; a line above a list is its heading."""
    found, current = [], ""
    for line in [*section.splitlines(), ""]:
        if line.startswith("- ") or not line.strip():
            is_heading = current and line.startswith("- ") and not current.startswith("- ")
            found += [current] if current and not is_heading else []
            current = line.strip()
        else:
            current = f"{current} {line.strip()}".strip()
    return found


def notes(changelog, version):
    """Returns the release notes. Raises ValueError if the changelog's first section is of another version."""
    match = re.search(r"^## (\S+).*\n((?:(?!## ).*\n)*)", changelog, re.M)
    number = version.split("-")[0]
    if match is None or match[1] != number:
        raise ValueError(f"expected the first section of CHANGELOG.md to be ## {number}, because --version prints {version}; found "
                         f"{'no section' if match is None else '## ' + match[1]}: correct CHANGELOG.md or lib/base/version.h")
    highlights = re.search(r"^### Highlights\n((?:(?!#).*\n)*)", match[2], re.M)
    chosen = entries(highlights[1] if highlights else match[2])
    lines = [entry if entry.startswith("- ") else f"- {entry}" for entry in chosen]
    return f"# Lockstep {version}\n" + "\n".join(lines[:ENTRIES]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("archive")
    part.add_argument("--folder", type=pathlib.Path, required=True)
    part.add_argument("--output", type=pathlib.Path, required=True)
    part.add_argument("--mtime", type=int, required=True)
    part = parts.add_parser("notes")
    part.add_argument("--changelog", type=pathlib.Path, required=True)
    part.add_argument("--version", required=True)
    given = parser.parse_args()
    if given.part == "archive":
        archive(given.folder.absolute(), given.output, given.mtime)
        return
    try:
        print(notes(given.changelog.read_text(), given.version), end="")
    except ValueError as error:
        sys.exit(f"release.py: error: {error}")


if __name__ == "__main__":
    main()
