"""Strangers at the port of a launched run's rendezvous, servers that never answer, and clocks that are set meanwhile.

The test starts the run's processes itself, with the variables that torchrun sets; a stranger reaches the port, and does
not know LOCKSTEP_TOKEN. lib/launch/README.md has the threat model.
"""

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launchers"))
import launched
import marked_processes
import tool_case

MAGIC = b"LOCKSTP1"  # lib/launch/handshake.h
GREETING_BYTES = 40
NOBODY = "does not know this run's secret"

# First message of an agent before the handshake had a proof: length, and an AgentMessage with the description
# {run: ".", rank: 1, size: 2}.
OLD_FIRST_MESSAGE = b"\x00\x00\x00\x09" + b"\x0a\x07" + b"\x0a\x01." + b"\x10\x01" + b"\x18\x02"
# AgentMessage{verdict{exit_code: 0}}: the run has ended successfully.
OLD_VERDICT = b"\x00\x00\x00\x02" + b"\x3a\x00"


class NetworkCase(launched.LaunchedCase):
    def setUp(self):
        super().setUp()
        self.port = launched.free_port()

    def process(self, rank, *flags, size=2, port=None, **variables):
        return self.by_hand(rank, size, port or self.port, *self.flags("--ranks=2", *flags), **variables)

    def leader(self, *flags, **variables):
        """Starts rank 0 of two, which waits for rank 1."""
        process = self.process(0, *flags, **variables)
        self.wait_for(lambda: self.listeners(process.pid) or process.poll() is not None, "a port that listens",
                      every=0.02)
        self.assertIsNone(process.poll())
        return process

    def listeners(self, pid=None):
        """Returns the listening addresses, in /proc's format: at the run's port, or at any port of `pid`."""
        try:
            inodes = {os.readlink(path) for path in pathlib.Path(f"/proc/{pid}/fd").iterdir()} if pid else None
        except OSError:
            return []  # it has ended
        found = []
        for table in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = line.split()
                address, port = words[1].split(":")
                if words[3] == "0A" and (f"socket:[{words[9]}]" in inodes if pid else int(port, 16) == self.port):
                    found.append(address)
        return found

    def stranger(self, data=b"", port=None):
        connection = socket.create_connection(("127.0.0.1", port or self.port), timeout=20)
        self.addCleanup(connection.close)
        with contextlib.suppress(OSError):  # closed meanwhile
            connection.sendall(data)
        return connection

    def receive_all(self, connection, max_bytes=1 << 20):
        """Returns everything that is received until the other end closes. Raises TimeoutError if it does not close."""
        received = b""
        with contextlib.suppress(ConnectionError):
            while len(received) < max_bytes and (piece := connection.recv(65536)):
                received += piece
        return received

    def two_end_well(self, leader, *flags, **variables):
        codes, logs = self.ends([leader, self.process(1, *flags, **variables)])
        self.assertEqual(codes, [0, 0], logs)
        return logs

    @staticmethod
    def resident_kib(pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


class Serving:
    """Serves each connection to a port by `serve(connection)` in a separate thread, until it is closed."""

    def __init__(self, serve, port=0):
        self.listener = socket.create_server(("127.0.0.1", port), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.serve, self.connections = serve, []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self.run, args=(connection,), daemon=True).start()

    def run(self, connection):
        with contextlib.suppress(OSError):
            self.serve(connection)

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            connection.close()


class Rendezvous(NetworkCase):
    """H3: who is admitted to the rendezvous."""

    def test_rendezvous_on_one_host_binds_loopback_only(self):
        for variables in ({}, {"MASTER_ADDR": "0.0.0.0"}):  # all ranks are on one host, so the address does not matter
            with self.subTest(variables):
                leader = self.leader(**variables)
                self.assertEqual(self.listeners(), ["0100007F"])
                self.assertEqual(self.listeners(leader.pid), ["0100007F"])
                leader.send_signal(signal.SIGTERM)
                self.assertEqual(self.ends([leader], 20)[0], [143])

    def test_rendezvous_stranger_with_guessed_run_name(self):
        leader = self.leader()
        self.assertEqual(self.receive_all(self.stranger(OLD_FIRST_MESSAGE)), b"")
        self.assertEqual(len(self.receive_all(self.stranger(MAGIC + os.urandom(64)))), GREETING_BYTES)
        self.two_end_well(leader)

    def test_rendezvous_replayed_handshake_is_let_in(self):
        """A stranger records everything that rank 1 of a run sent, and replays it to another leader with the same
        token."""
        sent = bytearray()

        def relay(connection):
            there = socket.create_connection(("127.0.0.1", self.port))
            back = threading.Thread(target=lambda: self.copy(there, connection), daemon=True)
            back.start()
            self.copy(connection, there, sent)

        relaying = Serving(relay)
        self.addCleanup(relaying.close)
        codes, logs = self.ends([self.leader(), self.process(1, port=relaying.port)])
        self.assertEqual(codes, [0, 0], logs)  # a relay between both sides learns no key
        self.assertGreater(len(sent), 72)
        leader = self.leader("--force")
        self.assertEqual(len(self.receive_all(self.stranger(bytes(sent)))), GREETING_BYTES)
        self.two_end_well(leader, "--force")

    @staticmethod
    def copy(source, sink, kept=None):
        with contextlib.suppress(OSError):
            while piece := source.recv(65536):
                if kept is not None:
                    kept += piece
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)

    def test_fake_leader_verdict(self):
        for answer in (OLD_VERDICT, MAGIC + os.urandom(64)):
            with self.subTest(answer):
                fake = Serving(lambda connection: (connection.sendall(answer), connection.recv(1 << 20)), self.port)
                self.addCleanup(fake.close)
                codes, logs = self.ends([self.process(1)], 60)
                fake.close()
                self.assertEqual(codes, [5], logs)
                self.assertIn(NOBODY, logs[0])
                self.assertFalse((self.folder / "out.rec").exists())

    def test_two_runs_on_one_port(self):
        self.timeout_seconds = 5
        first = self.leader("--timeout=60s")
        other = {"LOCKSTEP_TOKEN": "the token of another run"}
        others = [self.process(rank, f"--output={self.folder / 'other.rec'}", **other) for rank in (0, 1)]
        codes, logs = self.ends(others, 60)
        self.assertEqual(codes, [5, 5], logs)
        self.assertIn(f"cannot listen on port {self.port} at 127.0.0.1 of this host", logs[0])
        self.assertIn("secret", logs[1])
        self.two_end_well(first, "--timeout=60s")
        self.assertFalse((self.folder / "other.rec").exists())

    def test_who_has_another_token_is_counted(self):
        self.timeout_seconds = 4
        leader = self.leader()
        member = self.process(1, LOCKSTEP_TOKEN="a token with a slip in it")
        codes, logs = self.ends([leader, member], 60)
        self.assertEqual(codes, [5, 5], logs)
        self.assertIn("the last one from 127.0.0.1, did not prove", logs[0])
        self.assertIn("LOCKSTEP_TOKEN", logs[0])


class Flood(NetworkCase):
    """H4 and H5: the cost that a stranger can cause."""

    def flood(self, count, mebibytes):
        def send():
            with contextlib.suppress(OSError):
                connection = socket.create_connection(("127.0.0.1", self.port), timeout=20)
                for _ in range(mebibytes):
                    connection.sendall(bytes(1 << 20))
        threads = [threading.Thread(target=send) for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads

    def test_rendezvous_32_MiB_of_empty_frames(self):
        leader = self.leader()
        before = self.resident_kib(leader.pid)
        for thread in self.flood(8, 32):
            thread.join()
        self.assertLess(self.resident_kib(leader.pid) - before, 20 << 10)
        self.two_end_well(leader)

    def test_rendezvous_32_MiB_of_empty_frames_then_sigterm(self):
        leader = self.leader()
        threads, end = self.flood(8, 32), time.monotonic() + 3
        for thread in threads:
            thread.join(max(0, end - time.monotonic()))
        leader.send_signal(signal.SIGTERM)
        codes, logs = self.ends([leader], 20)
        self.assertEqual(codes, [143], logs)
        for thread in threads:
            thread.join()

    def test_fake_leader_zero_frames_flood(self):
        def zeros(connection):
            while True:
                connection.sendall(bytes(1 << 20))
        fake = Serving(zeros, self.port)
        self.addCleanup(fake.close)
        member = self.process(1)
        codes, logs = self.ends([member], 60)
        self.assertEqual(codes, [5], logs)
        self.assertIn(NOBODY, logs[0])

    def test_rendezvous_25_strangers_with_64_MiB_frames(self):
        leader = self.leader()
        before = self.resident_kib(leader.pid)
        frame = (64 << 20).to_bytes(4, "big") + bytes(4 << 20)
        for stranger in [self.stranger(frame) for _ in range(25)]:
            self.assertEqual(self.receive_all(stranger), b"")
        self.assertLess(self.resident_kib(leader.pid) - before, 20 << 10)
        self.two_end_well(leader)

    def test_rendezvous_descriptors_exhausted(self):
        leader = self.leader()
        there = len(os.listdir(f"/proc/{leader.pid}/fd"))
        # Fewer than kMaxUnproven (admission.h). The leader raises its soft limit when it starts its rank.
        hard = resource.prlimit(leader.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(leader.pid, resource.RLIMIT_NOFILE, (there + 24, hard))
        idle = [self.stranger() for _ in range(80)]
        self.two_end_well(leader)
        self.assertEqual(len(idle), 80)


class TorchrunStore(NetworkCase):
    """H6: a server at torchrun's MASTER_PORT that accepts and never answers."""

    def silent(self):
        server = Serving(lambda connection: connection.recv(1 << 20) and time.sleep(600))
        self.addCleanup(server.close)
        return server

    def start(self, port):
        variables = {"TORCHELASTIC_USE_AGENT_STORE": "True"}
        processes = []
        for rank in (0, 1):
            process = self.process(rank, port=port, **variables)
            processes.append(process)
        return processes

    def setUp(self):
        super().setUp()
        token = os.environ.pop("LOCKSTEP_TOKEN")
        self.addCleanup(os.environ.__setitem__, "LOCKSTEP_TOKEN", token)

    def test_torchrun_store_that_never_answers(self):
        self.timeout_seconds = 4
        codes, logs = self.ends(self.start(self.silent().port), 60)
        self.assertEqual(codes, [5, 5], logs)
        for log in logs:
            self.assertRegex(log, "no answer from torchrun\'s store at .* for 4s")

    def test_torchrun_store_that_never_answers_then_sigterm(self):
        self.timeout_seconds = 600
        server = self.silent()
        processes = self.start(server.port)
        self.wait_for(lambda: len(server.connections) == 2, "both at the store")
        for process in processes:
            process.send_signal(signal.SIGTERM)
        codes, logs = self.ends(processes, 20)
        self.assertEqual(codes, [143, 143], logs)


CLOCK = r"""
// clock_gettime, gettimeofday and time, with the wall clock set by the seconds that the file CLOCK_FILE holds once it is there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void) {
  const char* path = getenv("CLOCK_FILE");
  FILE* file = path != NULL && access(path, R_OK) == 0 ? fopen(path, "r") : NULL;
  long seconds = 0;
  if (file != NULL) {
    if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
    fclose(file);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += shift();
  return result;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* seconds) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (seconds != NULL) *seconds = precise.tv_sec;
  return precise.tv_sec;
}
"""


class Clock(NetworkCase):
    """H7: a host's clock is set while a run trains."""

    timeout_seconds = 8

    def setUp(self):
        super().setUp()
        compiler = shutil.which("gcc") or shutil.which("cc")
        if compiler is None:
            self.skipTest("no C compiler, which builds the clock that can be set")
        source, self.clock = self.folder / "clock.c", self.folder / "clock.so"
        source.write_text(CLOCK)
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", self.clock, source, "-ldl"], check=True)

    def start(self, hosts, *flags):
        """Starts both ranks and waits until they train; the ranks of `hosts` have a clock that `set` sets."""
        variables = {"LD_PRELOAD": str(self.clock), "CLOCK_FILE": str(self.folder / "shift")}
        processes = [self.process(rank, "--repeats=20", *flags, **(variables if rank in hosts else {}))
                     for rank in (0, 1)]
        self.wait_for(lambda: marked_processes.marked_processes(self.mark, "--rank=1"), "a rank 1")
        return processes

    def set(self, seconds):
        (self.folder / "new").write_text(str(seconds))
        (self.folder / "new").rename(self.folder / "shift")

    def changes_nothing(self, seconds, hosts):
        processes = self.start(hosts)
        self.set(seconds)
        codes, logs = self.ends(processes, 120)
        self.assertEqual(codes, [0, 0], logs)

    def test_the_clock_can_be_set(self):
        self.set(7200)
        result = subprocess.run([sys.executable, "-c", "import time; print(time.time())"], capture_output=True,
                                text=True, check=True,
                                env={**os.environ, "LD_PRELOAD": str(self.clock),
                                     "CLOCK_FILE": str(self.folder / "shift")})
        self.assertGreater(float(result.stdout), time.time() + 7000)

    def test_clock_set_forward_10s_on_one_host_timeout_8s(self):
        for hosts in ([0], [1]):
            with self.subTest(hosts):
                self.changes_nothing(10, hosts)
                (self.folder / "out.rec").unlink()
                (self.folder / "shift").unlink()

    def test_clock_forward_2h_launched(self):
        self.changes_nothing(7200, [0, 1])

    def test_clock_set_back_2h_launched(self):
        self.changes_nothing(-7200, [0])

    def test_clock_set_back_2h_and_a_stopped_process_is_still_noticed(self):
        processes = self.start([0, 1], "--repeats=100000")
        self.set(-7200)
        processes[1].send_signal(signal.SIGSTOP)
        codes, logs = self.ends(processes[:1], self.timeout_seconds + 30)
        processes[1].kill()
        self.ends(processes[1:])
        self.assertEqual(codes, [5], logs)
        self.assertIn("rank 1 of 2 on ", logs[0])


if __name__ == "__main__":
    tool_case.run_tests(__doc__)
