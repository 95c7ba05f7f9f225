"""Describes processes that should have ended: from /proc, gdb and nvidia-smi, as far as each is available."""

import collections
import pathlib
import shutil
import subprocess

GDB_SECONDS = 10
SMI_SECONDS = 10
LAST_LINES = 10


def text_of(path):
    try:
        return path.read_text(errors="replace").strip()
    except OSError as error:
        return f"({error.strerror})"


def stat_of(folder):
    """Returns name, state and parent of a process or thread; its name may hold any character."""
    begin, _, rest = text_of(folder / "stat").rpartition(") ")
    state, parent = (rest.split() + ["?", "0"])[:2]
    return begin.partition("(")[2], state, int(parent)


def with_descendants(pids):
    """Returns the processes and their descendants. A process that is ending has lost its environment, but not its
    parent."""
    children = collections.defaultdict(list)
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            children[stat_of(folder)[2]].append(int(folder.name))
    found, more = set(), list(pids)
    while more:
        pid = more.pop()
        if pid not in found and pathlib.Path(f"/proc/{pid}").exists():
            found.add(pid)
            more += children[pid]
    return sorted(found)


def role_of(pid):
    """Returns 'rank 1' from its argument, else its name."""
    arguments = text_of(pathlib.Path(f"/proc/{pid}/cmdline")).split("\0")
    ranks = [argument.partition("=")[2] for argument in arguments if argument.startswith("--rank=")]
    return f"rank {ranks[0]}" if ranks else stat_of(pathlib.Path(f"/proc/{pid}"))[0]


def summary_of(pid):
    folder = pathlib.Path(f"/proc/{pid}")
    return f"{role_of(pid)} (pid {pid}) {stat_of(folder)[1]} {text_of(folder / 'wchan')}"


def output_of(command, seconds):
    if shutil.which(command[0]) is None:
        return f"({command[0]} is not there)"
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, errors="replace", timeout=seconds)
        return ran.stdout.strip()
    except subprocess.TimeoutExpired as late:
        return f"({command[0]} was ended after {seconds} s)\n{(late.stdout or b'').decode(errors='replace')}"


def describe(pid):
    folder = pathlib.Path(f"/proc/{pid}")
    threads = collections.Counter()
    for thread in (folder / "task").glob("*"):
        threads[(*stat_of(thread)[:2], text_of(thread / "wchan"))] += 1
    yield f"--- {summary_of(pid)}, parent {stat_of(folder)[2]}"
    yield "threads (count, name, state, wchan):"
    yield from (f"  {count:4} {' '.join(thread)}" for thread, count in threads.most_common())
    yield f"kernel stack: {text_of(folder / 'stack')}"
    if stat_of(folder)[1] == "T":
        yield "(gdb waits in vain for one that is stopped)"
    else:
        yield output_of(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 6"], GDB_SECONDS)


def write(path, pids, logs):
    """Writes a description of each process, and the last lines of the files `logs`. Returns one line."""
    pids = with_descendants(pids)
    summary = ", ".join(map(summary_of, pids)) or "nobody by now"
    lines = [line for pid in pids for line in describe(pid)]
    lines += ["--- nvidia-smi", output_of(["nvidia-smi", "--query-compute-apps=pid,used_memory", "--format=csv,noheader"], SMI_SECONDS)]
    for file in logs:
        lines += [f"--- the end of {file.name}", *text_of(file).splitlines()[-LAST_LINES:]]
    path.write_text("\n".join(lines) + "\n")
    return summary
