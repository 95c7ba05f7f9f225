"""Signals scale_run's processes at random moments: all must end, and the same command must then finish.

With --resume the command continues in the middle of a point, and its record must equal that of an undisturbed run. Runs
without a launcher with 2 and 4 ranks, and under torchrun with 2 and 4. The victim is a rank, the leader, or an agent;
the signal is SIGKILL, SIGSTOP or SIGTERM. Run by bazel (tests/launchers/BUILD), or with a Python that has torch:
    python3 tests/launchers/kills_test.py --tools bazel-bin/tools --torch_python .venv/bin/python3 --kills=50 [--seed=N]
results.txt holds the output of that command.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import launched
import marked_processes
import tool_case

SIGNALS = [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM]
torch_python = ""


class KillsTest(launched.LaunchedCase):
    kills = 8  # kills of all four tests together
    seed = 0
    timeout_seconds = 6
    has_token = False

    # --- processes ---

    def command(self, ranks):
        return self.flags(f"--ranks={ranks}", "--repeats=12", "--resume", "--deterministic")

    def start(self, ranks, torchrun):
        command = [self.scale_run, *self.command(ranks)]
        if torchrun:
            command = [torch_python, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}", "--no-python",
                       *command]
        return self.spawn(command)

    def role(self, pid):
        """Returns "rank", "leader" or "agent"; None for torchrun's own process, or a process that has ended."""
        try:
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            name = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
        except OSError:
            return None
        if not name.endswith(b"scale_run"):
            return None
        if b"\0LOCKSTEP_RANK_TASK=" in b"\0" + environment:
            return "rank"
        return "agent" if b"\0RANK=" in b"\0" + environment and b"\0RANK=0\0" not in b"\0" + environment else "leader"

    @staticmethod
    def parent(pid):
        try:
            return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            return 0  # it has ended

    def of_role(self):
        found = {}
        for pid in marked_processes.marked_processes(self.mark):
            found.setdefault(self.role(pid), []).append(pid)
        found.pop(None, None)
        return found

    # --- one kill ---

    def hit(self, moments, process, seconds):
        """Signals one process at a random moment. Returns its role and signal, or None if the run was over before.

        The moment is relative to the start of scale_run, because torchrun's own start may take longer than the whole
        run.
        """
        self.wait_for(lambda: self.of_role() or process.poll() is not None, "scale_run's start")
        time.sleep(moments.uniform(0, seconds))
        roles, number = self.of_role(), moments.choice(SIGNALS)
        if process.poll() is not None or not roles:
            return None
        role = moments.choice(sorted(roles))
        pid = moments.choice(sorted(roles[role]))
        return (role, pid, number) if marked_processes.send_signal(pid, number) else None

    def settle(self, role, pid, number, torchrun, seconds):
        """Returns the seconds until all were gone, except a stopped victim, its own rank, which no other process ends,
        and torchrun.

        Ranks that start later begin to wait for a stopped one once they run: within an undisturbed run's time.
        """
        begin = time.monotonic()
        if number == signal.SIGSTOP and role == "leader" and not torchrun:
            time.sleep(1)  # like Ctrl-Z and fg: not a fault
            os.kill(pid, signal.SIGCONT)
            return None
        others = lambda: [f"{role} {p}" for role, pids in self.of_role().items() for p in pids
                          if p != pid and not (number == signal.SIGSTOP and self.parent(p) == pid)]
        try:
            self.wait_for(lambda: not others(), f"after {number.name} to a {role}: the end of the others",
                          self.timeout_seconds + 5 + seconds)
        except AssertionError as error:
            raise AssertionError(f"{error}; left: {others()}; the victim was {pid}")
        took = time.monotonic() - begin
        if number == signal.SIGSTOP and self.role(pid) is not None:
            marked_processes.send_signal(pid, signal.SIGKILL)
        return took

    def result(self):
        """Returns the record without values that differ between runs, and whether a point was resumed in its middle."""
        records = json.loads(self.record(self.folder / "out.rec"))["record"]
        went_on = any(record.get("point", {}).get("resumed_epoch") for record in records)
        return launched.result_of(records), went_on

    @staticmethod
    def trained(records):
        """Returns the part of each point that does not depend on the resume: other counts and checks are of the last
        run."""
        return [{key: record["point"][key] for key in ("ranks", "reduction", "outcome", "epoch", "weights_sha256")}
                for record in records if "point" in record]

    def check_journal(self):
        journal = self.folder / "out.rec.part"
        return self.record(journal).count('"global_batch"') if journal.exists() and journal.stat().st_size > 0 else 0

    def kill_and_run_again(self, ranks, torchrun, moments, seconds, whole):
        """Returns a row of the table; None if the run was over before the kill."""
        (self.folder / "out.rec").unlink(missing_ok=True)
        process = self.start(ranks, torchrun)
        hit = self.hit(moments, process, seconds)
        took = self.settle(*hit, torchrun, seconds) if hit is not None else None
        (code,), logs = self.ends([process], 90)
        self.assertEqual(marked_processes.end_orphans(self.mark, 2), 0, logs)
        finished = (self.folder / "out.rec").exists()
        points = 2 if finished else self.check_journal()
        codes, again = self.ends([self.start(ranks, torchrun)])
        self.assertEqual(codes, [0], again)
        found, went_on = self.result()
        self.assertEqual(self.trained(found), self.trained(whole), logs + again)
        self.assertTrue(went_on or found == whole, logs + again)
        if hit is None:
            return None
        if took is not None and not finished:
            self.assertNotEqual(code, 0, f"{hit}: {logs}")
        role, _, number = hit
        return f"{role:6} {number.name:7} exit {code:3} {'-' if took is None else f'{took:.1f}':>5} s  {points} of 2 points kept" \
            + (", one went on" if went_on else "")

    # --- many ---

    def many(self, ranks, torchrun):
        if torchrun and not torch_python:
            self.skipTest("no Python that has torch; --torch_python names one")
        name = f"{'torchrun' if torchrun else 'own spawn'}, {ranks} ranks"
        moments = random.Random(f"{self.seed} {name}")
        process = self.start(ranks, torchrun)
        self.wait_for(self.of_role, "scale_run's start")
        begin = time.monotonic()
        self.wait_for(lambda: not self.of_role(), "an undisturbed run's end")
        seconds = time.monotonic() - begin
        self.assertEqual(self.ends([process])[0], [0])
        whole, _ = self.result()
        print(f"{name}: --seed={self.seed}; undisturbed {seconds:.1f} s", flush=True)
        wanted = -(-self.kills // 4)
        done = rounds = 0
        while done < wanted:
            self.assertLess(rounds, 20 * wanted, "it is quicker than its kills")
            row = self.kill_and_run_again(ranks, torchrun, moments, seconds, whole)
            rounds += 1
            if row is not None:
                done += 1
                print(f"  {done:3} {row}", flush=True)
        self.add_measured(f"{done} kills in {rounds} rounds, --timeout={self.timeout_seconds}s")

    def test_two_ranks(self):
        self.many(2, torchrun=False)

    def test_four_ranks(self):
        self.many(4, torchrun=False)

    def test_two_ranks_of_torchrun(self):
        self.many(2, torchrun=True)

    def test_four_ranks_of_torchrun(self):
        self.many(4, torchrun=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--torch_python", default="")
    parser.add_argument("--kills", type=int, default=KillsTest.kills)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given, sys.argv[1:] = parser.parse_known_args()
    torch_python, KillsTest.kills, KillsTest.seed = given.torch_python, given.kills, given.seed
    tool_case.run_tests(__doc__)
