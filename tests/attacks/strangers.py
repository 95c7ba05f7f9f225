"""Strangers on the network of a scale_run whose ranks meet in its store: none is admitted, or changes a record.

network.py tests the rendezvous of launched processes. stranger.py has the attacks; stranger_soak.py runs ten minutes.
"""

import itertools
import json
import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "launchers"), str(HERE.parent), str(HERE)]
import cable
import launched
import listeners
import marked_processes
import stranger
from tool_case import run_tests


class Strangers(launched.LaunchedCase):
    quiet = {}  # record of an undisturbed run, by class and backend

    def on_its_host(self, command):
        """Returns the command that runs `command` on the host of this class' runs, whose name is in their records."""
        return command

    def command(self, backend="gloo", output="out.rec"):
        return [self.scale_run, *self.flags("--ranks=2", f"--backend={backend}", "--repeats=20", output=output)]

    def undisturbed(self, backend="gloo"):
        key = type(self), backend
        if key not in self.quiet:
            process = self.spawn(self.on_its_host(self.command(backend, "quiet.rec")))
            self.assertEqual(self.ends([process])[0], [0])
            Strangers.quiet[key] = self.result("quiet.rec")
        return self.quiet[key]

    def result(self, name):
        return launched.result_of(json.loads(self.record(self.folder / name)))

    def while_it_runs(self, process, seconds=120):
        """Yields repeatedly until the process has ended; ends it and fails after `seconds`."""
        deadline = time.monotonic() + seconds
        while process.poll() is None:
            if time.monotonic() > deadline:
                process.kill()
                self.fail(f"the run is disturbed: still there after {seconds} s")
            yield

    def listeners(self):
        """Returns (address, port) at which a process of this run listens now."""
        return listeners.of_processes(marked_processes.marked_processes(self.mark))

    def same_result(self, process):
        codes, logs = self.ends([process])
        self.assertEqual(codes, [0], logs)
        found, expected = (json.dumps(result, indent=1).splitlines() for result in (self.result("out.rec"), self.undisturbed()))
        self.assertEqual([pair for pair in itertools.zip_longest(found, expected) if pair[0] != pair[1]], [])


class OfThisHost(Strangers):
    def test_store_of_a_local_run_binds_loopback_only(self):
        process, seen = self.spawn(self.command()), set()
        for _ in self.while_it_runs(process):
            seen |= self.listeners()
            time.sleep(0.02)
        self.assertEqual(self.ends([process])[0], [0])
        self.assertTrue(seen, "no listener was seen")
        self.assertEqual([place for place in seen if not listeners.is_loopback(place[0])], [])

    def test_stranger_forges_losses_and_accuracies(self):
        process, who = self.spawn(self.command()), stranger.Stranger(timeout=0.3)
        for _ in self.while_it_runs(process):
            for address, port in self.listeners_of_the_launcher(process):
                for kind in ("write", "read", "impersonate_rank_0", "impersonate_rank_1"):
                    who.attempt(kind, "127.0.0.1", port)
            time.sleep(0.01)
        self.assertGreater(who.attempts["write"], 0)
        self.assertEqual(sum(who.accepted.values()), 0, who.counts())
        self.same_result(process)

    def test_strangers_flood_stall_and_send_random_bytes(self):
        process, who = self.spawn(self.command()), stranger.Stranger(timeout=0.3)
        max_bytes = 0
        for _ in self.while_it_runs(process):
            for address, port in self.listeners_of_the_launcher(process):
                for kind in ("flood", "stall", "random_bytes", "reflect", "replay"):
                    who.attempt(kind, "127.0.0.1", port)
                max_bytes = max(max_bytes, listeners.resident_bytes(process.pid))
        self.assertGreater(who.attempts["flood"], 0)
        self.assertEqual(sum(who.accepted.values()), 0, who.counts())
        self.add_measured(f"launcher at most {max_bytes >> 20} MiB")
        self.same_result(process)

    def test_stranger_finds_the_secret_nowhere(self):
        """No grandchild's environment, no record and no output holds the secret, and the rank's own copy is wiped."""
        process, secrets = self.spawn(self.command()), set()
        for _ in self.while_it_runs(process):
            for pid in marked_processes.marked_processes(self.mark, "--rank="):
                secrets |= listeners.variable(pid, "LOCKSTEP_RANK_SECRET")
            time.sleep(0.001)
        codes, logs = self.ends([process])
        self.assertEqual(codes, [0], logs)
        written = b"".join(path.read_bytes() for path in self.folder.iterdir()) + "".join(logs).encode()
        self.assertIn(b"x" * 64, secrets, "no rank was seen after its start")
        for secret in secrets - {b"x" * 64}:
            self.assertEqual(len(secret), 64)
            self.assertNotIn(secret, written)
            self.assertNotIn(bytes.fromhex(secret.decode()), written)

    def listeners_of_the_launcher(self, process):
        return listeners.of_processes([process.pid])


class OfAnotherHost(Strangers):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        try:
            cls.cable = cable.Cable(os.environ)
        except cable.NoCable as reason:
            raise unittest.SkipTest(str(reason))
        cls.addClassCleanup(cls.cable.close)

    def on_its_host(self, command):
        return self.cable.command(0, command)

    def test_stranger_from_another_host_is_not_let_in(self):
        process = self.spawn(self.on_its_host(self.command()))
        ports = self.folder / "ports"
        other = self.spawn(self.cable.command(1, [sys.executable, str(HERE / "stranger.py"), f"--ports={ports}", "--seconds=3"]),
                           **{marked_processes.VARIABLE: "stranger"})
        for _ in self.while_it_runs(process):
            found = [port for pid in marked_processes.marked_processes(self.mark) for _, port in listeners.of_processes([pid])]
            text = "".join(f"{cable.ADDRESSES[0]} {port}\n" for port in sorted(set(found)))
            (self.folder / "next").write_text(text)
            (self.folder / "next").replace(ports)
            time.sleep(0.05)
        self.same_result(process)
        report = json.loads(other.communicate(timeout=60)[0])
        self.assertGreater(report["unreachable"] + sum(report["attempts"].values()), 0, report)
        self.assertEqual(sum(report["attempts"].values()), 0, report)
        self.assertEqual(sum(report["accepted"].values()), 0, report)


if __name__ == "__main__":
    run_tests(__doc__)
