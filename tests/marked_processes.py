"""Finds processes by a mark in their environment, which all processes that a run of a tool starts inherit."""

import os
import pathlib
import signal
import time

VARIABLE = "LOCKSTEP_TEST_MARK"


def marked_processes(mark, argument=""):
    """Returns live processes with VARIABLE=mark in their environment, and an argument beginning with `argument` if
    given."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if f"{VARIABLE}={mark}\0".encode() in (folder / "environ").read_bytes() and (
                        not argument or b"\0" + argument.encode() in (folder / "cmdline").read_bytes()):
                    found.append(int(folder.name))
            except OSError:
                pass  # it has ended, or must not be read
    return found


def processor_seconds(pid):
    """Returns the processor time of a process, over all of its threads; 0 if it has ended."""
    try:
        fields = (pathlib.Path("/proc") / str(pid) / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def send_signal(pid, number):
    """Sends a signal. Returns false if the process has ended since it was found."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def end_orphans(mark, seconds=10):
    """Returns the number of processes that are still alive after `seconds`, and ends them."""
    deadline = time.monotonic() + seconds
    while (alive := marked_processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    for pid in alive:
        send_signal(pid, signal.SIGKILL)
    return len(alive)
