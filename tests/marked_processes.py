"""Processes known by a mark in their environment, which all inherit that a run of a tool starts, whoever their parent is."""

import os
import pathlib
import signal
import time

VARIABLE = "LOCKSTEP_TEST_MARK"


def marked_processes(mark, argument=""):
    """Those alive whose environment has VARIABLE=mark, and one of whose arguments begins with `argument` if one is given."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if f"{VARIABLE}={mark}\0".encode() in (folder / "environ").read_bytes() and (
                        not argument or b"\0" + argument.encode() in (folder / "cmdline").read_bytes()):
                    found.append(int(folder.name))
            except OSError:
                pass  # it has ended, or is nobody's business
    return found


def processor_seconds(pid):
    """What a process has computed, in all of its threads; 0 when it has ended."""
    try:
        fields = (pathlib.Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send_signal(pid, number):
    """Whether it was sent: the process may have ended since it was found."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def end_orphans(mark, seconds=10):
    """How many live on after `seconds` in which they might end by themselves; they are ended."""
    deadline = time.monotonic() + seconds
    while (alive := marked_processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in alive:
        send_signal(pid, signal.SIGKILL)
    return len(alive)
