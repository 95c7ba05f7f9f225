"""A running tool, which a test signals or inspects before it ends."""

import os
import pathlib
import subprocess
import time


class RunningTool:
    """A running tool, and its child processes."""

    def __init__(self, test, tool, *arguments, env=None, prefix=(), **options):
        """`options` are those of subprocess.Popen."""
        self.process = subprocess.Popen([*prefix, str(test.tools / tool), *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env={**os.environ, **(env or {})}, **options)
        test.addCleanup(self.end)

    def end(self):
        self.process.kill()
        self.process.communicate()

    def children(self):
        """Returns the child processes of all its threads, oldest first."""
        found = []
        for task in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*"):
            try:
                found += map(int, (task / "children").read_text().split())
            except OSError:
                pass  # the thread has ended
        return sorted(found)

    def finish(self, timeout=60):
        """Returns the exit code, and standard error."""
        stderr = self.process.communicate(timeout=timeout)[1].decode()
        return self.process.returncode, stderr


def eventually(condition, seconds=60):
    """Returns the first true value of `condition`, or the last value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return value


def at_work(pid, seconds=0.3):
    """Returns true if the process has used `seconds` of processor time; loading LibTorch takes about 0.5 s."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return False
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") > seconds
