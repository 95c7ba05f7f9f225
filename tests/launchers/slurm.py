"""Tests scale_run in steps of a real Slurm: its own slurmctld, slurmd and munge, in a temporary folder. One node on the
loopback device, then two nodes, each in a network namespace (two_hosts.py).

Started manually, as root, with slurmctld, slurmd, slurm-client and munge installed (5 s with apt-get); three minutes:
    python3 tests/launchers/slurm.py --tools bazel-bin/tools [--torch_python .venv/bin/python3]
results.txt holds its output.
"""

import argparse
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import launched
import marked_processes
import tool_case
import two_hosts

PROGRAMS = ["munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "sinfo"]
CPUS = 4  # number that the node reports, whatever the machine has

CONFIGURATION = """
ClusterName=lockstep
SlurmctldHost={nodes[0][0]}({nodes[0][1]})
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
KillWait=10
ReturnToService=2
SlurmdParameters=config_overrides
{node_lines}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

torch_python = ""


def check_machine():
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent or os.geteuid() != 0:
        raise unittest.SkipTest(f"needs root, and lacks: {' '.join(absent) or 'nothing'}")


class Slurm:
    """A controller and its nodes, (name, address) each, until `stop`. `on_node` returns the command that runs on a
    node."""

    def __init__(self, nodes, on_node=lambda node, command: command):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))
        self.folder.chmod(0o755)
        for name in ("munge", "state", *(f"spool.{name}" for name, _ in nodes)):
            (self.folder / name).mkdir(mode=0o700)
        key = self.folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        munge = self.folder / "munge"
        subprocess.run(["munged", "--force", f"--key-file={key}", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                        f"--log-file={munge}/log", f"--seed-file={munge}/seed"], check=True)
        configuration = self.folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            nodes=nodes, folder=self.folder, controller_port=launched.free_port(), node_port=launched.free_port(),
            node_lines="\n".join(f"NodeName={name} NodeAddr={address} CPUs={CPUS} State=UNKNOWN" for name, address in nodes)))
        os.environ["SLURM_CONF"] = str(configuration)
        try:
            self.start(nodes, on_node)
        except BaseException:
            self.stop()
            raise

    def start(self, nodes, on_node):
        subprocess.run(on_node(0, ["slurmctld", "-c"]), check=True)
        for node in range(len(nodes)):
            subprocess.run(on_node(node, ["slurmd"]), check=True)
        for _ in range(300):
            states = subprocess.run(on_node(0, ["sinfo", "--Node", "--noheader"]), capture_output=True, text=True).stdout
            if states.count(" idle") == len(nodes):
                return
            time.sleep(0.1)
        raise AssertionError(states + (self.folder / "slurmctld.log").read_text())

    def stop(self):
        for path in [*self.folder.glob("*.pid"), self.folder / "munge" / "pid"]:
            os.kill(int(path.read_text()), signal.SIGTERM)
        time.sleep(1)
        shutil.rmtree(self.folder, ignore_errors=True)


class SlurmTest(launched.LaunchedCase):
    @classmethod
    def setUpClass(cls):
        check_machine()
        super().setUpClass()
        cls.slurm = Slurm([(socket.gethostname().split(".")[0], "127.0.0.1")])

    @classmethod
    def tearDownClass(cls):
        cls.slurm.stop()
        super().tearDownClass()

    def setUp(self):
        super().setUp()
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)

    def srun(self, *command, ranks=2, options=()):
        process = subprocess.Popen(["srun", f"--ntasks={ranks}", *options, *command], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def gives_the_same_record(self, launcher, *command, **options):
        codes, logs = self.ends([self.srun(*command, **options)])
        self.assertEqual(codes, [0], logs)
        self.assertEqual(logs[0].count(f"scale_run: {launcher}: 2 ranks on "), 1, logs)
        self.same_records("own.rec", "out.rec")

    def test_srun_gives_the_record_of_a_run_by_itself(self):
        self.gives_the_same_record("slurm", self.scale_run, *self.flags("--ranks=1,2"))

    def test_srun_with_pmi2(self):
        self.gives_the_same_record("pmi", self.scale_run, *self.flags("--ranks=1,2"), options=["--mpi=pmi2"])

    def test_torchrun_in_a_step_is_torchrun(self):
        if not torch_python:
            self.skipTest("--torch_python is not given")
        self.gives_the_same_record("torchrun", torch_python, "-m", "torch.distributed.run", "--nproc-per-node=2",
                                   "--no-python", self.scale_run, *self.flags("--ranks=1,2"), ranks=1)

    def test_a_batch_script_starts_its_ranks_itself(self):
        script = self.folder / "job.sh"
        script.write_text("#!/bin/sh\nexec " + " ".join([self.scale_run, *self.flags("--ranks=1,2")]) + "\n")
        log = self.folder / "job.log"
        subprocess.run(["sbatch", "--wait", "--ntasks=2", f"--output={log}", str(script)], check=True, capture_output=True)
        self.assertNotIn(": 2 ranks on ", log.read_text())
        self.same_records("own.rec", "out.rec")

    def running(self, *options):
        """Starts a step and waits until its second point runs."""
        process = self.srun(self.scale_run, *self.flags("--ranks=1,2", "--repeats=100", "--batch_size=5"),
                            options=options)
        self.wait_for_point(2)
        return process

    def stops_and_keeps(self, process, seconds):
        codes, logs = self.ends([process], seconds)
        self.assertEqual(codes, [143], logs)
        self.assertEqual(logs[0].count("scale_run: error: "), 1, logs)
        self.assertIn("stopped by SIGTERM", logs[0])
        self.assertGreaterEqual(self.record(self.folder / "out.rec.part").count('"global_batch"'), 2)

    def test_scancel_keeps_what_is_complete(self):
        process = self.running()
        subprocess.run(["scancel", "--name=scale_run"], check=True)
        self.stops_and_keeps(process, 20)

    def test_the_time_limit_keeps_what_is_complete(self):
        process = self.srun(self.scale_run, *self.flags("--ranks=1,2", "--repeats=100000", "--batch_size=5"), options=["--time=1"])
        self.wait_for(lambda: marked_processes.marked_processes(self.mark, "--rank=0"), "a rank")
        codes, logs = self.ends([process], 150)  # Slurm checks every 30 s
        self.assertEqual(codes, [143], logs)
        self.assertIn("stopped by SIGTERM", logs[0])

    def test_a_process_that_is_killed_is_named(self):
        process = self.running()
        agent = [pid for pid in marked_processes.marked_processes(self.mark)
                 if b"\0SLURM_PROCID=1\0" in (variables := pathlib.Path(f"/proc/{pid}/environ").read_bytes())
                 and b"LOCKSTEP_RANK_TASK" not in variables]
        start = time.monotonic()
        os.kill(agent[0], signal.SIGKILL)
        codes, logs = self.ends([process], self.timeout_seconds + 5)
        self.add_measured(f"all gone after {time.monotonic() - start:.1f} s")
        self.assertIn("rank 1 of 2 on ", " ".join(self.errors(logs)))

    def test_a_rank_that_dies_is_named(self):
        codes, logs = self.ends([self.srun(self.scale_run, *self.flags("--ranks=2"),
                                           options=["--export=ALL,LOCKSTEP_TEST_DIE_AT=1:3"])])
        self.assertEqual(codes, [5], logs)
        self.assertIn("rank 1 of 2 on ", " ".join(self.errors(logs)))


class TwoNodesTest(two_hosts.TwoHostsCase):
    @classmethod
    def setUpClass(cls):
        check_machine()
        super().setUpClass()
        cls.slurm = Slurm([(name, address) for _, name, address in two_hosts.HOSTS], two_hosts.on_host)

    @classmethod
    def tearDownClass(cls):
        cls.slurm.stop()
        super().tearDownClass()

    def srun(self, *arguments):
        return self.started(0, ["srun", *arguments])

    def test_srun_gives_the_record_of_a_run_by_itself(self):
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)
        codes, logs = self.ends([self.srun("--nodes=2", "--ntasks-per-node=1", self.scale_run,
                                           *self.flags("--ranks=1,2"))])
        self.assertEqual(codes, [0], logs)
        self.assertIn("scale_run: slurm: 2 ranks on host-a, host-b\n", logs[0])
        self.same_results("own.rec", "out.rec")

    def test_ranks_dealt_out_in_turn(self):
        codes, logs = self.ends([self.srun("--nodes=2", "--ntasks=4", "--distribution=cyclic", self.scale_run,
                                           *self.flags("--ranks=1,2,4", "--batch_size=5"))])
        self.assertEqual(codes, [0], logs)
        self.assertIn("scale_run: slurm: 4 ranks on host-a, host-b\n", logs[0])

    def test_scancel_keeps_what_is_complete(self):
        process = self.srun("--nodes=2", "--ntasks-per-node=1", self.scale_run, *self.flags("--ranks=1,2", "--repeats=100"))
        self.wait_for_point(2)
        subprocess.run(two_hosts.on_host(0, ["scancel", "--name=scale_run"]), check=True)
        codes, logs = self.ends([process], 20)
        self.assertEqual(codes, [143], logs)
        self.assertIn("stopped by SIGTERM", logs[0])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--torch_python", default="")
    given, sys.argv[1:] = parser.parse_known_args()
    torch_python = given.torch_python
    tool_case.run_tests(__doc__)
