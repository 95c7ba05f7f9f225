"""Lists the GPU code in a program, library or object: machine code as sm_80, Hopper's own as sm_90a, PTX as compute_80.

    gpu_code.py FILE...                   prints a line for each file
    gpu_code.py --expect=LIST FILE...     fails unless each file holds code of all of LIST and no other code

Reads the fat binaries that nvcc embeds, like cuobjdump --list-elf --list-ptx, which is not in every toolkit. A fat
binary has: magic, version, size of its header and total size; then, for each entry, a header with kind, size and
architecture.
"""

import argparse
import pathlib
import struct
import sys

MAGIC = 0xBA55ED50
PTX, MACHINE_CODE = 1, 2
ARCHITECTURE_ALONE = 1 << 20  # flag of an entry for code such as "90a"
FILE_HEADER = struct.Struct("<IHHQ")
ENTRY = struct.Struct("<HHIQIIHHIIIQ")


def code_names(data):
    """Returns the set of names in the bytes of one file."""
    names = set()
    start = data.find(struct.pack("<I", MAGIC))
    while start >= 0:
        _, _, header_bytes, bytes_behind = FILE_HEADER.unpack_from(data, start)
        at = start + header_bytes
        end = at + bytes_behind
        while at + ENTRY.size <= min(end, len(data)):
            kind, _, entry_header, size, _, _, _, _, architecture, _, _, flags = ENTRY.unpack_from(data, at)
            if kind in (PTX, MACHINE_CODE):
                names.add(f"{'compute' if kind == PTX else 'sm'}_{architecture}{'a' if flags & ARCHITECTURE_ALONE else ''}")
            if entry_header + size == 0:
                break
            at += entry_header + size
        start = data.find(struct.pack("<I", MAGIC), start + 4)
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--expect", default="", help="names with commas between them")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    expected = {name for name in arguments.expect.split(",") if name}
    failed = False
    for file in arguments.files:
        names = code_names(file.read_bytes())
        print(f"{file.name}: {' '.join(sorted(names)) or 'no GPU code'}")
        if expected and names != expected:
            failed = True
            print(f"gpu_code.py: error: {file}: lacks {sorted(expected - names)}, has in addition {sorted(names - expected)}",
                  file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
