"""Writes measurements as JSON lines, from which the tables of benchmarks/README.md are generated (benchmarks/page).

A line is one series: every timed repetition of one case in one process, with the machine, the versions and the command.
Several processes may be given the same file; each appends its lines.
"""

import datetime
import json
import os
import platform
import shlex
import subprocess
import sys


def cpu_model():
    """Returns the processor's name as Linux knows it."""
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    # On Arm the file has only numbers; lscpu prints their names.
    try:
        listed = subprocess.run(["lscpu"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
        return next(line.split(":", 1)[1].strip() for line in listed.stdout.splitlines() if line.startswith("Model name:"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def git_commit():
    """Returns the commit of the checkout that holds this file, with "+" if it has changes, or "" outside a checkout.

    LOCKSTEP_COMMIT takes precedence, for a copy of the scripts on another machine.
    """
    if "LOCKSTEP_COMMIT" in os.environ:
        return os.environ["LOCKSTEP_COMMIT"]
    git = ["git", "-C", os.path.dirname(os.path.realpath(__file__))]
    try:
        commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
        changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True)
    except OSError:
        return ""
    return commit.stdout.strip() + ("+" if changed.stdout.strip() else "") if commit.returncode == 0 else ""


def torch_versions():
    """Returns the versions of PyTorch and of the libraries it uses, as far as it was built with them."""
    import torch

    versions = {"pytorch": torch.__version__}
    if torch.cuda.is_available():
        cudnn = torch.backends.cudnn.version()
        versions |= {"cuda": torch.version.cuda, "cudnn": f"{cudnn // 10000}.{cudnn // 100 % 100}.{cudnn % 100}",
                     "nccl": ".".join(map(str, torch.cuda.nccl.version()))}
    return versions


def versions_of(python, *modules):
    """Returns {module: version} of the modules that `python` can import."""
    found = {}
    for module in modules:
        printed = subprocess.run([python, "-c", f"import {module}; print({module}.__version__)"], capture_output=True, text=True)
        if printed.returncode == 0:
            found[module] = printed.stdout.strip()
    return found


def path(text):
    """Returns the absolute path of a file that is named relative to the folder in which `bazel run` was started."""
    return os.path.join(os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd()), text) if text else ""


class Writer:
    """Appends series to a file; does nothing if `path` is empty."""

    def __init__(self, path, versions, device="", gpus=0):
        """`device` is the GPU's name, "" for measurements on the CPU; `gpus` is the number of GPUs."""
        self.path = path
        arguments = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
        self.common = {
            "program": arguments[0], "command": shlex.join(arguments), "commit": git_commit(),
            "cpu": cpu_model(), "cores": len(os.sched_getaffinity(0)), "device": device, "gpus": gpus,
            "versions": versions,
        }

    def add(self, case, **values):
        """Appends one series: `case` names what was measured, each of `values` is a list of every repetition."""
        if not self.path:
            return
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        line = json.dumps({**self.common, "time": now, "load": os.getloadavg()[0], "case": case, **values})
        with open(self.path, "a") as file:
            file.write(line + "\n")
