"""Tests scale_run started once per rank: by torchrun, by Open MPI, and manually with the variables that torchrun sets.

Launchers that are not installed are skipped by name. slurm.py and two_hosts.py need root.
Run by bazel (tests/launchers/BUILD), or one case directly, with a Python that has torch:
    python3 tests/launchers/launchers_test.py --tools bazel-bin/tools --torch_python .venv/bin/python3 \
        TorchrunTest.test_the_record_of_a_run_by_itself
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import launched
import marked_processes
import tool_case

torch_python = ""


class ByHandTest(launched.LaunchedCase):
    """Two processes with RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT."""

    def test_the_record_of_a_run_by_itself(self):
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)
        codes, logs = self.ends(self.world(2, *self.flags("--ranks=1,2")))
        self.assertEqual(codes, [0, 0], logs)
        self.assertIn("scale_run: torchrun: 2 ranks on ", logs[0])
        self.assertEqual(logs[1], "")
        self.same_records("own.rec", "out.rec")
        # A result that a world made counts as cached for a world and for a run without a launcher.
        codes, logs = self.ends(self.world(2, *self.flags("--ranks=1,2")))
        self.assertEqual((codes, "".join(logs).count("cached")), ([0, 0], 1), logs)
        self.assertIn("cached", self.call("scale_run", *self.flags("--ranks=1,2"), check=True).stderr.decode())

    def test_fewer_ranks_than_the_world(self):
        codes, logs = self.ends(self.world(3, *self.flags("--ranks=2,1")))
        self.assertEqual(codes, [0, 0, 0], logs)
        self.assertEqual([p["point"]["ranks"] for p in json.loads(self.record(self.folder / "out.rec"))["record"]
                          if "point" in p], [2, 2, 1, 1])

    def refused(self, processes, code, *messages):
        """All processes must end with this code, and one line must state the reason."""
        codes, logs = self.ends(processes)
        self.assertEqual(codes, [code] * len(processes), logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        for text in messages:
            self.assertIn(text, self.errors(logs)[0])
        self.assertFalse((self.folder / "out.rec").exists())

    def test_a_line_of_all_processes_is_printed_once(self):
        self.refused(self.world(2, *self.flags("--ranks=3")), 2, "--ranks needs 3 ranks", "torchrun started 2")
        self.refused(self.world(2, *self.flags("--rank=1")), 2, "unknown flag --rank")
        self.refused(self.world(2, *self.flags("--batch_size=1000")), 2, "--batch_size")
        self.refused(self.world(2, *self.flags("--input=-")), 2, "--input=-")
        self.refused(self.world(2, *self.flags("--input=none.rec")), 3, "none.rec")

    def test_an_environment_that_cannot_be_is_refused(self):
        for variables, message in (({"RANK": "0"}, "WORLD_SIZE"),
                                   ({"RANK": "0", "WORLD_SIZE": "2"}, "LOCAL_RANK"),
                                   ({"RANK": "2", "WORLD_SIZE": "2", "LOCAL_RANK": "0"}, "RANK is 2"),
                                   ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "1"},
                                    "LOCAL_RANK is 1"),
                                   ({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"}, "MASTER_ADDR"),
                                   ({"OMPI_COMM_WORLD_RANK": "0"}, "OMPI_COMM_WORLD_SIZE"),
                                   ({"SLURM_STEP_ID": "0", "SLURM_PROCID": "0"}, "SLURM_LOCALID")):
            with self.subTest(variables):
                result = self.call("scale_run", *self.flags(), env=variables)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(message, result.stderr.decode())
                self.assertIn("error:", result.stderr.decode())
        # A batch script is not a launch, and variables of a launcher that is not selected are ignored.
        for variables, flag in (({"SLURM_JOB_ID": "1", "SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, "--launcher=auto"),
                                ({"RANK": "0"}, "--launcher=none")):
            self.call("scale_run", *self.flags("--ranks=1", "--force", flag), env=variables, check=True)

    def test_a_secret_is_wanted(self):
        variables = {"RANK": "0", "WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "2"}
        for token, message in ((None, "LOCKSTEP_TOKEN is not set"), ("", "at least 16 characters"),
                               ("guess", "at least 16 characters")):
            with self.subTest(token), unittest.mock.patch.dict(os.environ, {"LOCKSTEP_TOKEN": token or ""}):
                if token is None:
                    del os.environ["LOCKSTEP_TOKEN"]
                self.refused([self.spawn([self.scale_run, *self.flags("--ranks=2")], **variables)], 2, message,
                             "export LOCKSTEP_TOKEN=$(openssl rand -hex 32)")
        with unittest.mock.patch.dict(os.environ):  # a world of one process needs no proof
            del os.environ["LOCKSTEP_TOKEN"]
            self.assertEqual(self.ends(self.world(1, *self.flags("--ranks=1")))[0], [0])

    def test_a_rank_that_does_not_come_is_named(self):
        self.timeout_seconds = 8
        processes = [self.by_hand(rank, 3, port, *self.flags("--ranks=3")) for port in [launched.free_port()] for rank in (0, 2)]
        codes, logs = self.ends(processes, 30)
        self.assertEqual(codes, [5, 5], logs)
        self.assertIn("rank 1 did not connect", logs[0])

    # --- stops ---

    def stopped(self, rank, number, code):
        """A stop of one process must end both with its code; the same command must resume after the complete points."""
        command = self.flags("--ranks=1,2", "--repeats=100")
        processes = self.world(2, *command)
        self.wait_for_point(2)
        processes[rank].send_signal(number)
        codes, logs = self.ends(processes, 15)
        self.assertEqual(codes, [code, code], logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        self.assertIn("stopped by " + number.name, logs[0])
        self.assertFalse((self.folder / "out.rec").exists())
        processes = self.world(2, *command)
        self.wait_for(lambda: marked_processes.marked_processes(self.mark, "--rank=1"), "a rank 1")
        processes[0].send_signal(signal.SIGTERM)
        self.assertIn("resumes after 3 records", self.ends(processes, 15)[1][0])

    def test_sigterm_to_the_leader(self):
        self.stopped(0, signal.SIGTERM, 143)

    def test_sigterm_to_an_agent(self):
        self.stopped(1, signal.SIGTERM, 143)

    def test_sigint_to_an_agent(self):
        self.stopped(1, signal.SIGINT, 130)

    def test_sigterm_to_every_process_at_once(self):
        # Slurm does this at its time limit. Processes that get the signal first may end the others before their signal
        # arrives.
        for ranks_first in (False, True):
            with self.subTest(ranks_first=ranks_first):
                processes = self.world(2, *self.flags("--ranks=2", "--repeats=100000"))
                self.wait_for(lambda: len(marked_processes.marked_processes(self.mark, "--rank=")) == 2, "two ranks")
                for pid in sorted(marked_processes.marked_processes(self.mark), reverse=ranks_first):
                    marked_processes.send_signal(pid, signal.SIGTERM)
                codes, logs = self.ends(processes, 15)
                self.assertEqual(codes, [143, 143], logs)

    # --- losses ---

    def lost(self, world, rank, number, *messages):
        """After the signal to one rank's process the others must end with 5, in time, and one names the lost rank."""
        self.timeout_seconds = 8
        processes = self.world(world, *self.flags(f"--ranks={world}", "--repeats=100000"))
        self.wait_for(lambda: len(marked_processes.marked_processes(self.mark, "--rank=")) == world, "all ranks")
        start = time.monotonic()
        processes[rank].send_signal(number)
        others = processes[:rank] + processes[rank + 1:]
        codes, logs = self.ends(others, 60)
        took = time.monotonic() - start
        self.add_measured(f"all gone after {took:.1f} s, --timeout={self.timeout_seconds}s")
        processes[rank].kill()
        self.ends(processes[rank:rank + 1])
        self.assertEqual(codes, [5] * len(others), logs)
        self.assertLess(took, self.timeout_seconds + 5)
        for text in messages:
            self.assertIn(text, " ".join(self.errors(logs)))
        return logs

    def test_an_agent_that_is_killed_is_named(self):
        logs = self.lost(3, 1, signal.SIGKILL, "rank 1 of 3 on ", "closed")
        self.assertEqual(len(self.errors(logs)), 1, logs)

    def test_an_agent_that_hangs_is_named(self):
        logs = self.lost(3, 1, signal.SIGSTOP, "rank 1 of 3 on ", "no message for 8s")
        self.assertEqual(len(self.errors(logs)), 1, logs)

    def test_a_leader_that_is_killed_is_named(self):
        self.lost(3, 0, signal.SIGKILL, "rank 1 of 3 on ", "rank 2 of 3 on ", "rank 0, the leader, is lost")

    def test_a_leader_that_hangs_is_named(self):
        self.lost(2, 0, signal.SIGSTOP, "rank 0, the leader, is lost", "no message for 8s")

    def test_a_rank_that_is_killed_is_named_with_its_host(self):
        processes = self.world(2, *self.flags("--ranks=2"), LOCKSTEP_TEST_DIE_AT="1:3")
        codes, logs = self.ends(processes, 60)
        self.assertEqual(codes, [5, 5], logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        self.assertIn(f"rank 1 of 2 on {os.uname().nodename} was killed by signal 9", logs[0])

    def test_each_failing_process_leaves_its_error_for_torchrun(self):
        port = launched.free_port()
        processes = [self.by_hand(rank, 2, port, *self.flags("--ranks=2"), LOCKSTEP_TEST_DIE_AT="1:3",
                                  TORCHELASTIC_ERROR_FILE=str(self.folder / f"error{rank}.json")) for rank in range(2)]
        self.ends(processes, 60)
        for rank in range(2):
            error = json.loads((self.folder / f"error{rank}.json").read_text())["message"]
            self.assertIn("rank 1 of 2", error["message"])
            self.assertLess(abs(int(error["extraInfo"]["timestamp"]) - time.time()), 600)

    def test_virtual_hosts_share_memory_within_hosts(self):
        codes, logs = self.ends(self.world(4, *self.flags("--ranks=1,4"), LOCKSTEP_HOST_OF_RANK="0,0,1,1"))
        self.assertEqual(codes, [0] * 4, logs)
        self.assertIn("warning: 2 virtual hosts of 2 ranks (LOCKSTEP_HOST_OF_RANK) on one machine", logs[0])
        records = json.loads(self.record(self.folder / "out.rec"))["record"]
        points = [record["point"] for record in records if "point" in record]
        self.assertEqual({point["communicator"] for point in points if point["ranks"] == 4}, {"hierarchical"})
        two = self.flags("--ranks=2", output="other.rec")
        codes, logs = self.ends(self.world(2, *two, LOCKSTEP_HOST_OF_RANK="0,0,1"))
        self.assertEqual(codes, [2, 2], logs)
        self.assertIn("LOCKSTEP_HOST_OF_RANK has 3 numbers, expected one for each of 2 ranks", logs[0])

    def test_an_interface_is_chosen_or_refused(self):
        codes, logs = self.ends(self.world(2, *self.flags("--ranks=2", "--interface=lo")))
        self.assertEqual(codes, [0, 0], logs)
        result = self.call("scale_run", *self.flags("--ranks=2", "--interface=none0"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("--interface=none0", result.stderr.decode())


class TorchrunTest(launched.LaunchedCase):
    has_token = False

    def torchrun(self, *flags, ranks=2, options=()):
        if not torch_python:
            self.skipTest("no Python that has torch; --torch_python names one")
        return subprocess.run([torch_python, "-m", "torch.distributed.run", f"--nproc-per-node={ranks}", "--no-python",
                               *options, self.scale_run, *flags], capture_output=True, text=True, timeout=240)

    def test_the_record_of_a_run_by_itself(self):
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)
        for options in [(), ("--standalone",)]:
            result = self.torchrun(*self.flags("--ranks=1,2", "--force"), options=options)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("scale_run: torchrun: 2 ranks on ", result.stderr)
            self.same_records("own.rec", "out.rec")

    def test_two_agents_on_one_host_are_refused(self):
        if not torch_python:
            self.skipTest("no Python that has torch; --torch_python names one")
        endpoint = f"--rdzv-endpoint=127.0.0.1:{launched.free_port()}"
        agents = [self.spawn([torch_python, "-m", "torch.distributed.run", "--nnodes=2", f"--node-rank={node}",
                              "--nproc-per-node=1", "--rdzv-backend=c10d", "--rdzv-id=two", endpoint, "--no-python",
                              self.scale_run, *self.flags("--ranks=1,2")]) for node in range(2)]
        codes, logs = self.ends(agents)
        self.assertNotIn(0, codes, logs)
        error = [line for line in self.errors(logs) if line.startswith("scale_run: error:")]
        self.assertEqual(len(error), 1, logs)
        for text in ("both have LOCAL_RANK 0", "one agent per host", "--nproc-per-node=2"):
            self.assertIn(text, error[0])
        self.assertFalse((self.folder / "out.rec").exists())

    def test_torchrun_shows_the_first_error(self):
        os.environ["LOCKSTEP_TEST_DIE_AT"] = "1:3"
        self.addCleanup(os.environ.pop, "LOCKSTEP_TEST_DIE_AT")
        result = self.torchrun(*self.flags("--ranks=2"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("exitcode  : 5", result.stderr)
        root_cause = result.stderr[result.stderr.index("Root Cause"):]
        self.assertIn("was killed by signal 9", root_cause)

    def test_a_process_that_is_killed_ends_all(self):
        process = subprocess.Popen([torch_python or sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2",
                                    "--no-python", self.scale_run, *self.flags("--ranks=2", "--repeats=100000")],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) if torch_python else None
        if process is None:
            self.skipTest("no Python that has torch; --torch_python names one")
        self.wait_for(lambda: len(marked_processes.marked_processes(self.mark, "--rank=")) == 2, "two ranks")
        agent = [pid for pid in marked_processes.marked_processes(self.mark)
                 if b"\0RANK=1\0" in pathlib.Path(f"/proc/{pid}/environ").read_bytes()
                 and b"LOCKSTEP_RANK_TASK" not in pathlib.Path(f"/proc/{pid}/environ").read_bytes()]
        os.kill(agent[0], signal.SIGKILL)
        codes, logs = self.ends([process], self.timeout_seconds + 5)
        self.assertNotEqual(codes, [0])
        self.assertIn("rank 1 of 2 on ", " ".join(self.errors(logs)))


class OpenMpiTest(launched.LaunchedCase):
    def test_the_record_of_a_run_by_itself(self):
        if shutil.which("mpirun") is None:
            self.skipTest("no mpirun; third_party/install.sh installs it")
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        result = subprocess.run(["mpirun", "-np", "2", "-x", "LOCKSTEP_TOKEN", "--oversubscribe", "--bind-to", "none", self.scale_run,
                                 *self.flags("--ranks=1,2")], env=environment, capture_output=True, text=True, timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("scale_run: openmpi: 2 ranks on ", result.stderr)
        self.same_records("own.rec", "out.rec")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--torch_python", default="")
    given, sys.argv[1:] = parser.parse_known_args()
    torch_python = given.torch_python
    tool_case.run_tests(__doc__)
