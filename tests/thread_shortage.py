"""Starts a tool that gets no or few threads: by a seccomp filter, a process limit, or a control group.

RLIMIT_NPROC does not apply to root, so a limit on processes needs another user; a seccomp filter applies to every user.
"""

import contextlib
import ctypes
import os
import pathlib
import platform
import shutil
import subprocess
import struct
import unittest

_libc = ctypes.CDLL(None, use_errno=True)
_PR_GET_SECCOMP, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 21, 22, 38, 2
_CLONE3 = 435
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE_THREAD = 0x10000
_EAGAIN, _ENOSYS = 11, 38
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _IF_EQUAL, _IF_BITS, _RETURN = 0x20, 0x15, 0x45, 0x06


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def _filter():
    """Returns a filter in which clone3 does not exist (its flags cannot be read), and clone of a thread fails with
    EAGAIN."""
    steps = [(_LOAD, 0, 0, 0), (_IF_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | _ENOSYS),
             (_IF_EQUAL, 0, 3, _CLONE[platform.machine()]), (_LOAD, 0, 0, 16), (_IF_BITS, 0, 1, _CLONE_THREAD),
             (_RETURN, 0, 0, _ERRNO | _EAGAIN), (_RETURN, 0, 0, _ALLOW)]
    return ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps)), len(steps)


def refusing_threads():
    """Returns a preexec_fn after which threads cannot be started, but processes can. Skips the test if the kernel lacks
    such filters."""
    if platform.machine() not in _CLONE or _libc.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) < 0:
        raise unittest.SkipTest("the kernel has no seccomp filters")
    code, length = _filter()
    program = _Program(length, ctypes.cast(code, ctypes.c_void_p))

    def refuse():
        if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 or _libc.prctl(
                _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
            os._exit(99)
        code  # keeps `code` alive as long as this function

    return refuse


def with_processes(count):
    """Returns the start of a command that limits it to `count` processes and threads. Skips the test without root."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root can become a user without other processes")
    if shutil.which("setpriv") is None or shutil.which("prlimit") is None:
        raise unittest.SkipTest("needs setpriv and prlimit of util-linux")
    user = str(1_000_000 + os.getpid())  # whose other processes would also count
    # The user may read the tools and write into the test's folder, which belong to root.
    become_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all,+dac_override",
                   "--ambient-caps=-all,+dac_override"]
    if subprocess.run([*become_user, "true"], capture_output=True).returncode != 0:
        raise unittest.SkipTest("this user namespace has one user only")
    return [*become_user, "prlimit", f"--nproc={count}"]


@contextlib.contextmanager
def in_control_group(processes):
    """Returns a preexec_fn that enters a new control group of at most `processes` processes and threads. Skips the test
    if that fails."""
    for root in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"):
        group = pathlib.Path(root) / f"lockstep_test_{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / "pids.max").write_text(str(processes))
        except OSError:
            group.rmdir()
            continue
        try:
            yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
        finally:
            for pid in (group / "cgroup.procs").read_text().split():
                with contextlib.suppress(OSError):
                    os.kill(int(pid), 9)
            with contextlib.suppress(OSError):
                group.rmdir()
        return
    raise unittest.SkipTest("no control group of processes can be made here")
