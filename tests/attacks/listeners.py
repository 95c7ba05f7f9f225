"""Listening sockets, memory and environment of processes of this machine, from /proc."""

import ipaddress
import os
import pathlib
import re

LISTEN = "0A"  # include/net/tcp_states.h


def address_of(text):
    """Returns an address of /proc/net/tcp or tcp6: words of 32 bits in the machine's byte order."""
    words = [int(text[i:i + 8], 16).to_bytes(4, "little") for i in range(0, len(text), 8)]
    return str(ipaddress.ip_address(b"".join(words)))


def sockets_of(pid):
    """Returns the numbers of a process's sockets."""
    found = set()
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(entry.path))
            found |= {match[1]} if match else set()
    except OSError:
        pass  # it has ended, or a descriptor was closed
    return found


def of_processes(pids):
    """Returns (address, port) of every TCP socket on which these listen, each in its own network namespace."""
    found = set()
    for pid in pids:
        sockets = sockets_of(pid)
        for table in ("tcp", "tcp6"):
            try:
                lines = pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
            except OSError:
                continue
            for fields in map(str.split, lines):
                if fields[3] == LISTEN and fields[9] in sockets:
                    address, port = fields[1].split(":")
                    found.add((address_of(address), int(port, 16)))
    return found


def is_loopback(address):
    return ipaddress.ip_address(address.removeprefix("::ffff:")).is_loopback


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def variable(pid, name):
    """Returns the values of a variable in the memory with which a process was started: no value, or one."""
    try:
        entries = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return set()
    return {entry.split(b"=", 1)[1] for entry in entries if entry.startswith(name.encode() + b"=")}
