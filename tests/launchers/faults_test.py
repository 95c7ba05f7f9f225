"""Tests faults of scale_run's ranks on the CPU: killed, stopped, out of memory, cut off, or unlike the others.

After every fault, all processes must be gone within --timeout + 5 s, one line must name the rank, its host and the
reason, and the same command must resume after the points that were complete. Prints a line per case, with its seconds.
Run by bazel (tests/launchers/BUILD), or one case directly:
    python3 tests/launchers/faults_test.py --tools bazel-bin/tools UnlikeTest.test_another_seed
"""

import json
import os
import pathlib
import shutil
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cable
import launched
import marked_processes
import tool_case

HOST = os.uname().nodename


class FaultsCase(launched.LaunchedCase):
    timeout_seconds = 8
    whole = None  # content of an undisturbed run's record
    repeats = "--repeats=100"  # many, so that most of a point is training

    def command(self, *more):
        return self.flags("--ranks=1,2", self.repeats, *more)

    def own_spawn(self):
        return [self.spawn([self.scale_run, *self.command()])]

    def two_processes(self):
        return self.world(2, *self.command())

    def two_hosts(self, ranks_per_host=1):
        """Starts the ranks of both hosts. A point has one rank or all."""
        port, ranks = launched.free_port(), 2 * ranks_per_host
        command = [self.scale_run, *self.command(f"--ranks=1,{ranks}")]
        return [self.spawn(self.cable.command(rank // ranks_per_host, command), RANK=str(rank), WORLD_SIZE=str(ranks),
                           LOCAL_RANK=str(rank % ranks_per_host), LOCAL_WORLD_SIZE=str(ranks_per_host),
                           MASTER_ADDR=cable.ADDRESSES[0], MASTER_PORT=str(port)) for rank in range(ranks)]

    def into_training(self, ranks=2):
        """Waits until that many ranks are in the middle of a point.

        Loading LibTorch takes a fifth of the processor time of a point on one rank. Each of two ranks has half of
        its images, so 0.4 of that time falls into their training, however busy the machine is; for four ranks 0.3.
        """
        journal, size, points, alone = self.folder / "out.rec.part", 0, 0, 0

        def two_points():
            nonlocal size, points, alone
            alone = max([alone, *map(marked_processes.processor_seconds, self.ranks(0))])
            # printing the journal takes longer than checking its size
            if journal.exists() and journal.stat().st_size != size:
                size, points = journal.stat().st_size, self.points(journal)
            return points >= 2

        self.wait_for(two_points, "two points")
        self.wait_for(lambda: self.ranks(1), "a rank 1")
        rank = self.ranks(1)
        enough = (0.2 + 0.4 / ranks) * alone
        self.wait_for(lambda: self.ranks(1) != rank or marked_processes.processor_seconds(rank[0]) > enough, "training",
                      every=0.02)
        self.assertEqual(self.ranks(1), rank, "the point was over before the fault")

    def ranks(self, rank):
        return marked_processes.marked_processes(self.mark, f"--rank={rank}")

    def points(self, path):
        return self.record(path).count('"global_batch"')

    def in_time(self, once):
        """Returns true if all were gone --timeout + 5 s after the fault. One retry is allowed, because a machine may
        stall."""
        took = [once()]
        if took[0] >= self.timeout_seconds + 5:
            (self.folder / "out.rec").unlink(missing_ok=True)
            took.append(once())
        self.assertLess(took[-1], self.timeout_seconds + 5, took)
        self.add_measured(f"all gone after {', '.join(f'{t:.1f}' for t in took)} s, --timeout={self.timeout_seconds}s")

    def all_gone(self, processes, begin, *messages):
        """Returns the seconds until all were gone. Checks for code 5 and one line, and that the record is whole."""
        codes, logs = self.ends(processes, 120)
        self.assertEqual(marked_processes.end_orphans(self.mark, 0), 0, logs)
        took = time.monotonic() - begin
        self.assertEqual(codes, [5] * len(codes), logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        for text in messages:
            self.assertIn(text, self.errors(logs)[0])
        return took

    def resumes(self, start):
        """Repeats the command: it must keep the complete points, and end with the record of an undisturbed run."""
        kept = self.points(self.folder / "out.rec.part")
        self.assertGreaterEqual(kept, 2)  # the points of one rank
        codes, logs = self.ends(start())
        self.assertEqual(codes, [0] * len(codes), logs)
        self.assertIn(f"resumes after {1 + kept} records", logs[0])
        if FaultsCase.whole is None:
            FaultsCase.whole = self.folder.parent / f"whole-{os.getpid()}.rec"
            self.call("scale_run", *self.command(f"--output={FaultsCase.whole}"), check=True)
            FaultsCase.whole = json.loads(self.record(FaultsCase.whole))
        self.assertEqual(launched.result_of(json.loads(self.record(self.folder / "out.rec"))), launched.result_of(FaultsCase.whole))


class RankTest(FaultsCase):
    """Faults of rank 1 in the middle of training."""

    def befalls(self, start, number, *messages):
        def once():
            processes = start()
            self.into_training()
            begin = time.monotonic()
            os.kill(self.ranks(1)[0], number)
            took = self.all_gone(processes, begin, *messages)
            self.resumes(start)
            return took
        self.in_time(once)
        self.add_measured(messages[0])

    def test_killed(self):
        self.befalls(self.own_spawn, signal.SIGKILL, "rank 1 of 2 was killed by signal 9")

    def test_stopped(self):
        self.befalls(self.own_spawn, signal.SIGSTOP, "rank 1 of 2 did not answer the other ranks for 8s")

    def test_terminated(self):
        self.befalls(self.own_spawn, signal.SIGTERM, "rank 1 of 2 was stopped by SIGTERM, which another process sent")

    def test_killed_in_a_world(self):
        self.befalls(self.two_processes, signal.SIGKILL, f"rank 1 of 2 on {HOST} was killed by signal 9")

    def test_stopped_in_a_world(self):
        self.befalls(self.two_processes, signal.SIGSTOP, f"rank 1 of 2 on {HOST} did not answer the other ranks for 8s")

    def test_out_of_memory(self):
        """One of two processes may map little more than small batches need. The failure is a point's outcome; the next
        point fits."""
        images = self.folder / "images.rec"
        self.call("cifar_prep", "--input_format=synthetic", "--train_images=8000", "--test_images=10", f"--output={images}",
                  check=True)
        flags = lambda batch: self.flags("--ranks=2", "--repeats=1", "--noevaluate", "--noaugment", batch, f"--input={images}", "--force")
        small = self.world(2, *flags("--batch_size=100"))
        peak_kib = 0
        while any(process.poll() is None for process in small):
            for pid in self.ranks(1):
                peak_kib = max(peak_kib, self.peak_kib(pid))
            time.sleep(0.02)
        self.assertEqual(self.ends(small)[0], [0, 0])
        # A batch of 4,000 needs 75 MB for its first convolution alone, the same for its gradient, and 49 MB per input.
        limited = ["-c", f'ulimit -v {peak_kib + (96 << 10)} && exec "$0" "$@"', self.scale_run]
        port, begin = launched.free_port(), time.monotonic()
        processes = [self.by_hand(0, 2, port, *flags("--batch_size=4000,100")),
                     self.by_hand(1, 2, port, *limited, *flags("--batch_size=4000,100"), program="/bin/sh")]
        codes, logs = self.ends(processes)
        self.assertEqual(codes, [0, 0], logs)
        reports = [line for line in logs[0].splitlines() if "out of memory" in line]
        self.assertEqual(len(reports), 2, logs)
        self.assertIn(f"rank 1 of 2 on {HOST}: ", reports[0])
        outcomes = [record["point"]["outcome"] for record in json.loads(self.record(self.folder / "out.rec"))["record"]
                    if "point" in record]
        self.assertEqual(outcomes, ["OUT_OF_MEMORY"] * 2 + ["COMPLETED"] * 2)
        self.add_measured(f"four points in {time.monotonic() - begin:.1f} s: {reports[0]}")

    @staticmethod
    def peak_kib(pid):
        try:
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmPeak:"))
        except (OSError, StopIteration):
            return 0  # it has ended


class LinkTest(FaultsCase):
    """Two hosts with a cable between them."""

    def setUp(self):
        super().setUp()
        try:
            self.cable = cable.Cable({name: value for name, value in os.environ.items() if name != marked_processes.VARIABLE})
        except cable.NoCable as reason:
            self.skipTest(str(reason))
        self.addCleanup(self.cable.close)

    def test_the_link_goes_down(self):
        self.in_time(lambda: self.cut(1, "gloo"))

    def test_the_link_between_hosts_of_two_ranks_goes_down(self):
        self.in_time(lambda: self.cut(2, "hierarchical"))

    def cut(self, ranks_per_host, communicator):
        ranks = 2 * ranks_per_host
        processes = self.two_hosts(ranks_per_host)
        self.into_training(ranks)
        begin = time.monotonic()
        self.cable.set_link("down")
        # Neither side receives data: the leader names the second host, and the second process names the leader.
        codes, logs = self.ends(processes, 120)
        took = time.monotonic() - begin
        self.assertEqual(marked_processes.marked_processes(self.mark), [])
        self.assertEqual(codes, [5] * ranks, logs)
        far = f"rank [{ranks_per_host}-{ranks - 1}] of {ranks} on host-b"
        self.assertRegex(" ".join(self.errors(logs[:1])), far)
        self.assertRegex(" ".join(self.errors(logs[1:])), f"{far}: rank 0, the leader, is lost")
        self.add_measured(self.errors(logs)[0])
        self.cable.set_link("up")
        codes, logs = self.ends(self.two_hosts(ranks_per_host))
        self.assertEqual(codes, [0] * ranks, logs)
        self.assertRegex(logs[0], "resumes after [34] records")
        records = json.loads(self.record(self.folder / "out.rec"))["record"]
        points = [record["point"] for record in records if "point" in record]
        self.assertEqual({point["communicator"] for point in points if point["ranks"] == ranks}, {communicator})
        return took


class UnlikeTest(FaultsCase):
    """Two processes that would not train the same way."""

    def unlike(self, flags_of_rank, *messages, matches="expected", programs=None):
        """One of the processes differs: all must end with 5 in time, one line must name it and the difference, and
        write nothing."""
        port, begin = launched.free_port(), time.monotonic()
        processes = [self.by_hand(rank, len(flags_of_rank), port, *flags, program=(programs or {}).get(rank))
                     for rank, flags in enumerate(flags_of_rank)]
        codes, logs = self.ends(processes, self.timeout_seconds + 5)
        self.add_measured(f"all gone after {time.monotonic() - begin:.1f} s")
        self.assertEqual(codes, [5] * len(codes), logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        for text in (f"rank 1 on {os.uname().nodename} differs from rank 0", *messages):
            self.assertIn(text, self.errors(logs)[0])
        self.assertRegex(self.errors(logs)[0], matches)
        self.assertEqual([path.name for path in self.folder.glob("out.rec*")], [])
        self.assertEqual(marked_processes.marked_processes(self.mark), [])

    def test_another_seed(self):
        self.unlike([self.flags("--ranks=3"), self.flags("--ranks=3", "--seed=1"), self.flags("--ranks=3")],
                    "expected --seed 0 (its default), found 1;")

    def test_another_flag(self):
        self.unlike([self.flags("--ranks=2"), self.flags("--ranks=2", "--learning_rate=0.2", "--noaugment")],
                    "expected --augment true (its default), found false (other values of --learning_rate, too);")

    def test_other_virtual_hosts(self):
        port = launched.free_port()
        codes, logs = self.ends([self.by_hand(rank, 2, port, *self.flags("--ranks=2"), LOCKSTEP_HOST_OF_RANK=hosts)
                                 for rank, hosts in enumerate(["0,1", "0,0"])])
        self.assertEqual(codes, [5, 5], logs)
        self.assertIn("expected LOCKSTEP_HOST_OF_RANK 0,1, found 0,0;", self.errors(logs)[0])

    def other_images(self):
        other = self.folder / "other.rec"
        self.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40", "--seed=1",
                  f"--output={other}", check=True)
        return other

    def test_another_data_set(self):
        self.unlike([self.flags("--ranks=2"), [*self.flags("--ranks=2"), f"--input={self.other_images()}"]],
                    "expected a data set with SHA-256 ", matches="SHA-256 ([0-9a-f]{64}), found (?!\\1)[0-9a-f]{64};")
        self.unlike([self.flags("--ranks=2"), [*self.flags("--ranks=2"), "--input=none.rec"]],
                    "expected a data set with SHA-256 ", "found none: none.rec")

    def test_another_file_with_the_same_images_is_the_same_data_set(self):
        other = self.folder / "other.rec"
        self.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40", f"--output={other}", check=True)
        self.assertNotEqual(other.read_bytes(), self.dataset.read_bytes())
        port = launched.free_port()
        codes, logs = self.ends([self.by_hand(rank, 2, port, *self.flags("--ranks=2"), f"--input={path}")
                                 for rank, path in enumerate([self.dataset, other])])
        self.assertEqual(codes, [0, 0], logs)

    def test_another_program(self):
        """The same tool with one byte appended."""
        other = self.folder / "tools"
        (other / "libexec").mkdir(parents=True)
        shutil.copy(self.tools / "scale_run", other)
        shutil.copy(self.tools / "libexec/scale_run", other / "libexec")
        (other / "libexec/scale_run").chmod(0o755)
        with open(other / "libexec/scale_run", "ab") as program:
            program.write(b"x")
        self.unlike([self.flags("--ranks=2")] * 2, "expected the program with SHA-256 ", "found ",
                    programs={1: str(other / "scale_run")})


if __name__ == "__main__":
    tool_case.run_tests(__doc__)
