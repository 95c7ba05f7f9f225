"""Tests scale_run on two hosts: two network namespaces with their own host names, and a cable (veth) between them.

Started manually, as root, with iproute2 and util-linux; takes a minute:
    python3 tests/launchers/two_hosts.py --tools bazel-bin/tools [--torch_python .venv/bin/python3]
results.txt holds its output.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import launched
import marked_processes
import tool_case

# Namespace, host name and address of each host; the device has the same name on both.
HOSTS = [("lockstep_a", "host-a", "10.87.0.1"), ("lockstep_b", "host-b", "10.87.0.2")]
DEVICE = "cable0"
PORT = 29777

torch_python = ""


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True)


def lay_cable():
    for namespace, _, _ in HOSTS:
        ip("netns", "add", namespace)
        ip("-n", namespace, "link", "set", "lo", "up")
    (first, _, _), (second, _, _) = HOSTS
    ip("link", "add", DEVICE, "netns", first, "type", "veth", "peer", "name", DEVICE, "netns", second)
    for namespace, _, address in HOSTS:
        ip("-n", namespace, "address", "add", f"{address}/24", "dev", DEVICE)
        ip("-n", namespace, "link", "set", DEVICE, "up")


def remove_hosts():
    for namespace, _, _ in HOSTS:
        ip("netns", "delete", namespace, check=False)


def on_host(host, command):
    """Returns the command for that host. Not `ip netns exec`, whose /sys lacks the control groups that slurmd needs."""
    namespace, name, _ = HOSTS[host]
    hosts = "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for _, name, address in HOSTS)
    enter = 'mount -t tmpfs tmpfs /mnt && printf %s "$1" >/mnt/hosts && mount --bind /mnt/hosts /etc/hosts && ' \
            'hostname "$0" && shift && exec "$@"'
    return ["nsenter", f"--net=/run/netns/{namespace}", "unshare", "--uts", "--mount", "sh", "-c", enter, name,
            hosts, *command]


class TwoHostsCase(launched.LaunchedCase):
    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0 or None in map(shutil.which, ("ip", "nsenter", "unshare")):
            raise unittest.SkipTest("needs root, ip, nsenter and unshare")
        remove_hosts()
        try:
            lay_cable()
        except subprocess.CalledProcessError as error:
            remove_hosts()
            raise unittest.SkipTest(f"the kernel allows no network namespaces: {error.stderr.strip()}")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        remove_hosts()

    def started(self, host, command, **variables):
        return self.spawn(on_host(host, command), **variables)

    def same_results(self, first, second):
        """Like same_records, except for the host, which is another one, and the key, which contains the other hosts'
        names."""
        more = {"name_sha256", "host"} - launched.run_fields.RUN_FIELDS
        launched.run_fields.RUN_FIELDS.update(more)
        try:
            self.same_records(first, second)
        finally:
            launched.run_fields.RUN_FIELDS.difference_update(more)


class TwoHostsTest(TwoHostsCase):
    def two_processes(self, *flags, address=HOSTS[0][2], **variables):
        """Starts one process on each host, with the variables that people set."""
        return [self.started(rank, [self.scale_run, *flags], RANK=str(rank), WORLD_SIZE="2", LOCAL_RANK="0",
                             LOCAL_WORLD_SIZE="1", MASTER_ADDR=address, MASTER_PORT=str(PORT), **variables)
                for rank in range(2)]

    def sent_bytes(self):
        """Returns the bytes that the first host has sent over the cable so far."""
        link = json.loads(ip("-n", HOSTS[0][0], "-s", "-j", "link", "show", DEVICE).stdout)
        return link[0]["stats64"]["tx"]["bytes"]

    def test_the_record_of_a_run_by_itself(self):
        self.call("scale_run", *self.flags("--ranks=1,2", output="own.rec"), check=True)
        before = self.sent_bytes()
        codes, logs = self.ends(self.two_processes(*self.flags("--ranks=1,2")))
        self.assertEqual(codes, [0, 0], logs)
        self.assertIn("scale_run: torchrun: 2 ranks on host-a, host-b\n", logs[0])
        self.assertEqual(logs[1], "")
        self.same_results("own.rec", "out.rec")
        sent = self.sent_bytes() - before
        self.add_measured(f"{sent:,} bytes over the cable")
        self.assertGreater(sent, 12 * 247080)  # 12 steps with an all-reduce of lenet5's gradients, and the probe

    def test_flags_and_an_interface_instead_of_variables(self):
        flags = [f"--master_addr={HOSTS[0][2]}", f"--master_port={PORT + 1}", f"--interface={DEVICE}"]
        codes, logs = self.ends(self.two_processes(*self.flags("--ranks=2", *flags), address="nowhere.invalid"))
        self.assertEqual(codes, [0, 0], logs)

    def test_torchrun_on_each_host(self):
        if not torch_python:
            self.skipTest("--torch_python is not given")
        processes = [self.started(host, [
            torch_python, "-m", "torch.distributed.run", "--nnodes=2", f"--node-rank={host}", "--nproc-per-node=2",
            f"--master-addr={HOSTS[0][2]}", f"--master-port={PORT + 2}", "--no-python", self.scale_run,
            *self.flags("--ranks=1,2,4", "--batch_size=5")]) for host in range(2)]
        codes, logs = self.ends(processes)
        self.assertEqual(codes, [0, 0], logs)
        self.assertIn("scale_run: torchrun: 4 ranks on host-a, host-b", logs[0] + logs[1])

    def test_a_cut_cable_is_seen_by_both_ends(self):
        self.timeout_seconds = 5
        self.addCleanup(ip, "-n", HOSTS[0][0], "link", "set", DEVICE, "up")
        processes = self.two_processes(*self.flags("--ranks=2", "--repeats=100000"))
        self.wait_for(lambda: len(marked_processes.marked_processes(self.mark, "--rank=")) == 2, "two ranks")
        time.sleep(1)
        start = time.monotonic()
        ip("-n", HOSTS[0][0], "link", "set", DEVICE, "down")
        codes, logs = self.ends(processes, 30)
        took = time.monotonic() - start
        self.add_measured(f"all gone after {took:.1f} s, --timeout={self.timeout_seconds}s")
        self.assertEqual(codes, [5, 5], logs)
        self.assertLess(took, self.timeout_seconds + 5)
        self.assertIn("host-b", logs[0])

    def test_a_process_that_is_killed_is_named_with_its_host(self):
        processes = self.two_processes(*self.flags("--ranks=2", "--repeats=100000"))
        self.wait_for(lambda: len(marked_processes.marked_processes(self.mark, "--rank=")) == 2, "two ranks")
        processes[1].send_signal(signal.SIGKILL)
        codes, logs = self.ends(processes, 15)
        self.assertEqual(codes, [5, -signal.SIGKILL], logs)
        self.assertIn("rank 1 of 2 on host-b", logs[0])

    def unlike(self, on_second_host, *messages):
        """All must end with 5 in time, one line must name host-b and the difference, and no file is written."""
        environment = {"WORLD_SIZE": "2", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": HOSTS[0][2], "MASTER_PORT": str(PORT)}
        begin = time.monotonic()
        processes = [self.started(rank, command, RANK=str(rank), **environment) for rank, command in
                     enumerate([[self.scale_run, *self.flags("--ranks=2")], on_second_host])]
        codes, logs = self.ends(processes, self.timeout_seconds + 5)
        self.add_measured(f"all gone after {time.monotonic() - begin:.1f} s")
        self.assertEqual(codes, [5, 5], logs)
        self.assertEqual(len(self.errors(logs)), 1, logs)
        for text in ("rank 1 on host-b differs from rank 0 on host-a: expected a data set with SHA-256 ", *messages):
            self.assertIn(text, logs[0])
        self.assertRegex(logs[0], "SHA-256 ([0-9a-f]{64}), found (?!\\1)[0-9a-f]{64};")
        self.assertEqual([path.name for path in self.folder.glob("out.rec*")], [])

    def with_other_images(self, *flags):
        """Returns a command that runs scale_run on a host where the data set's path leads to other images."""
        other = self.folder / "other.rec"
        self.call("cifar_prep", "--input_format=synthetic", "--train_images=80", "--test_images=40", "--seed=1", f"--output={other}", check=True)
        return ["sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', str(other), str(self.dataset),
                self.scale_run, *self.flags("--ranks=2", *flags)]

    def test_other_images_at_the_same_path(self):
        self.unlike(self.with_other_images())

    def test_other_images_on_the_host_of_a_rank(self):
        """The second process has the right images at another path, but a rank reads the leader's path."""
        copy = self.folder / "copy.rec"
        shutil.copy(self.dataset, copy)
        self.unlike(self.with_other_images(f"--input={copy}"), "2 ranks, batch 10 per device, all-reduce: rank ")

    def test_mpirun_on_several_hosts_needs_master_addr(self):
        result = self.call("scale_run", *self.flags(), env={
            "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0",
            "OMPI_COMM_WORLD_LOCAL_SIZE": "1"})
        self.assertEqual(result.returncode, 2)
        self.assertIn("--master_addr", result.stderr.decode())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--torch_python", default="")
    given, sys.argv[1:] = parser.parse_known_args()
    torch_python = given.torch_python
    tool_case.run_tests(__doc__)
