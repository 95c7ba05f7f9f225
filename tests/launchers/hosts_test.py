"""Tests scale_run on the CPUs of two and three hosts with two ranks each: ten steps like those of one rank, and faults.

The hosts are network namespaces at a switch (cable.py). A fault is a rank that is killed or stopped, or a host whose
packets are dropped. After every fault, all processes must be gone within --timeout + 5 s, the errors must name the lost
rank and its host, and the same command must continue after the last complete epoch. LOCKSTEP_TEST_FAULTS=20 adds 20
random faults to each of the tests of faults, with the seed LOCKSTEP_TEST_SEED. Run by bazel (tests/launchers/BUILD), or
directly:
    python3 tests/launchers/hosts_test.py --tools bazel-bin/tools [FaultsTest.test_two_hosts]
"""

import array
import hashlib
import json
import math
import os
import pathlib
import random
import signal
import sys
import time
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cable
import launched
import marked_processes
import record_bytes
import tool_case

RANKS_PER_HOST = 2
EPOCHS, STEPS_PER_EPOCH, GLOBAL_BATCH = 2, 5, 24  # ten steps; 24 images are 6 for each of 4 ranks, and 4 for each of 6
MORE_FAULTS = int(os.environ.get("LOCKSTEP_TEST_FAULTS", 0))
SEED = os.environ.get("LOCKSTEP_TEST_SEED", "1")


class HostsCase(launched.LaunchedCase):
    timeout_seconds = 8

    def connect(self, hosts):
        environment = {name: value for name, value in os.environ.items() if name != marked_processes.VARIABLE}
        try:
            self.switch = cable.Switch(environment, hosts)
        except cable.NoCable as reason:
            self.skipTest(str(reason))
        self.addCleanup(self.switch.close)
        self.hosts, self.size = hosts, RANKS_PER_HOST * hosts

    def start(self, flags):
        """Starts the processes of all ranks, like a launcher on each host."""
        port = launched.free_port()
        return [self.spawn(self.switch.command(rank // RANKS_PER_HOST, [self.scale_run, *flags]),
                           RANK=str(rank), WORLD_SIZE=str(self.size), LOCAL_RANK=str(rank % RANKS_PER_HOST),
                           LOCAL_WORLD_SIZE=str(RANKS_PER_HOST), MASTER_ADDR=cable.ADDRESSES[0], MASTER_PORT=str(port))
                for rank in range(self.size)]

    def completes(self, flags):
        """Returns the log of rank 0's process."""
        codes, logs = self.ends(self.start(flags))
        self.assertEqual(codes, [0] * self.size, logs)
        return logs[0]

    def points(self, name):
        """Returns the points of a record, which must all be of the hierarchical exchange over all hosts."""
        records = json.loads(self.record(self.folder / name))["record"]
        points = [record["point"] for record in records if "point" in record]
        hosts = [name for name in cable.NAMES[:self.hosts] for _ in range(RANKS_PER_HOST)]
        for point in points:
            self.assertEqual((point["outcome"], point["communicator"]), ("COMPLETED", "hierarchical"))
            self.assertEqual([rank["host"] for rank in point["rank"]], hosts)
        return points


class TenStepsTest(HostsCase):
    """Ten steps with momentum and weight decay on several hosts, and on one rank with the whole batches.

    All trainings see the same images in each step: ranks take the images of one permutation in turn, and an image's
    augmentation depends on the seed, the epoch and the image only. So the weights differ by rounding alone, and the
    bound is that of lib/scale_run/ten_steps_test.cc: a tenth of the effect that one wrong image has in one step.
    Rounding alone is far less: gradients are added up in another order, which changes them by about 1e-7, and rate /
    (1 - momentum) * ten steps is 1. But rounding can move a value across the threshold of a ReLU or a maximum. This
    changes the gradient by that unit's share in one image, at most 1/84 of its layer, so the bound leaves room for
    seven such units. If one of the four or six ranks leaves its gradient out in one step, the bound is exceeded; in the
    first step, the check of the sum in scale_run ends the run.
    """

    def setUp(self):
        super().setUp()
        synthetic = self.folder / "synthetic.rec"
        self.call("cifar_prep", "--input_format=synthetic", f"--train_images={STEPS_PER_EPOCH * GLOBAL_BATCH}",
                  "--test_images=10", f"--output={synthetic}", check=True)
        records = [record_bytes.fields(record) for record in record_bytes.whole_records(synthetic.read_bytes())]
        chunks = [record_bytes.fields(record[4][0]) for record in records if 4 in record]  # DatasetRecord.chunk
        train, test = ([bytes([label]) + pixels[i * 3072:(i + 1) * 3072] for chunk in chunks if chunk[1] == [split]
                        for pixels, labels in [(chunk[3][0], chunk[4][0])] for i, label in enumerate(labels)]
                       for split in (1, 2))  # TRAIN, TEST
        self.right = self.dataset_of("right", train, test)
        self.wrong = self.dataset_of("wrong", [*train[:-1], train[-2]], test)  # one image replaced by its neighbour

    def dataset_of(self, name, train, test):
        """Returns a data set of images in CIFAR-10's binary form."""
        folder, path = self.folder / name, self.folder / f"{name}.rec"
        folder.mkdir()
        (folder / "data_batch_1.bin").write_bytes(b"".join(train))
        (folder / "test_batch.bin").write_bytes(b"".join(test))
        (folder / "batches.meta.txt").write_text("".join(f"class_{i}\n" for i in range(10)) + "\n")
        self.call("cifar_prep", f"--input={folder}", "--allow_partial", f"--output={path}", check=True)
        return path

    def flags_of(self, name, dataset, ranks):
        """Returns flags. The normalization is not the data set's, which would differ with one wrong image."""
        return self.flags(f"--input={dataset}", f"--ranks={ranks}", "--batch_mode=global",
                          f"--batch_size={GLOBAL_BATCH}", f"--repeats={EPOCHS - 1}", "--normalization=0.5/0.5",
                          "--noablation", f"--checkpoint={self.folder / name}.pt", output=f"{name}.rec")

    def weights(self, name):
        """Returns the numbers of a checkpoint (lib/nn/weights_file.h)."""
        numbers = array.array("f")
        with zipfile.ZipFile(self.folder / f"{name}.pt") as archive:
            for member in sorted(archive.namelist()):
                if "/data/" in member:
                    numbers.frombytes(archive.read(member))
        self.assertEqual(len(numbers), 61770)  # parameters of LeNet-5
        return numbers

    def of_one_rank(self, name, dataset):
        self.call("scale_run", *self.flags_of(name, dataset, 1), check=True)
        return self.weights(name)

    def of_hosts(self, name, dataset):
        self.completes(self.flags_of(name, dataset, self.size))
        point, = self.points(f"{name}.rec")
        self.assertEqual((point["steps_per_epoch"], len(point["epoch"])), (STEPS_PER_EPOCH, EPOCHS))
        return self.weights(name)

    def compare(self, hosts):
        """Returns the weights of one rank, and the effect of one wrong image on them."""
        self.connect(hosts)
        right = self.of_one_rank("one_right", self.right)
        one_image = math.dist(right, self.of_one_rank("one_wrong", self.wrong))
        distance = math.dist(right, self.of_hosts("hosts_right", self.right))
        bound = one_image / EPOCHS / 10  # the image is wrong in one step of each epoch
        self.add_measured(f"{distance:.2g} from one rank, bound {bound:.2g}")
        self.assertGreater(bound, 1e-5)  # far above rounding
        self.assertLess(distance, bound)
        return right, one_image

    def test_two_hosts(self):
        right, one_image = self.compare(2)
        self.assertGreater(math.dist(right, self.of_hosts("hosts_wrong", self.wrong)), one_image / 2)

    def test_three_hosts(self):
        self.compare(3)


class FaultsTest(HostsCase):
    """Faults in the middle of a run's second point, one after another in runs of the same command."""

    @property
    def command(self):
        """The first point is short and leaves the checkpoint. The second one has more epochs than there are faults, and
        ten steps in each."""
        return self.flags(f"--ranks={self.size}", "--batch_size=10,2", f"--repeats={40 + 4 * MORE_FAULTS}",
                          "--noablation", "--resume", "--deterministic", f"--checkpoint={self.folder / 'weights.pt'}")

    def into_second_point(self, processes):
        """Waits until the second point has completed an epoch in this run. Returns the processes of its ranks."""
        before = self.digest("out.rec.point2.state")
        self.wait_for(lambda: self.digest("out.rec.point2.state") != before or processes[0].poll() is not None,
                      "an epoch of the second point", every=0.02)
        if processes[0].poll() is not None:
            self.fail(f"the run ended before the fault: {self.ends(processes)}")
        return [marked_processes.marked_processes(self.mark, f"--rank={rank}") for rank in range(self.size)]

    def digest(self, name):
        """Returns the digest of a file, or "" if there is none."""
        path = self.folder / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""

    def name_of(self, rank):
        return f"rank {rank} of {self.size} on {cable.NAMES[rank // RANKS_PER_HOST]}"

    def once(self, action, errors_of, undo):
        """Runs the command up to the fault. Returns the seconds from the fault until all were gone."""
        processes = self.start(self.command)
        ranks = self.into_second_point(processes)
        checkpoint = self.digest("weights.pt")
        begin = time.monotonic()
        action(ranks)
        codes, logs = self.ends(processes, 120)
        self.assertEqual(marked_processes.end_orphans(self.mark, 0), 0, logs)
        took = time.monotonic() - begin
        undo()
        self.assertEqual(codes, [5] * self.size, logs)
        for rank, log in enumerate(logs):
            self.assertRegex("\n".join(self.errors([log])), f"^{errors_of(rank)}$", f"rank {rank}: {logs}")
        # Nothing is lost: the journal has the first point, and its weights and the second point's state are there.
        self.assertEqual(self.record(self.folder / "out.rec.part").count('"global_batch"'), 1)
        self.assertEqual(self.digest("weights.pt"), checkpoint)
        self.assertNotEqual(self.digest("out.rec.point2.state"), "")
        return took

    def in_time(self, what, action, errors_of, undo=lambda: None):
        """Makes a fault. `errors_of` returns the pattern of all errors of a process, by rank: ".*" is one line, "" is
        none. One retry is allowed, because a machine may stall."""
        took = [self.once(action, errors_of, undo)]
        if took[0] >= self.timeout_seconds + 5:
            took.append(self.once(action, errors_of, undo))
        self.assertLess(took[-1], self.timeout_seconds + 5, f"{what}: {took}")
        self.add_measured(f"{what}: all gone after {', '.join(f'{t:.1f}' for t in took)} s")
        self.faults += len(took)

    def lose_rank(self, rank, number):
        """Signals a rank. The process of rank 0 names the lost rank, the others say nothing."""
        why = {signal.SIGKILL: "was killed by signal 9",
               signal.SIGSTOP: f"did not answer the other ranks for {self.timeout_seconds}s"}[number]
        self.in_time(f"{number.name} of {self.name_of(rank)}", lambda ranks: os.kill(ranks[rank][0], number),
                     lambda process: f".*: {self.name_of(rank)} {why}.*" if process == 0 else "")

    def lose_host(self, host):
        """Unplugs a host. Processes that can reach rank 0 end with it. It names a rank that it cannot reach, and each
        process that cannot reach rank 0 says so."""
        beyond = [rank for rank in range(self.size) if (rank // RANKS_PER_HOST == host) != (host == 0)]

        def errors_of(process):
            if process == 0:
                return f".*: ({'|'.join(map(self.name_of, beyond))}): .* is lost: .*"
            return f".*: {self.name_of(process)}: rank 0, the leader, is lost: .*" if process in beyond else ""

        self.in_time(f"cut of {cable.NAMES[host]}", lambda ranks: self.switch.unplug(host), errors_of,
                     lambda: self.switch.plug(host))

    def separate_hosts(self, first, second):
        """Drops the packets between two hosts that rank 0 reaches. No rank is lost; rank 0 names one rank of each host,
        and the others say nothing."""
        hosts = (first, second)
        self.in_time(f"cut between {cable.NAMES[first]} and {cable.NAMES[second]}",
                     lambda ranks: self.switch.separate(hosts),
                     lambda process: ".*: hosts lost each other: .*" + ".*".join(
                         f"{self.name_of(RANKS_PER_HOST * host)}: .*" for host in range(3)) if process == 0 else "",
                     lambda: self.switch.reunite(hosts))

    def random_faults(self):
        chance = random.Random(f"{SEED} {self.hosts}")
        for _ in range(MORE_FAULTS):
            if chance.random() < 0.3:
                self.lose_host(chance.randrange(self.hosts))
            else:
                self.lose_rank(chance.randrange(self.size), chance.choice([signal.SIGKILL, signal.SIGSTOP]))

    def trained(self, name):
        """Returns the part of each point that does not depend on the runs in which it was trained."""
        kept = ("ranks", "global_batch", "reduction", "epoch", "weights_sha256")
        return [launched.result_of({key: point[key] for key in kept}) for point in self.points(name)]

    def endures(self, hosts, faults):
        """The run must end with the record and the checkpoint of an undisturbed one, after one resume per fault."""
        self.connect(hosts)
        self.faults = 0
        for fault in faults:
            fault()
        self.random_faults()
        self.assertIn("resumes after 2 records", self.completes(self.command))
        resumed = self.points("out.rec")[1]["resumed_epoch"]
        self.assertEqual(len(resumed), self.faults)
        self.assertEqual(resumed, sorted(set(resumed)))
        self.add_measured(f"resumed at epochs {resumed}")
        whole = [f"--output={self.folder / 'whole.rec'}", f"--checkpoint={self.folder / 'whole.pt'}"]
        self.completes([*self.command, *whole])
        self.assertEqual(self.trained("out.rec"), self.trained("whole.rec"))
        self.assertEqual(self.digest("weights.pt"), self.digest("whole.pt"))

    def test_two_hosts(self):
        self.endures(2, [lambda: self.lose_rank(1, signal.SIGKILL), lambda: self.lose_rank(3, signal.SIGSTOP),
                         lambda: self.lose_rank(2, signal.SIGKILL), lambda: self.lose_rank(0, signal.SIGSTOP),
                         lambda: self.lose_host(1)])

    def test_three_hosts(self):
        self.endures(3, [lambda: self.lose_host(2), lambda: self.separate_hosts(1, 2)])


if __name__ == "__main__":
    tool_case.run_tests(__doc__)
