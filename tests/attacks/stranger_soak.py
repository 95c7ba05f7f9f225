"""Runs strangers on this host and on another one for minutes, during successive scale_runs. Must be started as root:

    python3 tests/attacks/stranger_soak.py --tools bazel-bin/tools --minutes=10

Two network namespaces with a cable between them stand for two hosts. Each run has two ranks of LeNet-5 on the CPU: a plain
run, one that is launched on one host, and one that is launched with a rank on each host; the launched ones have a
LOCKSTEP_TOKEN. Meanwhile a stranger on each host makes the attacks of stranger.py on the ports of the launching
processes, and replays the data that it captures on its network device. Prints a table. Exits with 1 if an attempt was
accepted, a run was disturbed, a record differs or the launcher's memory grew by more than 32 MiB within a run.

Gloo's own connections between ranks have no proof (lib/launch/README.md), so its ports are not attacked.
"""

import argparse
import json
import os
import pathlib
import secrets
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "launchers"), str(HERE.parent), str(HERE)]
import bazel_unittest
import cable
import launched
import listeners
import stranger

RUN_SECONDS = 120  # after this time a run counts as disturbed, and is ended
MIB = 1 << 20


class Soak:
    def __init__(self, tools, folder, wire):
        self.tools, self.folder, self.wire = tools, folder, wire
        self.done, self.disturbed, self.differ, self.seconds = {}, [], [], {}
        self.first = {}  # result of the first run of each kind
        self.memory = []  # (start, end) of a launching process
        self.environment = {k: v for k, v in os.environ.items() if not launched.launch_variables(k)}
        self.environment.update(OMP_NUM_THREADS="1")

    def call(self, tool, *arguments):
        return subprocess.run([self.tools / tool, *arguments], check=True, capture_output=True, text=True).stdout

    def start(self, host, output, **variables):
        flags = [f"--input={self.folder}/dataset.rec", "--model=lenet5", "--device=cpu", "--batch_size=10", "--repeats=40", "--ranks=2",
                 "--threads=1", "--timeout=30s", "--force", f"--output={output}"]
        return subprocess.Popen(self.wire.command(host, [str(self.tools / "scale_run"), *flags]), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, env={**self.environment, **variables})

    def processes(self, kind, output):
        if kind == "plain":
            return [self.start(0, output)]
        port, token = launched.free_port(), secrets.token_hex(16)
        apart = kind == "launched, two hosts"
        return [self.start(rank if apart else 0, output, RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK="0" if apart else str(rank),
                           LOCAL_WORLD_SIZE="1" if apart else "2", MASTER_PORT=str(port), LOCKSTEP_TOKEN=token,
                           MASTER_ADDR=cable.ADDRESSES[0] if apart else "127.0.0.1") for rank in range(2)]

    def show_ports(self, processes):
        """Writes, for the strangers of each host, the addresses at which they can reach the listening ports of the
        first process."""
        ports = sorted({port for _, port in listeners.of_processes([processes[0].pid])})
        for host, addresses in enumerate([["127.0.0.1", cable.ADDRESSES[0]], [cable.ADDRESSES[0]]]):
            new = self.folder / f"ports_{host}.new"
            new.write_text("".join(f"{address} {port}\n" for address in addresses for port in ports))
            new.replace(self.folder / f"ports_{host}")
        return bool(ports)

    def run(self, kind):
        output = self.folder / "out.rec"
        begin = time.monotonic()
        processes = self.processes(kind, output)
        memory = []
        while any(p.poll() is None for p in processes) and time.monotonic() < begin + RUN_SECONDS:
            if self.show_ports(processes):
                memory.append(listeners.resident_bytes(processes[0].pid))
            time.sleep(0.02)
        for process in processes:
            process.kill()
        logs = [process.communicate()[1] for process in processes]
        codes = [process.returncode for process in processes]
        self.show_ports(processes)
        self.done[kind] = self.done.get(kind, 0) + 1
        self.seconds.setdefault(kind, []).append(time.monotonic() - begin)
        memory = [m for m in memory if m]
        if memory:
            self.memory.append((memory[0], memory[-1]))
        if any(codes):
            self.disturbed.append((kind, codes, logs))
            return
        result = json.dumps(launched.result_of(json.loads(self.call("report", f"--print={output}", "--format=json"))))
        if self.first.setdefault(kind, result) != result:
            self.differ.append(kind)


def started_stranger(soak, host, seconds):
    """Starts a stranger that captures from the loopback device on host 0, from the cable on host 1."""
    command = [sys.executable, str(HERE / "stranger.py"), f"--ports={soak.folder}/ports_{host}", f"--seconds={seconds}",
               f"--listen_on={['lo', cable.DEVICE][host]}", f"--seed={host}"]
    return subprocess.Popen(soak.wire.command(host, command), stdout=subprocess.PIPE, text=True, env=soak.environment)


def table(soak, counts):
    lines = [f"{'attempt':22}{'this host':>12}{'accepted':>10}{'other host':>12}{'accepted':>10}"]
    for kind in stranger.KINDS:
        lines.append(f"{kind:22}" + "".join(f"{c['attempts'][kind]:12}{c['accepted'][kind]:10}" for c in counts))
    lines.append(f"{'of replay: captured':22}" + "".join(f"{c['replayed']:12}{'':10}" for c in counts))
    lines.append(f"{'not reachable':22}" + "".join(f"{c['unreachable']:12}{'':10}" for c in counts))
    for kind, done in soak.done.items():
        lines.append(f"runs, {kind}: {done}, {statistics.median(soak.seconds[kind]):.1f} s each")
    lines.append(f"runs disturbed: {len(soak.disturbed)}; records that differ: {len(soak.differ)}")
    lines += [f"  {kind}: exit codes {codes}: {' | '.join(logs).strip()}" for kind, codes, logs in soak.disturbed[:5]]
    start, end = (max(memory[i] for memory in soak.memory) for i in (0, 1))
    growth = max(end - start for start, end in soak.memory)
    lines.append(f"launcher's memory: at most {start / MIB:.1f} MiB when it listens, {end / MIB:.1f} MiB at the end of a run, "
                 f"largest growth in a run {growth / MIB:.1f} MiB")
    return lines, growth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    flags = parser.parse_args()
    wire = cable.Cable(os.environ)
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(bazel_unittest.folder_of(flags.tools), pathlib.Path(folder), wire)
        soak.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40",
                  f"--output={folder}/dataset.rec")
        kinds = ["plain", "launched, one host", "launched, two hosts"]
        for kind in kinds:  # undisturbed runs, for comparison
            soak.run(kind)
        strangers = [started_stranger(soak, host, flags.minutes * 60) for host in range(2)]
        while any(s.poll() is None for s in strangers):
            for kind in kinds:
                soak.run(kind)
        counts = [json.loads(s.communicate(timeout=60)[0]) for s in strangers]
    wire.close()
    lines, growth = table(soak, counts)
    print("\n".join(lines))
    accepted = sum(sum(c["accepted"].values()) for c in counts)
    sys.exit(1 if accepted or soak.disturbed or soak.differ or growth > 32 * MIB else 0)


if __name__ == "__main__":
    main()
