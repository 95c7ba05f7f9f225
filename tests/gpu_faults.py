#!/usr/bin/env python3
"""Tests faults of scale_run on two GPUs, in replayed graphs (--preset=fast) and in eager steps (--preset=lab).

    python3 tests/gpu_faults.py FOLDER [--device=cuda] [--timeout=10] [--seconds=300] [--cases=REGEX] [--out=FOLDER]

FOLDER holds the tools: the output of tools/package.sh, or bazel-bin/tools. Only Python's own modules are imported.
--device=cpu tries the script without a GPU, LOCKSTEP_RANKS_PER_GPU=2 with one GPU. Prints a line per case: its exit
codes, the seconds from the fault until no process was left, and the error. The script ends after --seconds. --out, an
empty folder, gets the output of each run, and left_CASE.txt if a case left processes behind.
Exit codes: 0 every case went as expected, 4 one did not, or was left out for lack of time.
"""

import argparse
import ctypes
import fcntl
import json
import os
import pathlib
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import left_processes
import marked_processes
import run_fields

IMAGES = 20480       # two ranks' shares hold LARGE_BATCH
LARGE_BATCH = 8192   # resnet18's activations, at 4 MB an image or more, do not fit into LEFT_BYTES
LEFT_BYTES = 8 << 30
ENDLESS = "--repeats=100000"
# Readings of a GPU's driver, for which a short epoch may be too short; and weights, whose order of summation varies.
READING = re.compile(r"^device_(state|watch)$|^weights_sha256$")
OVER_SOCKETS = {"NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_SOCKET_IFNAME": "lo"}
CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP = 0x40000000, 0x8914, 1  # linux/sched.h, linux/sockios.h, linux/if.h
CASES = {"own_spawn": "own spawn", "kill": "SIGKILL of rank 1", "stop": "SIGSTOP of rank 1", "link": "link down",
         "seed": "another --seed on rank 1", "flag": "another flag on rank 1", "data": "another data set on rank 1"}
LAST_CASES = {"two_by_hand": "two processes by hand"}
CASE_SECONDS = 40  # limit of a case; every wait within a case also ends with --seconds
END_SECONDS = 10  # limit for the kernel to end a process that was killed


class Trouble(Exception):
    pass


def fill_gpu(index):
    """Holds all memory of a GPU but LEFT_BYTES until standard input ends; uses only the driver."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *arguments):
        code = getattr(cuda, name)(*arguments)
        if code != 0:
            sys.exit(f"{name}: CUDA error {code}")

    device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), index)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    if free.value > LEFT_BYTES:
        call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(free.value - LEFT_BYTES))
    print("filled", flush=True)
    sys.stdin.read()


def set_loopback(up):
    """Sets the loopback device of this process's network up or down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP if up else 0))


def enter_network(call, *arguments):
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, call)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{call} of a network")


def own_network():
    enter_network("unshare", CLONE_NEWNET)
    set_loopback(up=True)


def link_down(pid):
    with open(f"/proc/{pid}/ns/net") as network:
        enter_network("setns", network.fileno(), CLONE_NEWNET)
    set_loopback(up=False)


def differing(first, second, name="record"):
    """Yields names of the leaves that differ, and whether each is a measured number."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in first.keys() | second.keys():
            one, other = first.get(key), second.get(key)
            if READING.search(key) and one != other:
                yield key, True
            elif not run_fields.tells_runs_apart(key):
                yield from differing(one, other, key)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for one, other in zip(first, second):
            yield from differing(one, other, name)
    elif first != second:
        yield name, isinstance(first, float) and isinstance(second, float)


class Faults:
    def __init__(self, given):
        self.given = given
        self.tools = pathlib.Path(given.folder).absolute()
        self.folder = pathlib.Path(given.out or tempfile.mkdtemp(prefix="gpu_faults_")).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            sys.exit(f"gpu_faults: error: --out={given.out}: expected an empty folder; a run would resume")
        self.begin = time.monotonic()
        # Multicast over NVLink stays off: a fault in it can take a shared host's GPUs down.
        self.environment = {**os.environ, "NCCL_NVLS_ENABLE": "0", "OMP_NUM_THREADS": "1"}
        for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"):
            self.environment.pop(name, None)
        self.begin_case("images", "")
        self.runs = 0
        self.to_training = 30  # seconds from a rank's start until it is sure to train; an undisturbed run gives a
                               # better value
        self.bad = 0

    # --- runs ---

    def begin_case(self, case, title):
        """Starts a case with a new mark for its processes, so that a process left by an earlier case is not mistaken
        for one of them."""
        self.case, self.title = case, title
        self.mark = f"gpu_faults-{os.getpid()}-{case}"
        self.environment[marked_processes.VARIABLE] = self.mark

    def wait(self, condition, seconds, what):
        """Waits for the condition. Returns the seconds until it held."""
        begin = time.monotonic()
        end = min(begin + seconds, self.begin + self.given.seconds)
        while not condition():
            if time.monotonic() > end:
                raise Trouble(f"{what}: not within {end - begin:.0f} s")
            time.sleep(0.05)
        return time.monotonic() - begin

    def flags(self, preset, *more, output):
        cuda = self.given.device == "cuda"
        return [f"--input={self.folder / 'dataset.rec'}", f"--preset={preset}", f"--device={self.given.device}",
                f"--model={'resnet18' if cuda else 'lenet5'}", "--ranks=2", "--noevaluate", "--threads=1",
                f"--timeout={self.given.timeout}s", f"--output={self.folder / output}", *self.given.flag, *more]

    def start(self, flags, apart=False, **variables):
        """Starts one process, and returns it with the file of its output. `apart`: in a separate network namespace."""
        log = self.folder / f"run{self.runs}.txt"
        self.runs += 1
        with open(log, "wb") as out:
            process = subprocess.Popen([str(self.tools / "scale_run"), *flags], env={**self.environment, **variables},
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       preexec_fn=own_network if apart else None)
        return process, log

    def by_hand(self, flags_of_rank):
        """Starts two processes like torchrun would."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = str(probe.getsockname()[1])
        return [self.start(flags, RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE="2",
                           MASTER_ADDR="127.0.0.1", MASTER_PORT=port, LOCKSTEP_TOKEN="a token of this test") for rank, flags in enumerate(flags_of_rank)]

    def alive(self, argument=""):
        return marked_processes.marked_processes(self.mark, argument)

    def end_all(self, *processes):
        for pid in self.alive():
            marked_processes.send_signal(pid, signal.SIGKILL)
        for process, _ in processes:
            process.kill()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                pass  # the kernel does not end it

    def gone(self, processes, seconds):
        """Returns exit codes, and the seconds until no process was left. Processes left after `seconds` are described
        and ended."""
        begin = time.monotonic()
        try:
            self.wait(lambda: all([process.poll() is not None for process, _ in processes]) and not self.alive(), seconds, "still there")
        except Trouble as trouble:
            file = self.folder / f"left_{self.case}.txt"
            pids = [*self.alive(), *(process.pid for process, _ in processes)]
            left = left_processes.write(file, pids, [log for _, log in processes])
            raise Trouble(f"{trouble}: {left}; see {file}") from None
        finally:
            took = time.monotonic() - begin
            self.end_all(*processes)
        return [process.returncode for process, _ in processes], took

    def ranks_train(self):
        self.wait(lambda: len(self.alive("--rank=")) == 2, 30, "two ranks")
        time.sleep(self.to_training)
        if len(self.alive("--rank=")) != 2:
            raise Trouble("the ranks ended before the fault")

    def errors(self, processes):
        lines = [line for _, log in processes for line in log.read_text(errors="replace").splitlines()]
        return [line for line in lines if "error:" in line]

    def printed(self, path, *flags):
        return subprocess.run([str(self.tools / "report"), f"--print={path}", *flags], capture_output=True, text=True,
                              errors="replace", env=self.environment, timeout=30)

    def record(self, path):
        printed = self.printed(path, "--format=json")
        if printed.returncode != 0:
            raise Trouble(f"{path.name} is not whole: {printed.stderr.strip()}")
        return json.loads(printed.stdout)

    def points_kept(self, journal):
        """Counts the points of a run that was stopped: its file has no end, so report prints the whole records and a
        warning."""
        printed = self.printed(journal)
        if "it has no trailer" not in printed.stderr:
            raise Trouble(f"{journal.name} is cut: {printed.stderr.strip()}")
        return printed.stdout.count("global_batch: ")

    def print_case(self, preset, codes, seconds, line, well):
        self.bad += not well
        seconds = "" if seconds is None else f"{seconds:.1f}"
        print(f"{preset:4} {self.title:24} {' '.join(map(str, codes)):9} {seconds:>6}  {'ok  ' if well else 'BAD '} {line}", flush=True)

    # --- cases ---

    def own_spawn(self, preset):
        self.title = CASES["own_spawn"]
        process = self.start(self.flags(preset, "--batch_size=128", "--repeats=2", "--force",
                                        output=f"own_{preset}.rec"))
        # the first start reads LibTorch from the disk
        self.wait(lambda: len(self.alive("--rank=")) == 2, 60, "two ranks")
        self.to_training = 2 + self.wait(lambda: "s per epoch" in process[1].read_text() or process[0].poll() is not None, 90,
                                    "a point")
        codes, _ = self.gone([process], 90)
        line = " ".join(self.errors([process])) or f"{self.to_training - 2:.1f} s from a rank's start to its first point"
        self.print_case(preset, codes, None, line, codes == [0])

    def two_by_hand(self, preset):
        flags = self.flags(preset, "--batch_size=128", "--repeats=2", "--force", output=f"hand_{preset}.rec")
        processes = self.by_hand([flags, flags])
        codes, _ = self.gone(processes, 90)
        if codes != [0, 0]:
            return self.print_case(preset, codes, None, " ".join(self.errors(processes)), False)
        if not (self.folder / f"own_{preset}.rec").exists():
            self.own_spawn(preset)
            self.title = LAST_CASES["two_by_hand"]
        differ = sorted(set(differing(*(self.record(self.folder / f"{name}_{preset}.rec") for name in ("own", "hand")))))
        # On GPUs the order of summation varies, so losses and weights may differ.
        wrong = [name for name, measured in differ if not (self.given.device == "cuda" and measured)]
        names = ", ".join(name for name, _ in differ)
        self.print_case(preset, codes, None,
                        f"the record of own spawn, but for {names}" if names else "the record of own spawn", not wrong)

    def kill(self, preset):
        """First out of memory, so that there is a point to keep; then a kill in the middle of training."""
        self.title = "out of memory"
        fills = self.given.device == "cuda"
        gpu = 0 if os.environ.get("LOCKSTEP_RANKS_PER_GPU") == "2" else 1
        filler = subprocess.Popen([sys.executable, __file__, f"--fill={gpu}", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True) if fills else None
        batches = f"--batch_size={LARGE_BATCH},128" if fills else "--batch_size=128"
        flags = self.flags(preset, batches, ENDLESS, output=f"kill_{preset}.rec")
        process = None
        try:
            if fills and not (select.select([filler.stdout], [], [], 20)[0] and filler.stdout.readline() == "filled\n"):
                raise Trouble(f"GPU {gpu} could not be filled")
            process = self.start(flags)
            if fills:
                reports = lambda: process[1].read_text().count("out of memory: 2 ranks")
                took = self.wait(lambda: reports() == 2 or process[0].poll() is not None, 90,
                                 "two points out of memory")
                line = next((line for line in process[1].read_text().splitlines() if "out of memory" in line), "")
                self.print_case(preset, [], took, line or " ".join(self.errors([process])), reports() == 2)
            else:
                self.print_case(preset, [], None, "not tried: needs a GPU", True)
            self.fault(preset, "kill", process, signal.SIGKILL, "was killed by signal 9")
            if fills:
                self.resumed(preset, flags, f"kill_{preset}.rec.part")
        finally:
            if filler is not None:
                filler.kill()
                filler.wait()
            if process is not None:
                self.end_all(process)

    def resumed(self, preset, flags, journal):
        self.title = "the same command"
        points = self.points_kept(self.folder / journal)
        process = self.start(flags)
        resumes = lambda: "resumes after 3 records" in process[1].read_text()
        self.wait(lambda: resumes() or process[0].poll() is not None, 60, "the same command")
        process[0].send_signal(signal.SIGTERM)
        codes, _ = self.gone([process], 15)
        self.print_case(preset, codes, None, f"{points} points were kept; it resumes after them, then SIGTERM",
                        resumes() and points == 2 and codes == [143])

    def stop(self, preset):
        process = self.start(self.flags(preset, "--batch_size=128", ENDLESS, "--force", output=f"stop_{preset}.rec"))
        self.fault(preset, "stop", process, signal.SIGSTOP, "did not answer")

    def fault(self, preset, case, process, number, message):
        self.title = CASES[case]
        self.ranks_train()
        os.kill(self.alive("--rank=1")[0], number)
        codes, took = self.gone([process], self.given.timeout + 20)
        line = " ".join(self.errors([process]))
        self.print_case(preset, codes, took, line,
                        codes == [5] and took < self.given.timeout + 5 and "rank 1 of 2" in line and message in line)

    def other(self, preset, flag, message):
        """Gives rank 1 a flag of its own, which comes last."""
        processes = self.by_hand([self.flags(preset, "--batch_size=128", ENDLESS, *more, output="other.rec")
                                  for more in ([], [flag])])
        codes, took = self.gone(processes, self.given.timeout + 20)
        line = " ".join(self.errors(processes))
        self.print_case(preset, codes, took, line,
                        codes == [5, 5] and took < self.given.timeout + 5 and "rank 1 on" in line and message in line)

    def seed(self, preset):
        self.other(preset, "--seed=1", "seed")

    def flag(self, preset):
        self.other(preset, "--learning_rate=0.2", "learning_rate")

    def data(self, preset):
        self.make_images("other_dataset.rec", "--seed=1")
        self.other(preset, f"--input={self.folder / 'other_dataset.rec'}", "images")

    def link(self, preset):
        """Puts all ranks in a separate network namespace, whose only interface goes down while they train."""
        process = self.start(self.flags(preset, "--batch_size=128", ENDLESS, "--force", output=f"link_{preset}.rec"),
                             apart=True, **OVER_SOCKETS)
        self.ranks_train()
        subprocess.run([sys.executable, __file__, f"--link_down={process[0].pid}", "-"], check=True, timeout=10)
        codes, took = self.gone([process], self.given.timeout + 20)
        line = " ".join(self.errors([process]))
        self.print_case(preset, codes, took, line,
                        codes == [5] and took < self.given.timeout + 5 and re.search(r"rank \d of 2", line) is not None)

    # --- all ---

    def make_images(self, name, *flags):
        made = subprocess.run([str(self.tools / "cifar_prep"), "--input_format=synthetic", f"--train_images={IMAGES}",
                               "--test_images=100", f"--output={self.folder / name}", *flags], env=self.environment,
                              stderr=subprocess.PIPE, timeout=60)
        if made.returncode != 0:
            sys.exit(f"gpu_faults: error: cifar_prep: {made.stderr.decode(errors='replace')}")

    def run(self):
        self.make_images("dataset.rec")
        print(f"     {'case':24} {'exit':9} {'s':>6}        error, --timeout={self.given.timeout}s")
        presets = ["fast", "lab"] if self.given.device == "cuda" else ["lab"]
        plan = [(preset, *case) for cases in (CASES, LAST_CASES) for preset in presets for case in cases.items()]
        for preset, case, title in plan:
            if not re.search(self.given.cases, f"{preset} {case}"):
                continue
            self.begin_case(f"{preset}_{case}", title)
            if time.monotonic() - self.begin + CASE_SECONDS > self.given.seconds:
                self.print_case(preset, [], None, "not run: no time left", False)
                continue
            try:
                getattr(self, case)(preset)
            except (Trouble, subprocess.TimeoutExpired, OSError) as trouble:
                self.print_case(preset, [], None, str(trouble), False)
            finally:
                self.end_all()
        print(f"     {time.monotonic() - self.begin:.0f} s in all; output of the runs: {self.folder}")
        return 4 if self.bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--timeout", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--cases", default=".")
    parser.add_argument("--out", default="")
    parser.add_argument("--flag", action="append", default=[], help="of scale_run, such as --flag=--reducer=peer")
    parser.add_argument("--fill", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--link_down", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill is not None:
        return fill_gpu(given.fill)
    if given.link_down is not None:
        return link_down(given.link_down)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return Faults(given).run()


if __name__ == "__main__":
    sys.exit(main())
