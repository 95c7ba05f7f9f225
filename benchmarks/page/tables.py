"""Builds the tables of README.md, docs/ and the pages in benchmarks: records, contents and command of each.

A build function returns the block below a heading: one sentence with the answer, the table, and one paragraph with
machine, versions, date, commit, n, command and files. It raises MissingRecords if its files do not exist; the table is
then listed under "Not measured for this version".
"""

import collections
import json
import pathlib
import re
import shlex
import sys

import questions
import records
import render
from records import MissingRecords, Sample
from render import significant, spread

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import headline_table  # noqa: E402
import recipe_table  # noqa: E402

BATCHES = [512, 128, 32]
HEADLINE = "2026-11-27-h100x2-headline"
# The newest call with all baselines, by number of GPUs.
HEADLINE_OF_GPUS = {1: "2026-11-30-h200-headline", 2: "2026-11-30-h200x2-headline"}
MAX_AUTOTUNE = "2026-11-30-h200-max-autotune"  # compiles for minutes, so it does not fit into the call of the others
INT8_LAYERS = "2026-11-30-h200-int8"
NETWORKS = "2026-11-29-h200-networks"
NETWORKS_BY_AUTOGRAD = "2026-11-28-h200-autograd"
NETWORKS_ON_TWO = "2026-11-28-h200x2-networks"
BATCH_NORM_ON_TWO = "2026-11-29-h200x2-networks"
LENET5_BIAS = "2026-11-29-h200-lenet5-bias"
RESNET34_ON_TWO = "2026-11-29-h200x2-resnet34"
RECIPE = "2026-11-29-h200-recipe-seeds"
RECIPE_OF_80 = "2026-11-30-h200-recipe"
RECIPE_OF_80_AGAIN = "2026-11-30-h200-recipe-seed3"  # the seed for which the call before had no time
RECIPE_HALF = "2026-11-29-h200-recipe"  # an earlier call, also with PyTorch's weights in fp16

TABLES = {}  # name: (title, command, build), in the order of this file
Table = collections.namedtuple("Table", "title command build")


def table(name, title, command=""):
    """Registers a build function. `command` makes the records, and is shown while they are missing."""
    def register(build):
        TABLES[name] = Table(title, command, build)
        return build
    return register


def block(answer, head, rows, source):
    return "\n\n".join([render.paragraph(answer), render.table(head, rows), render.paragraph(source)])


def source(runs, n, series=None, files=None, command=None, commit=None):
    """Returns machine, versions, date, commit, n, command and files of `runs`, records of one version."""
    run = runs[0]
    known = {**run.versions(), **(series.versions() if series else {})}
    libraries = ", ".join(f"{name} {version}" for name, version in known.items())
    libraries = libraries + "; " if libraries else ""
    folders = files or [f"{runs[0].path.parent.name}/{runs[0].path.name}"] + ([series.path.name] if series else [])
    return (f"{run.machine()}; {libraries}{run.date}, commit {commit or run.commit}; {n}; `{command or run.command}`; "
            f"files: {', '.join(f'`{name}`' for name in folders)}.")


def points(runs, **wanted):
    """Returns the points of all `runs` whose fields are `wanted`."""
    return [point for run in runs for point in run.all("point") if all(point.get(name) == value for name, value in wanted.items())]


def epochs(runs, **wanted):
    """Returns the seconds of every timed epoch of the points whose fields are `wanted`, or None."""
    found = [point["epoch_seconds"]["value"] for point in points(runs, **wanted)]
    values = [value for one in found for value in one]
    return Sample(values, len(found)) if values else None


def joined(values):
    values = list(values)
    return values[0] if len(values) == 1 else ", ".join(values[:-1]) + " and " + values[-1]


def epochs_and_processes(sample):
    return f"{render.count(sample.n, 'epoch')} of {render.count(sample.processes, 'process')}"


def best(theirs, batch):
    return min(samples[batch].median for samples in theirs.values() if samples[batch])


class Headline:
    """Ours and the baselines of one call."""

    def __init__(self, results, gpus):
        self.folder = HEADLINE_OF_GPUS[gpus]
        self.runs = results.records(f"{self.folder}/{'sweep' if gpus == 1 else 'scale'}_*.rec")
        self.series = results.series(f"{self.folder}/baselines.jsonl")
        self.theirs = headline_table.theirs(self.series.lines, gpus, BATCHES)
        wanted = {} if gpus == 1 else {"ranks": gpus, "reduction": "ALL_REDUCE"}
        field = "batch_size" if gpus == 1 else "batch_per_device"
        self.ours = {batch: epochs(self.runs, **wanted, **{field: batch}) for batch in BATCHES}
        self.one = {batch: epochs(self.runs, ranks=1, reduction="PLAIN", batch_per_device=batch) for batch in BATCHES}
        self.ratio = {batch: best(self.theirs, batch) / self.ours[batch].median for batch in BATCHES}

    def shares(self, gpus):
        return {batch: 100 * self.one[batch].median / gpus / self.ours[batch].median for batch in BATCHES}

    HEAD = ["batch", *map(str, BATCHES), "n: epochs of processes"]

    def row(self, name, samples):
        n = {f"{sample.n} of {sample.processes}" for sample in samples.values() if sample}
        return [name, *(spread(samples[batch]) for batch in BATCHES), " and ".join(sorted(n))]

    def rows(self, name):
        rows = [self.row(name, self.ours), *(self.row(other, samples) for other, samples in self.theirs.items())]
        return rows + [["best baseline / ours", *(significant(self.ratio[batch]) for batch in BATCHES), ""]]

    def source(self, gpus):
        name = "sweep" if gpus == 1 else "scale"
        command = (f"python3 benchmarks/headline.py --package lockstep --dataset dataset.rec --output out --gpus {gpus} "
                   f"--baseline_repeats 5`, which runs `{self.runs[0].command}")
        return source(self.runs, "n as above", self.series, files=[f"{self.folder}/{name}_*.rec", "baselines.jsonl"], command=command)


def max_autotune(results):
    """Returns the row of PyTorch under max-autotune, and {batch: its seconds / ours}, both of a call of their own."""
    runs = results.records(f"{MAX_AUTOTUNE}/sweep_*.rec")
    label = headline_table.baselines.BASELINES["compile_graph_max"].label
    theirs = headline_table.theirs(results.series(f"{MAX_AUTOTUNE}/baselines.jsonl").lines, 1, BATCHES)[label]
    ratio = {batch: theirs[batch].median / epochs(runs, batch_size=batch).median for batch in BATCHES}
    n = {f"{sample.n} of {sample.processes}" for sample in theirs.values()}
    return ["PyTorch, compiled with max-autotune / ours, another call", *map(significant, ratio.values()), *n], ratio


@table("fast_step", "The fast step on one GPU", "python3 benchmarks/headline.py --package lockstep --dataset dataset.rec --output out")
def fast_step(results):
    call = Headline(results, 1)
    tuned, tuned_ratio = max_autotune(results)
    lead = [min(call.ratio[batch], tuned_ratio[batch]) for batch in BATCHES]
    answer = (f"One {call.runs[0].header['device'][0]['name']} trains {significant(min(lead))} to {significant(max(lead))} times as "
              f"fast as the best of {len(call.theirs) + 1} baselines. Seconds per 50,000 images:")
    text = call.source(1).removesuffix(".") + f"; `{MAX_AUTOTUNE}`."
    return block(answer, call.HEAD, [*call.rows("`train_sweep --preset=fast`"), tuned], text)


# Kinds of networks_pytorch.py, and their names in a table.
KINDS = {"graph": "graph", "compile_graph": "compiled"}
NETWORKS_COMMAND = "python3 benchmarks/networks.py --package lockstep --output out"


class OtherNetwork:
    """Ours and the best of PyTorch's kinds for one network, by the files of benchmarks/networks.py."""

    BATCHES = [512, 128]

    def __init__(self, runs, series):
        spec = runs[0].all("spec")[0]
        self.model, self.fused = spec["training"]["model"], spec["training"]["step"] == "FUSED"
        self.classes, self.command = spec["model"]["classes"], runs[0].command
        images = {point["images_per_epoch"] for point in points(runs)}
        if images != {50_000}:
            raise ValueError(f"{runs[0].path.name}: expected epochs of 50,000 images like PyTorch's, found "
                             f"{sorted(images)}")
        self.ours = {batch: epochs(runs, batch_size=batch) for batch in self.BATCHES}
        self.theirs = {batch: self.best(series, batch) for batch in self.BATCHES}

    def best(self, series, batch):
        """Returns the Sample with the lowest median and the name of its kind."""
        samples = {name: series.sample(case=f"{self.model} {kind}", classes=self.classes, gpus=1, batch=batch)
                   for kind, name in KINDS.items()}
        measured = [(sample, name) for name, sample in samples.items() if sample]
        return min(measured, key=lambda one: one[0].median, default=(None, ""))

    def ratios(self):
        """Returns {batch: PyTorch's median / ours} of the batches that have both."""
        return {batch: self.theirs[batch][0].median / self.ours[batch].median for batch in self.BATCHES
                if self.ours[batch] and self.theirs[batch][0]}

    def row(self):
        def n(samples):
            return " and ".join(sorted({f"{sample.n} of {sample.processes}" for sample in samples if sample})) or "-"
        cells, ratios = [], self.ratios()
        for batch in self.BATCHES:
            sample, kind = self.theirs[batch]
            cells += [spread(self.ours[batch]), spread(sample) + (f", {kind}" if kind else ""),
                      significant(ratios[batch]) if batch in ratios else "-"]
        return [f"`{self.model}`, {self.classes} classes", *cells,
                f"{n(self.ours.values())}; {n(sample for sample, _ in self.theirs.values())}"]


def networks_of(results, folder, flags):
    """Returns the block of one folder, whose records are of one version; `flags` are those of benchmarks/networks.py."""
    runs, series = results.records(f"{folder}/*.rec"), results.series(f"{folder}/baselines.jsonl")
    by_case = collections.defaultdict(list)
    for run in runs:
        by_case[run.path.stem.rpartition("_")[0]].append(run)  # CASE_TURN.rec
    networks = sorted((OtherNetwork(group, series) for group in by_case.values()),
                      key=lambda network: (not network.fused, network.model, network.classes))
    parts, commands = [], []
    for what, fused in (("networks of the fused step", True), ("networks by LibTorch's autograd", False)):
        group = [network for network in networks if network.fused == fused]
        ratios = [ratio for network in group for ratio in network.ratios().values()]
        if ratios:
            parts.append(f"{what} {significant(min(ratios))} to {significant(max(ratios))} times")
            commands.append(group[0].command)
    if not parts:
        raise MissingRecords(f"{folder}: ours and the baseline of one network")
    answer = (f"One {runs[0].header['device'][0]['name']} trains {joined(parts)} as fast as PyTorch in a CUDA graph, "
              "compiled if that is faster. Seconds per 50,000 images:")
    of_batches = [[f"{batch}: ours", "PyTorch", "PyTorch / ours"] for batch in OtherNetwork.BATCHES]
    head = ["network", *of_batches[0], *of_batches[1], "n: epochs of processes; PyTorch's"]
    command = f"{NETWORKS_COMMAND} {flags}`, with `{'` and `'.join(commands)}"
    return block(answer, head, [network.row() for network in networks],
                 source(runs, "n as above", series, files=[f"{folder}/*.rec", "baselines.jsonl"], command=command))


def networks_table(name, title, folder, flags):
    """Registers the table of one folder with records of benchmarks/networks.py."""
    table(name, title, f"{NETWORKS_COMMAND} {flags}")(lambda results: networks_of(results, folder, flags))


networks_table("other_networks", "Other networks on one GPU", NETWORKS,
               "--cases fused --kinds compile_graph` and `--cases vit_tiny --kinds graph")
networks_table("autograd_networks", "Networks by autograd on one GPU", NETWORKS_BY_AUTOGRAD, "--cases autograd --kinds graph")
networks_table("lenet5_bias", "LeNet-5 with biases on one GPU", LENET5_BIAS, "--cases lenet5_bias --kinds graph")


class NetworkOnTwo:
    """One network on one and two GPUs, and the prediction for batch 128, by the files of benchmarks/networks.py."""

    BATCHES = [512, 64]

    def __init__(self, run, score):
        spec = run.all("spec")[0]
        self.model, self.parameters = spec["training"]["model"], spec["model"]["parameter_count"]
        self.one, self.two = (
            {batch: epochs([run], ranks=ranks, reduction=reduction, batch_per_device=batch) for batch in self.BATCHES}
            for ranks, reduction in ((1, "PLAIN"), (2, "ALL_REDUCE")))
        self.prediction = score.all("prediction")[0]

    def speed_up(self, batch):
        return self.one[batch].median / self.two[batch].median

    def communication(self, batch):
        """Returns the part of an epoch on two GPUs, in %, by which it exceeds half an epoch on one."""
        return 100 * (1 - self.one[batch].median / 2 / self.two[batch].median)

    def predicted(self):
        """Returns the cells of prediction, measurement and error."""
        known, measured = self.prediction["epoch_seconds"], self.prediction["measured_epoch_seconds"]["value"]
        if "value" not in known:
            return ["refused", significant(measured), "-"]
        low, value, high = (known[name] for name in ("low", "value", "high"))
        outside = "" if low <= measured <= high else ", outside"
        return [f"{significant(value)} ({significant(low)} to {significant(high)})", significant(measured),
                f"{100 * (value / measured - 1):+.1f} %{outside}"]

    def row(self):
        cells = []
        for batch in self.BATCHES:
            cells += [spread(self.one[batch]), spread(self.two[batch]), significant(self.speed_up(batch)),
                      significant(self.communication(batch), 2)]
        return [f"`{self.model}`", f"{self.parameters:,}", *cells, *self.predicted()]


def networks_on_two(results, folder, flags):
    runs = results.records(f"{folder}/*_two.rec")
    networks = [NetworkOnTwo(run, results.record(f"{folder}/{run.path.stem[:-len('_two')]}_score.rec")) for run in runs]
    batch = NetworkOnTwo.BATCHES[-1]
    networks.sort(key=lambda network: network.speed_up(batch))
    ends = networks if len(networks) == 1 else [networks[0], networks[-1]]
    trained = joined(f"`{network.model}` {significant(network.speed_up(batch))}" for network in ends)
    answer = (f"At batch {batch} per GPU two GPUs train {trained} times as fast as one. Seconds per 50,000 images; "
              "communication: the part beyond half an epoch on one; batch 128 was predicted before its run:")
    head = ["network", "parameters"]
    for batch in NetworkOnTwo.BATCHES:
        head += [f"{batch}: one GPU", "two", "speed-up", "communication, %"]
    head += ["128 on two, predicted (95 %)", "measured", "error"]
    command = f"{NETWORKS_COMMAND} {flags}`, which runs `{runs[0].command}"
    return block(answer, head, [network.row() for network in networks],
                 source(runs, f"n = {epochs_and_processes(networks[0].two[512])} per cell",
                        files=[f"{folder}/*_two.rec", "*_score.rec"], command=command))


def networks_on_two_table(name, title, folder, flags):
    """Registers the table of one folder with records of benchmarks/networks.py --gpus 2."""
    table(name, title, f"{NETWORKS_COMMAND} {flags}")(lambda results: networks_on_two(results, folder, flags))


networks_on_two_table("networks_on_two", "Other networks on two GPUs", NETWORKS_ON_TWO, "--gpus 2")
networks_on_two_table("plain_on_two", "ResNet-18 without batch norm on two GPUs", BATCH_NORM_ON_TWO,
                      "--gpus 2 --cases resnet18_plain")
networks_on_two_table("resnet34_on_two", "ResNet-34 by the fused step on two GPUs", RESNET34_ON_TWO,
                      "--gpus 2 --cases resnet34_10")


def rows_of(runs):
    """Returns the names of an experiment's rows, in the order of the records."""
    return list(dict.fromkeys(point["row"] for point in points(runs)))


def timed_epochs(point):
    return render.count(len(point["epoch_seconds"]["value"]), "timed epoch")


def mean_of_seeds(sample):
    return f"{sample.mean:.2f} ({sample.minimum:.2f} to {sample.maximum:.2f})"


def bytes_per_step(points, wanted):
    """Returns the bytes that the first seed sends in a step, of the kinds for which `wanted` is true."""
    return sum(traffic["size_bytes"] / traffic["steps"] for traffic in points[0]["traffic"]
               if traffic["steps"] and wanted(traffic["kind"]))


@table("sent_on_two", "What is sent, with and without batch norm",
       "scale_run --input=lossy.rec --experiment=what_is_sent --precision=bf16 --channels_last --ranks=2 "
       "--batch_size=512 --output=what_is_sent.rec")
def sent_on_two(results):
    runs = [results.record(f"{BATCH_NORM_ON_TWO}/what_is_sent{suffix}.rec") for suffix in ("", "_plain")]
    rows, most, seeds = [], 0, 0
    for run in runs:
        model = run.all("spec")[0]["training"]["model"]
        for name in rows_of([run]):
            found = points([run], row=name)
            gradients = bytes_per_step(found, lambda kind: kind == "gradients")
            others = bytes_per_step(found, lambda kind: kind != "gradients")
            most, seeds = max(most, others / (gradients + others)), len(found)
            _, _, test, _ = last_epochs([run], name)
            rows.append([f"`{model}`", name, f"{gradients:,.0f}", f"{others:,.0f}", mean_of_seeds(test),
                         spread(epochs([run], row=name))])
    answer = (f"With batch norm up to {significant(100 * most, 2)} % of a step's bytes are not gradients, without it "
              "none. Test accuracy in % after five epochs, the mean over seeds (smallest to largest), and seconds per "
              "epoch:")
    head = ["network", "row", "bytes of gradients per step", "other bytes per step", "test accuracy",
            "seconds per epoch"]
    n = f"n = {render.count(seeds, 'seed')}, {timed_epochs(runs[0].all('point')[0])} each"
    return block(answer, head, rows, source(runs, n, files=[f"{BATCH_NORM_ON_TWO}/what_is_sent*.rec"],
                                            command=f"{runs[0].command}`, `{runs[1].command}"))


@table("optimizers", "Optimizers",
       "scale_run --input=lossy.rec --experiment=optimizers --step=autograd --cuda_graph --precision=bf16 "
       "--channels_last --ranks=2 --batch_size=512 --seeds=2 --output=optimizers.rec")
def optimizers(results):
    runs = [results.record(f"{BATCH_NORM_ON_TWO}/optimizers.rec")]
    found = {name: points(runs, row=name) for name in rows_of(runs)}
    last = {name: last_epochs(runs, name) for name in found}
    first = max(last, key=lambda name: last[name][2].mean)
    answer = (f"After five epochs with the default rates `{first}` has the highest mean test accuracy, "
              f"{last[first][2].mean:.1f} % ({render.count(last[first][2].n, 'seed')}). Accuracies in %, mean over "
              "seeds (smallest to largest), and seconds per epoch:")
    rows = [[f"`{name}`", f"{found[name][0]['training']['learning_rate']:g}", mean_of_seeds(test),
             mean_of_seeds(training), spread(epochs(runs, row=name))]
            for name, (_, training, test, _) in last.items()]
    head = ["optimizer", "learning rate", "test accuracy", "training accuracy", "seconds per epoch"]
    n = f"n = {render.count(len(found[first]), 'seed')}, {timed_epochs(found[first][0])} each"
    return block(answer, head, rows, source(runs, n))


table("questions", "The questions of the lab on a CPU", "lab --device=cpu")(questions.block)


@table("step_parts", "Where a step's time goes")
def step_parts(results):
    folder = HEADLINE_OF_GPUS[1]
    runs = results.records(f"{folder}/sweep_*.rec")
    names = [part["name"] for part in points(runs, batch_size=BATCHES[0])[0]["step_parts"]["part"]]
    rows, share = [], {}
    for batch in BATCHES:
        medians = [{part["name"]: part["full_steps"]["p50_seconds"] for part in point["step_parts"]["part"]}
                   for point in points(runs, batch_size=batch)]
        samples = {name: Sample([one[name] for one in medians], len(medians)) for name in names}
        share[batch] = 100 * samples["backward"].median / sum(sample.median for sample in samples.values())
        rows.append([str(batch)] + [spread(samples[name], 1e6) for name in names])
    answer = (f"The backward pass takes {joined(f'{significant(share[batch], 2)} %' for batch in BATCHES)} of a step at batch "
              f"{joined(map(str, BATCHES))}. Microseconds, the median full step of an instrumented epoch:")
    return block(answer, ["images", *names], rows, source(runs, f"n = {render.count(len(runs), 'process')}, one instrumented epoch each",
                                                          files=[f"{folder}/sweep_*.rec"]))


@table("two_gpus", "The fast step on two GPUs",
       "python3 benchmarks/headline.py --package lockstep --dataset dataset.rec --output out --gpus 2")
def two_gpus(results):
    call = Headline(results, 2)
    share, ratio = call.shares(2), call.ratio.values()
    answer = (f"Two GPUs reach {joined(f'{significant(share[batch])} %' for batch in BATCHES)} of linear, and are "
              f"{significant(min(ratio))} to {significant(max(ratio))} times as fast as the best baseline on two. Seconds per 50,000 "
              f"images, batch per GPU:")
    rows = call.rows("`scale_run --preset=fast`, two GPUs")
    rows.insert(1, call.row("the same, one GPU", call.one))
    rows.insert(2, ["share of linear, %", *(significant(share[batch]) for batch in BATCHES), ""])
    return block(answer, call.HEAD, rows, call.source(2))


@table("four_gpus", "The fast step on four GPUs", "scale_run --input=dataset.rec --preset=fast --ranks=1,4 --batch_size=512,128,32 "
       "--noevaluate --output=four.rec")
def four_gpus(results):
    runs = results.records("2026-11-26-h100x4-scored/four.rec")
    one = {batch: epochs(runs, ranks=1, reduction="PLAIN", batch_per_device=batch) for batch in BATCHES}
    four = {batch: epochs(runs, ranks=4, reduction="ALL_REDUCE", batch_per_device=batch) for batch in BATCHES}
    share = {batch: 100 * one[batch].median / 4 / four[batch].median for batch in BATCHES}
    answer = f"Four GPUs reach {joined(f'{significant(share[batch])} %' for batch in BATCHES)} of linear. Seconds per 50,000 images:"
    rows = [["one GPU"] + [spread(one[batch]) for batch in BATCHES], ["four GPUs"] + [spread(four[batch]) for batch in BATCHES],
            ["share of linear, %"] + [significant(share[batch]) for batch in BATCHES]]
    return block(answer, ["batch per GPU", *map(str, BATCHES)], rows,
                 source(runs, f"n = {epochs_and_processes(four[BATCHES[0]])}"))


def accuracy_runs(results, **wanted):
    """Returns a Sample of the test accuracies, in %, of all runs with this recipe."""
    wanted = {"schedule": "cosine", "epochs": "200", **wanted}
    found = [row for row in results.rows("accuracies.csv") if all(row[name] == value for name, value in wanted.items())]
    return Sample([float(row["test_accuracy_percent"]) for row in found], len(found)), found


@table("accuracy", "Accuracy")
def accuracy(results):
    ways = [("one GPU, batch 128", dict(program="train_sweep", batch="128", gpus="1")),
            ("one GPU, batch 256", dict(program="train_sweep", batch="256", gpus="1")),
            ("two GPUs, batch 128 each, gradients in bf16", dict(program="scale_run", batch="128", gpus="2")),
            ("PyTorch, one GPU, batch 128", dict(program="PyTorch", batch="128", gpus="1", run=HEADLINE))]
    rows, samples, commits, folders = [], [], set(), []
    for name, wanted in ways:
        sample, runs = accuracy_runs(results, **wanted)
        samples.append(sample)
        commits |= {run["commit"].rstrip("+")[:7] for run in runs if run["commit"]}
        folders += [run["run"] for run in runs]
        seeds = len({run["seed"] for run in runs})
        rows.append([name, str(sample.n), str(seeds), f"{sample.mean:.2f}", f"{sample.deviation:.2f}",
                     f"{sample.minimum:.2f} to {sample.maximum:.2f}"])
    ours, theirs = samples[0], samples[-1]
    answer = (f"200 epochs reach {ours.mean:.1f} ± {ours.deviation:.1f} % (mean ± standard deviation of {ours.n} runs, every run of the "
              f"recipe), PyTorch {theirs.mean:.1f} ± {theirs.deviation:.1f} % ({theirs.n} runs). Test accuracy in the state of the last epoch:")
    line = (f"NVIDIA H200 (ours, one GPU, batch 128) and H100; {min(folders)[:10]} to {max(folders)[:10]}, {len(commits)} commits of the "
            "same recipe (SGD, a cosine schedule, crops and flips, bf16) and normalization; n as above; "
            "`train_sweep --input=dataset.rec --preset=fast --batch_size=128 --epochs=200 --schedule=cosine --seed=1 --output=accuracy.rec`, "
            "`python3 benchmarks/peers/resnet18_accuracy.py dataset.rec --seed 1`; files: `accuracies.csv`. The pictures are a lossy copy "
            "of CIFAR-10.")
    return block(answer, ["", "runs", "seeds", "mean, %", "standard deviation", "range"], rows, line)


def weights_in_fp16(results):
    """Returns the sentence on PyTorch's weights in fp16, which only an earlier call measured; empty without its records."""
    try:
        lines = [recipe_table.baseline_run(line) for line in results.series(f"{RECIPE_HALF}/pytorch.jsonl").lines]
        run = results.records(f"{RECIPE_HALF}/ours_*.rec")[0]
    except records.MissingRecords:
        return ""
    theirs = [line["train_seconds"] for line in lines if line["side"] == "half"]
    ours = recipe_table.our_run(run.entries, "short26")["train_seconds"]
    return (f"With weights in fp16, which this call left out, PyTorch took {significant(sum(theirs) / len(theirs))} s next to "
            f"{significant(ours)} s in an earlier call (`{RECIPE_HALF}`).")


RECIPE_COMMAND = "python3 benchmarks/recipe.py --package lockstep --dataset dataset.rec --output out"


def recipe_block(results, folder, name, note=""):
    runs, series = results.records(f"{folder}/ours_*.rec"), results.series(f"{folder}/pytorch.jsonl")
    lines = [recipe_table.our_run(run.entries, name) for run in runs]
    lines += [recipe_table.baseline_run(line) for line in series.lines]
    known = recipe_table.sides(lines)
    command = f"{RECIPE_COMMAND} --recipe {name}`, which runs `{runs[0].command}"
    return block(recipe_table.answer(known, name, note), recipe_table.HEAD, recipe_table.rows(known),
                 source(runs, "n as above", series, files=[f"{folder}/ours_*.rec", "pytorch.jsonl"], command=command))


@table("recipe", "A short recipe to an accuracy, next to PyTorch", RECIPE_COMMAND)
def recipe(results):
    return recipe_block(results, RECIPE, "short26", weights_in_fp16(results))


def another_call(results, folder, name):
    """Returns a sentence on one run of each side in a later call of another version."""
    ours = recipe_table.our_run(results.record(f"{folder}/ours_*.rec").entries, name)
    theirs = recipe_table.baseline_run(results.series(f"{folder}/pytorch.jsonl").lines[0])
    ratio = significant(theirs["train_seconds"] / ours["train_seconds"])
    return (f"A later call for seed {theirs['seed']} (`{folder}`): {ratio} times, "
            f"{100 * ours['test_accuracy']:.2f} % and PyTorch {100 * theirs['test_accuracy']:.2f} %.")


@table("recipe_of_80", "A recipe of 80 epochs to an accuracy, next to PyTorch", f"{RECIPE_COMMAND} --recipe short80")
def recipe_of_80(results):
    return recipe_block(results, RECIPE_OF_80, "short80", another_call(results, RECIPE_OF_80_AGAIN, "short80"))


QUANTIZE_LINE = re.compile(r"(\w+) on 10000 test images: (.*?); argmax ties")


def quantized(text, wanted, label):
    """Returns [{stage: (accuracy, gained, lost)}] of the lines of `quantize` whose label matches; fp32 has no changes."""
    found = []
    for line in text.splitlines():
        match = QUANTIZE_LINE.search(line)
        if not match or match.group(1) != wanted or not re.search(label, line):
            continue
        stages = {}
        for name, value, gained, lost in re.findall(r"([\w' -]+?) ([\d.]+) %(?: \(\+(\d+) -(\d+)\))?(?:, |$)", match.group(2)):
            stages[name.strip()] = (float(value), gained, lost)
        found.append(stages)
    return found


def quantized_row(name, runs, stage):
    """Returns a row: the accuracy of each seed with the images gained and lost, and the mean change against fp32."""
    cells = [f"{run[stage][0]:.2f}" + (f" (+{run[stage][1]} -{run[stage][2]})" if run[stage][1] else "") for run in runs]
    change = sum(run[stage][0] - run["fp32"][0] for run in runs) / len(runs)
    return [name, *cells, "" if stage == "fp32" else f"{change:+.2f}"], change


@table("int8_accuracy", "Accuracy in int8")
def int8_accuracy(results):
    newest, earlier = results.text("2026-11-24-h200-int8/accuracies.txt"), results.text("2026-11-23-h200-int8/accuracies.txt")
    plain = quantized(earlier, "resnet18", r"^seed \d pt:")
    zero_points = quantized(earlier, "resnet18", r"^seed \d pczp:")
    tuned = quantized(newest, "resnet18", r"^seed \d, --fine_tune_epochs=3:")
    rows = [quantized_row(*row) for row in [
        ("fp32", plain, "fp32"), ("int8 weights", plain, "int8 weights"), ("all integers", plain, "and bias"),
        ("all integers, `--per_channel --zero_points`", zero_points, "and bias"),
        ("all integers, `--fine_tune_epochs=3`", tuned, "fine-tuned")]]
    answer = (f"In int8 ResNet-18 changes by {rows[2][1]:+.2f} points in the mean of three networks, and by {rows[3][1]:+.2f} with a "
              "scale for each channel and zero points. Accuracy in % (images that became correct and wrong):")
    line = ("NVIDIA H200; 2026-11-23 and 2026-11-24, commits 7c8a09e and aed3130; n = three seeds on 10,000 test images, 400 calibration images; "
            "`quantize --input=dataset.rec --checkpoint=resnet18.pt --per_channel --zero_points --device=cuda`; files: "
            "`accuracies.txt` of `2026-11-23-h200-int8` and `2026-11-24-h200-int8`.")
    return block(answer, ["", "seed 1", "seed 2", "seed 3", "mean change"], [cells for cells, _ in rows], line)


@table("lenet5_int8", "LeNet-5 in int8")
def lenet5_int8(results):
    text = results.text("2026-11-25-cpu-lenet5-int8/accuracies.txt")
    plain, bias = quantized(text, "lenet5", ""), quantized(text, "lenet5_bias", "")
    rows = [quantized_row(*row) for row in [
        ("without biases: fp32", plain, "fp32"), ("int8 weights", plain, "int8 weights"),
        ("and activations: all integers", plain, "and activations"),
        ("with biases: fp32", bias, "fp32"), ("int8 weights", bias, "int8 weights"), ("and activations", bias, "and activations"),
        ("and biases: all integers", bias, "and bias"),
        ("the lab's int8 weights, biases unscaled", bias, "the lab's weights with biases unscaled")]]
    answer = (f"In int8 LeNet-5 changes by {rows[2][1]:+.2f} points without biases and by {rows[6][1]:+.2f} with them; with biases that "
              f"are not scaled, as in the lab, by {rows[7][1]:+.2f}. Accuracy in % (images that became correct and wrong):")
    line = ("Two cores of an AMD EPYC; 2026-11-25, commit 07213a1; n = three seeds on 10,000 test images, 400 calibration images; "
            "`quantize --input=dataset.rec --checkpoint=lenet5_1.pt,lenet5_bias_1.pt --device=cpu --output=q_1.rec`; files: "
            "`2026-11-25-cpu-lenet5-int8/accuracies.txt`.")
    return block(answer, ["", "seed 1", "seed 2", "seed 3", "mean change"], [cells for cells, _ in rows], line)


@table("largest_batch", "The largest batch")
def largest_batch(results):
    sweeps = [("bf16, fast", results.records("2026-11-22-h200-shares-that-fit/batch_sweep.rec")),
              ("fp32, fast", results.records("2026-11-22-h200-side-by-side/batch_sweep_fp32.rec")),
              ("fp32, LibTorch in a graph", results.records("2026-11-22-h200-rest/batch_sweep_lab.rec.part"))]
    batches = sorted({point["batch_size"] for _, runs in sweeps for point in points(runs) if point["batch_size"] <= 50_000})
    rows = []
    for batch in batches:
        row = [f"{batch:,}"]
        for _, runs in sweeps:
            point = points(runs, batch_size=batch)
            if not point or point[0]["outcome"] != "COMPLETED":
                row += ["does not fit" if point else "-", ""]
                continue
            memory = [float(point[0][name]) / 1e9 for name in ("predicted_memory_bytes", "peak_memory_bytes")]
            row += [spread(epochs(runs, batch_size=batch)), " / ".join(map(significant, memory))]
        rows.append(row)
    ends = [[end["largest_fitting_batch"] for run in runs for end in run.all("end")] for _, runs in sweeps]
    rows.append(["largest that fits"] + [cell for end in ends for cell in (f"{end[0]:,}" if end else "not found", "")])
    runs = sweeps[0][1]
    answer = (f"In bf16 {ends[0][0]:,} images fit into {significant(float(runs[0].header['device'][0]['memory_bytes']) / 1e9)} GB, in fp32 "
              f"{ends[1][0]:,}. Seconds per 50,000 images, and memory predicted / used in GB:")
    head = ["batch"] + [cell for name, _ in sweeps for cell in (name, "memory")]
    files = [f"{one[0].path.parent.name}/{one[0].path.name}" for _, one in sweeps]
    commits = " (the others: {} and {})".format(*(one[0].commit for _, one in sweeps[1:]))
    return block(answer, head, rows, source(runs, "n = one timed epoch for each batch", files=files, commit=runs[0].commit + commits))


def last_epochs(runs, row):
    """Returns (loss, training %, test %, seconds of training) Samples over the seeds of one row of an experiment."""
    found = points(runs, row=row)
    last = [point["epoch"][-1] for point in found]
    seconds = [sum(epoch["train_seconds"] for epoch in point["epoch"]) for point in found]
    return (Sample([epoch["mean_loss"] for epoch in last]), Sample([100 * epoch["train_accuracy"] for epoch in last]),
            Sample([100 * epoch["test_accuracy"] for epoch in last]), Sample(seconds))


def distinguishable(one, other):
    """Returns true if two means differ by Welch's test at 95 %, with the fewest degrees of freedom that three runs each
    can have."""
    error = (one.deviation**2 / one.n + other.deviation**2 / other.n) ** 0.5
    return abs(one.mean - other.mean) > 4.303 * error  # Student's t, 2 degrees of freedom


def verdict(samples):
    """Returns a clause that states whether any two rows differ by more than their spread over runs."""
    pairs = [distinguishable(one, other) for i, one in enumerate(samples) for other in samples[:i]]
    return f"{samples[0].n} seeds {'distinguish some of' if any(pairs) else 'do not distinguish'} the accuracies"


def mean_and_deviation(sample):
    return f"{significant(sample.mean)} ± {significant(sample.deviation, 2)}"


@table("large_batch", "Large batches, five epochs")
def large_batch(results):
    small = results.records("2026-11-23-h200-large-batch/large_batch_8192.rec")
    large = results.records("2026-11-23-h200-large-batch/large_batch_32768.rec")
    names = rows_of(small)
    rows, means = [], {}
    for name in names:
        cells = []
        for runs, batch in ((small, "8192"), (large, "32768")):
            row = name.replace("8192", batch)
            loss, training, test, _ = last_epochs(runs, row)
            means[row] = test
            cells += [significant(loss.mean), significant(training.mean), mean_and_deviation(test)]
        label = "plain" if name == "8192" else name.removeprefix("8192, ")
        rows.append([label if name != "128" else "batch 128, in the same call", *cells])
    winner = max((row for row in means if row.startswith("8192, ")), key=lambda row: means[row].mean)
    answer = (f"After five epochs batch 128 has {mean_and_deviation(means['128'])} % on the test images, plain 8,192 "
              f"{mean_and_deviation(means['8192'])} %; the highest mean of a remedy is {mean_and_deviation(means[winner])} % ({winner[6:]}, "
              f"chosen among {len(names) - 2} rows by this accuracy). Loss and training accuracy of epoch 5, test accuracy in % "
              "(mean ± standard deviation):")
    head = ["", "8,192: loss", "training", "test", "32,768: loss", "training", "test"]
    commits = f"{small[0].commit} (32,768: {large[0].commit})"
    line = source(small, "n = three seeds per row", files=["2026-11-23-h200-large-batch"], command=shorter(small[0].command), commit=commits)
    return block(answer, head, rows, line)


def shorter(command):
    """Returns a command without the list of --rows, which the rows of the table show."""
    return shlex.join(word for word in shlex.split(command) if not word.startswith("--rows="))


@table("as_many_updates", "Large batches, as many updates")
def as_many_updates(results):
    rows, tests = [], {}
    calls = [results.records("2026-11-25-h100x2-all-reduce/large_8192.rec"), results.records("2026-11-26-h100x2-lab/large_32768.rec")]
    for runs in calls:
        for name in rows_of(runs):
            _, _, test, seconds = last_epochs(runs, name)
            passes = len(points(runs, row=name)[0]["epoch"])
            tests[name] = test
            rows.append([name.replace("8192", "8,192").replace("32768", "32,768"), str(passes), str(test.n), mean_and_deviation(test),
                         spread(seconds)])
    large = [f"{name.partition(',')[0]} with all remedies has {mean_and_deviation(test)} %" for name, test in tests.items() if name != "128"]
    answer = f"With as many updates as batch 128 makes in five epochs, {joined(large)}. Two H100, two rows per call:"
    commits = f"{calls[1][0].commit} (8,192: {calls[0][0].commit})"
    line = source(calls[1], "n = three seeds per row", commit=commits, files=[f"{r[0].path.parent.name}/{r[0].path.name}" for r in calls])
    return block(answer, ["batch", "epochs", "n", "test, %", "seconds of training"], rows, line)


@table("sampler_epoch", "The sampler's epoch")
def sampler_epoch(results):
    runs = results.records("2026-11-24-h100x2-exchange/sampler_epoch.rec")
    rows, tests = [], []
    for name in rows_of(runs):
        loss, training, test, _ = last_epochs(runs, name)
        ranks = [point["rank"][0] for point in points(runs, row=name)]
        tests.append(test)
        rows.append([name, mean_and_deviation(loss), mean_and_deviation(training), mean_and_deviation(test),
                     f"{min(int(rank['distinct_images_ever']) for rank in ranks):,}",
                     significant(100 * sum(rank["repeated_batch_share"] for rank in ranks) / len(ranks)) + " %"])
    answer = (f"Without the epoch number a rank sees {rows[1][4]} of the 50,000 images in total, with it at least {rows[0][4]}; {verdict(tests)} "
              f"({mean_and_deviation(tests[1])} and {mean_and_deviation(tests[0])} %). Epoch 5, mean ± standard "
              "deviation:")
    head = ["", "loss", "training, %", "test, %", "images that rank 0 saw", "batches repeated from the previous epoch"]
    return block(answer, head, rows, source(runs, "n = three seeds per row"))


@table("what_is_sent", "What is sent besides gradients")
def what_is_sent(results):
    runs = results.records("2026-11-24-h100x2-exchange/what_is_sent.rec")
    rows, tests = [], []
    for name in rows_of(runs):
        _, _, test, _ = last_epochs(runs, name)
        point = points(runs, row=name)[0]
        steps = {item["kind"]: float(item["size_bytes"]) / float(item["steps"]) for item in point["traffic"] if float(item["steps"])}
        gradients = steps.pop("gradients")
        tests.append(test)
        rows.append([name, f"{gradients:,.0f}", f"{sum(steps.values()):,.0f}", mean_and_deviation(test)])
    answer = (f"Besides {rows[0][1]} bytes of gradients per step, broadcast buffers send {rows[1][2]} bytes and batch norm over all ranks "
              f"{rows[2][2]}; after five epochs {verdict(tests)}:")
    return block(answer, ["", "gradients, bytes per step", "other bytes per step", "test, % (mean ± standard deviation)"], rows,
                 source(runs, "n = three seeds per row"))


@table("lab", "The lab's table")
def lab(results):
    four = results.records("2026-11-21-h200x4-fp32/scale.rec")
    ddp, dp = results.records("2026-11-23-h200x2-ranks/ddp.rec"), results.records("2026-11-23-h200x2-ranks/dp.rec")
    head = ["batch per GPU", "1 GPU", "1, reducer", "2", "2, nothing sent", "4", "T_1/T_2", "T_1/T_4", "strong, 4",
            "whole set: 1", "2, DDP", "2, DataParallel"]
    rows, speedup = [], []
    for batch in BATCHES:
        def seconds(runs, ranks, reduction, size=None):
            return epochs(runs, ranks=ranks, reduction=reduction, batch_per_device=size or batch)
        one, two, all_four = seconds(four, 1, "PLAIN"), seconds(four, 2, "ALL_REDUCE"), seconds(four, 4, "ALL_REDUCE")
        base = seconds(four, 1, "PLAIN", 4 * batch)
        speedup.append(one.median / all_four.median)
        rows.append([str(batch), spread(one), spread(seconds(four, 1, "ALL_REDUCE")), spread(two), spread(seconds(four, 2, "ABLATED")),
                     spread(all_four), significant(one.median / two.median), significant(speedup[-1]),
                     significant(base.median / all_four.median) if base else "", spread(seconds(ddp, 1, "PLAIN")),
                     spread(seconds(ddp, 2, "ALL_REDUCE")), spread(seconds(dp, 2, "STAR"))])
    answer = (f"In fp32 with the lab's settings four GPUs train {significant(min(speedup))} to {significant(max(speedup))} times as fast as "
              "one at the same batch per GPU. Seconds per epoch of 5,000 images; whole set: of 50,000, two other H200:")
    note = f"n = {epochs_and_processes(seconds(four, 1, 'PLAIN'))}, of the whole set one epoch (commit {dp[0].commit})"
    line = source(four, note, files=["2026-11-21-h200x4-fp32/scale.rec", "2026-11-23-h200x2-ranks/ddp.rec", "dp.rec"])
    return block(answer, head, rows, line)


def bytes_text(count):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count % unit == 0:
            return f"{count // unit:,} {name}"
    return f"{count / 1e6:.1f} MB"


@table("all_reduce_gpu", "All-reduce on two GPUs", "NCCL_NVLS_ENABLE=0 gpu_all_reduce_benchmark --record=collectives.rec")
def all_reduce_gpu(results):
    runs = results.records(f"{HEADLINE}/collectives.rec")
    theirs = results.series(f"{HEADLINE}/all_reduce_peers.jsonl")
    times = collections.defaultdict(dict)
    for entry in runs[0].all("times"):
        if entry["collective"] == "all_reduce" and entry["type"] == "bf16":
            times[int(entry["size_bytes"])][entry["way"]] = Sample(entry["seconds"]["value"])
    rivals = {}  # fastest of NCCL here, with and without a window, and of PyTorch's one and two shots
    for size, ways in times.items():
        shots = [theirs.sample(case=case, type="bf16", bytes=size) for case in ("symm_mem_one_shot", "symm_mem_two_shot")]
        ways["shots"] = min((sample for sample in shots if sample), key=lambda sample: sample.median, default=None)
        rivals[size] = min(sample.median for sample in (ways["nccl"], ways.get("nccl_window"), ways["shots"]) if sample)
    ratio = {size: rivals[size] / ways["auto"].median for size, ways in times.items()}
    shown = [1 << 10, 64 << 10, 2 << 20, 32 << 20, 44695848, 1 << 30]
    columns = {"nccl": "NCCL", "nccl_window": "NCCL, window", "shots": "PyTorch's shots", "one_shot": "one shot",
               "two_shots": "two shots", "copies": "copies", "auto": "`auto`"}
    if not any("nccl_window" in ways for ways in times.values()):  # records of older builds
        del columns["nccl_window"]
    rows = [[bytes_text(size)] + [spread(times[size].get(way), 1e6) for way in columns] + [significant(ratio[size])] for size in shown]
    answer = (f"The way that `auto` chooses is {significant(min(ratio.values()))} to {significant(max(ratio.values()))} times as fast as the "
              f"faster of NCCL and PyTorch's symmetric memory, over all {len(times)} sizes from {bytes_text(min(times))} to "
              f"{bytes_text(max(times))}. bf16, in place, in a CUDA graph, multicast off; microseconds per call:")
    head = ["bytes", *columns.values(), "faster baseline / `auto`"]
    n = times[shown[0]]["nccl"].n
    return block(answer, head, rows, source(runs, f"n = {n} replays per cell, one process", theirs))


def all_reduces_on_cpus(text):
    """Returns {bytes: {ranks: counters}} of what all_reduce_benchmark printed; counters of Gloo begin with gloo_.

    A row has one method. In results before 2026-11-28 it has both, and another name.
    """
    rows = collections.defaultdict(lambda: collections.defaultdict(dict))
    for match, counters in records.benchmark_counters(text, r"BM_AllReduce/processes:(\d+)/bytes:(\d+)/"):
        rows[int(match.group(2))][int(match.group(1))] = counters
    name = r"all_reduce/ranks:(\d+)/type:float/bytes:(\d+)/method:(\w+)/"
    for match, counters in records.benchmark_counters(text, name):
        prefix = "gloo_" if match.group(3) == "gloo" else ""
        named = {prefix + counter: value for counter, value in counters.items()}
        rows[int(match.group(2))][int(match.group(1))].update(named)
    return rows


@table("all_reduce_cpu", "All-reduce on CPUs", "bazel run //benchmarks:all_reduce_benchmark -- --record=collective_times.rec")
def all_reduce_cpu(results):
    rows = all_reduces_on_cpus(results.text("2026-11-26-cpu-all-reduce/all_reduce.txt"))
    cells, ratios = [], []
    for size, by_processes in sorted(rows.items()):
        row = [bytes_text(size)]
        for processes in (2, 4):
            one = by_processes[processes]
            row += [f"{significant(one['us'])} ({significant(one['us_p95'])})", f"{significant(one['gloo_us'])} ({significant(one['gloo_us_p95'])})",
                    significant(one["ratio"])]
            ratios += [one["ratio"]] if size >= 64 << 10 else []
        if size in (1 << 10, 64 << 10, 1 << 20, 4 << 20, 32 << 20):
            cells.append(row)
    turns = [int(one["turns"]) for by_processes in rows.values() for one in by_processes.values()]
    answer = (f"From 64 KiB upwards shared memory is {significant(min(ratios))} to {significant(max(ratios))} times as fast as Gloo. Microseconds, the median "
              "with the 95th percentile (this run kept no other values); four processes share two cores:")
    line = ("Two cores of an AMD EPYC; PyTorch 2.11.0, GCC 12; 2026-11-26, commit 1a9b5f2; n = "
            f"{min(turns)} to {max(turns)} turns per cell; `nice -n -10 all_reduce_benchmark --benchmark_filter=AllReduce`; "
            "files: `2026-11-26-cpu-all-reduce/all_reduce.txt`.")
    return block(answer, ["bytes", "two", "two, Gloo", "ratio", "four", "four, Gloo", "ratio"], cells, line)


# Rows of ResNet-18, also by the names of results before 2026-11-28 (network/resnet18/1024/wgmma).
INT8_GPU_ROW = r"network/resnet18/(?:batch:)?(\d+)/(?:isa:)?wgmma"


@table("int8_gpu", "int8 on a GPU", "int8_gpu_benchmark --benchmark_filter='peak|network/resnet18/.*wgmma' --benchmark_repetitions=3")
def int8_gpu(results):
    file = json.loads(results.text(f"{HEADLINE}/int8_gpu_benchmark.json"))
    rates = collections.defaultdict(list)
    for one in file["benchmarks"]:
        match = re.match(INT8_GPU_ROW, one["name"])
        if match:
            rates[int(match.group(1))].append(one["images_s"])
    samples = {batch: Sample(values) for batch, values in sorted(rates.items())}
    times = {batch: Sample([batch / value for value in sample.values]) for batch, sample in samples.items()}
    answer = (f"ResNet-18 in int8 processes {significant(samples[1024].median)} images/s at batch 1,024, and one image in "
              f"{significant(1e6 * times[1].median)} us:")
    run = results.records(f"{HEADLINE}/sweep_*.rec")[0]
    line = (f"{run.machine()}; CUDA {run.versions()['CUDA']}; {file['context']['date'][:10]}, commit {run.commit}; n = {samples[1].n} "
            "repetitions, each the median of five measurements of some 50 ms; `int8_gpu_benchmark "
            "--benchmark_filter='peak|network/resnet18/(1|8|64|256|1024)/wgmma' --benchmark_repetitions=3`; files: "
            f"`{HEADLINE}/int8_gpu_benchmark.json`.")
    return block(answer, ["batch", *(f"{batch:,}" for batch in samples)],
                 [["images/s", *map(spread, samples.values())], ["us per call", *(spread(sample, 1e6) for sample in times.values())]], line)


@table("int8_cutlass", "Layers in int8 on a GPU, next to CUTLASS", "int8_cutlass --batch 1024 256 > int8_cutlass.jsonl")
def int8_cutlass(results):
    """Each distinct convolution of ResNet-18. Ours also have a start value and a factor for each channel."""
    lines = [json.loads(line) for line in results.text(f"{INT8_LAYERS}/int8_cutlass.jsonl").splitlines()]
    file = json.loads(results.text(f"{INT8_LAYERS}/int8_gpu_benchmark.json"))
    ours = {match.groups(): one["us"] for one in file["benchmarks"]
            if (match := re.match(r"layer/(resnet18/[\w.]+)/batch:(\d+)/isa:wgmma", one["name"]))}
    rows, ratios = [], []
    for layer in dict.fromkeys(line["layer"] for line in lines):
        row = [f"`{layer.removeprefix('resnet18/')}`"]
        for line in (line for line in lines if line["layer"] == layer):
            theirs, mine = Sample([1e6 * value for value in line["seconds"]]), ours[layer, str(line["batch"])]
            ratios.append(theirs.median / mine)
            row += [significant(mine), spread(theirs), significant(ratios[-1])]
        rows.append(row)
    wrong = sum(one["wrong_elements"] for line in lines for one in line["configurations"])
    answer = (f"Our convolutions in int8 are {significant(min(ratios))} to {significant(max(ratios))} times as fast as the fastest of "
              f"CUTLASS's {len({one['case'] for line in lines for one in line['configurations']})} configurations; {wrong} elements of its "
              "results are wrong. Microseconds per launch:")
    batches = list(dict.fromkeys(line["batch"] for line in lines))
    head = ["layer", *(cell for batch in batches for cell in (f"{batch:,}: ours", "CUTLASS", "CUTLASS / ours"))]
    first = lines[0]
    line = (f"{first['device']}; CUDA {first['versions']['cuda']}, CUTLASS {first['versions']['cutlass']}; {file['context']['date'][:10]}, "
            "commits a136979f038f and 21d79d785a1d; n = 5 measurements of CUTLASS, ours their median; `int8_cutlass --batch 1024 256`, "
            "`int8_gpu_benchmark --benchmark_filter='layer/resnet18/.*:(1024|256)/isa:wgmma' --benchmark_out=int8_gpu_benchmark.json`; "
            f"files: `{INT8_LAYERS}/int8_cutlass.jsonl`, `int8_gpu_benchmark.json`. CUTLASS has one factor for all channels, ours one for "
            "each, and a start value; `conv1` has 4 channels there and 16 here.")
    return block(answer, head, rows, line)


def predictions(results, made_before, shared_gpus=False):
    """Returns the predictions, one row for each run with its three batches, and the number inside their interval."""
    lines = [line for line in results.lines("predictions.jsonl") if line["made_before_run"] == made_before
             and (line.get("gpus", line["ranks"]) < line["ranks"]) == shared_gpus]
    runs, inside = collections.defaultdict(dict), 0
    for line in lines:
        holds = line["low"] <= line["measured"] <= line["high"]
        inside += holds
        runs[line["kept_in"]][line["batch"]] = (
            f"{significant(line['predicted'])} [{significant(line['low'])}, {significant(line['high'])}], {significant(line['measured'])}: "
            f"{100 * (line['predicted'] / line['measured'] - 1):+.1f} %" + ("" if holds else ", outside"))
    rows = []
    for name, cells in runs.items():
        line = next(line for line in lines if line["kept_in"] == name)
        gpus = f"{line.get('gpus', line['ranks'])} {line['device'].split()[1]}"
        rows.append([f"{line['date']}, {gpus}, {line['note']}", *(cells[batch] for batch in BATCHES)])
    return lines, rows, inside


PREDICTION_HEAD = ["run", *(f"batch {batch}" for batch in BATCHES)]


def prediction_source(lines, command):
    commits = ", ".join(dict.fromkeys(line["commit"][:7] for line in lines))
    device = joined(dict.fromkeys(line["device"] for line in lines))
    return (f"{device}; commits {commits}; n = {len(lines)} predictions, each of a mean of timed epochs; {command}; "
            "files: `predictions.jsonl`.")


SLOW_LINK = "`benchmarks/gpu_pair.sh lockstep dataset.rec out slow_link`"


def prediction_answer(kind, lines, inside):
    off = Sample([abs(line["predicted"] / line["measured"] - 1) * 100 for line in lines])
    linear = Sample([abs(line["linear"] / line["measured"] - 1) * 100 for line in lines])
    return (f"Of {len(lines)} predictions {kind}, {inside} lie within their 95 % interval; they are off by "
            f"{significant(off.median, 2)} % in the median and {significant(off.maximum)} % at most, "
            f"T_1/N by {significant(linear.median, 2)} and {significant(linear.maximum, 2)} %. Seconds predicted [95 % interval], "
            "measured, and the error:")


@table("predicted_before", "Predictions written before their runs")
def predicted_before(results):
    lines, rows, inside = predictions(results, True)
    answer = prediction_answer("written before their runs, with a GPU for each rank", lines, inside)
    command = f"`benchmarks/gpu_pair.sh lockstep dataset.rec out all_reduce all`, over sockets {SLOW_LINK}"
    return block(answer, PREDICTION_HEAD, rows, prediction_source(lines, command))


@table("predicted_virtual_hosts", "Predictions of virtual hosts on shared GPUs")
def predicted_virtual_hosts(results):
    lines, rows, inside = predictions(results, True, shared_gpus=True)
    answer = prediction_answer("of four ranks that share one or two GPUs, written before their runs", lines, inside)
    command = ("`LOCKSTEP_RANKS_PER_GPU=4 benchmarks/gpu_pair.sh lockstep dataset.rec out hosts` (2 on two GPUs; \"one host over\": "
               "the exchange of the run that the prediction is made from; \"network of\": the ranks of the all-reduce that the link "
               "is computed from, two without those words)")
    return block(answer, PREDICTION_HEAD, rows, prediction_source(lines, command))


@table("predicted_after", "Fitted with knowledge of the runs")
def predicted_after(results):
    lines, rows, inside = predictions(results, False)
    off = Sample([abs(line["predicted"] / line["measured"] - 1) * 100 for line in lines])
    answer = (f"Fitted with knowledge of the runs: {inside} of {len(lines)} inside, off by {significant(off.median, 2)} % in the median and "
              f"{significant(off.maximum, 2)} % at most. These models were written, and the intervals over sockets widened, after the runs "
              "were known:")
    command = ("`comm_model --input=scale.rec --times=data/published/pytorch_ddp_4xh200.csv --fit_ranks=2 --output=fitted.rec`; over sockets "
               f"{SLOW_LINK}")
    return block(answer, PREDICTION_HEAD, rows, prediction_source(lines, command))


def series_table(answer, path, field, unit, reference):
    """Returns a build function for a file of benchmarks/measurements.py: one row per case, and its ratio to
    `reference`.

    The reference of a case is the one with the same settings, of the same variant ("fp32 nchw" in "PyTorch, fp32
    nchw") if there is one.
    """
    def build(results):
        series = results.series(path)
        rows, samples = [], {}
        for line in series.lines:
            settings = "".join(f", {name} {line[name]}" for name in ("batch", "threads", "workers") if name in line)
            if field in line:
                samples.setdefault((line["case"], settings), []).extend(line[field])
        pooled = {case: Sample(values) for case, values in samples.items()}
        for (name, settings), sample in pooled.items():
            variant = name.partition(", ")[1] + name.partition(", ")[2]
            base = pooled.get((reference + variant, settings)) or pooled[reference, settings]
            rows.append([name + settings, spread(sample), str(sample.n), significant(sample.median / base.median)])
        first = series.lines[0]
        versions = ", ".join(f"{name} {version}" for name, version in first["versions"].items())
        machine = first.get("device") or f"{first['cores']} cores of {first['cpu']}"
        line = (f"{machine}, load {first['load']:.1f}; {versions}; {first['time'][:10]}, commit "
                f"{first['commit'][:12]}; n as above; `{first['command']}`; files: `{path}`.")
        return block(f"{answer} {unit}:", ["", unit, "n", f"/ {reference}"], rows, line)
    return build


for _name, _title, _answer, _path, _field, _unit, _reference, _command in [
    ("loader", "The loader", "Batches of augmented images by two workers.", "*-cpu-loader/loader.jsonl", "images_per_second", "images/s", "ours",
     "bazel run //benchmarks:loader_speed -- --output=loader.jsonl"),
    ("cpu_step", "The step on the CPU", "One step of ResNet-18 on the CPU.", "*-cpu-step/step.jsonl", "seconds", "s", "ours",
     "bazel run //benchmarks:cpu_step_speed -- --batch 32 --threads 1 2 --steps 1 --output=step.jsonl"),
    ("cifar_prep", "cifar_prep", "60,000 JPEG pictures into a record file.", "*-cpu-cifar-prep/cifar_prep.jsonl", "images_per_second", "images/s",
     "jpeg, ours", "bazel run //benchmarks:cifar_prep_speed -- --binary=cifar-10-batches-bin --jpeg=cifar10-jpeg.tar.xz --output=cifar_prep.jsonl"),
    ("cifar_prep_binary", "cifar_prep, a binary folder", "60,000 images of the binary version into a record file.", "*-cpu-cifar-prep/cifar_prep.jsonl",
     "seconds", "s", "binary, ours", ""),
    ("lab_speed", "The lab's step and eager PyTorch", "An epoch in fp32 with the lab's settings.", "*-lab-speed/lab.jsonl", "step_seconds", "s", "PyTorch, steps",
     "python3 benchmarks/lab_speed.py --package lockstep --batch 512 32 --ways lab graph fused --output lab.jsonl"),
]:
    table(_name, _title, _command)(series_table(_answer, _path, _field, _unit, _reference))

# Programs of Google Benchmark and others. Their earlier figures are in the folders of results/; their newest version
# has no record of every measurement.
ONLY_COMMANDS = [
    ("Record files", "bazel run //benchmarks:record_io_benchmark -- --benchmark_repetitions=9 --benchmark_out=record_io.json"),
    ("int8 on CPUs", "bazel run //benchmarks:int8_benchmark -- --benchmark_repetitions=9 --benchmark_out=int8.json"),
    ("Layers in int8 on GPUs, and cuBLASLt", "int8_gpu_benchmark --benchmark_filter='resnet18/.*:1024/isa:wgmma|cublaslt' --benchmark_out=int8_gpu.json"),
    ("Convolutions by cuDNN and by our kernels, with a batch norm's sums", "convolution_benchmark 512 128 32 && convolution_batch_norm_benchmark 512 128 32"),
    ("Parts of a tile's time in layer 1's data gradients", "convolution_batch_norm_benchmark laps 128 512"),
    ("GPU kernels, and the step piece by piece", "kernels_benchmark --benchmark_repetitions=9 && fused_step_benchmark 512 128 32"),
]


def blocks(root):
    """Returns {(kind, name): text} of every table and figure; a table is empty if its records are not below `root`."""
    results = records.Results(root / "benchmarks" / "results")
    found, missing = {}, []
    for name, entry in TABLES.items():
        try:
            found["table", name] = entry.build(results)
        except MissingRecords:
            found["table", name] = ""
            missing.append((entry.title, entry.command))
    rows = [[title, f"`{command.replace('|', chr(92) + '|')}`"] for title, command in missing + ONLY_COMMANDS if command]
    found["table", "not_measured"] = render.table(["what", "command"], rows)
    for name, figure in FIGURES.items():
        try:
            found["figure", name] = figure(results)
        except MissingRecords:
            found["figure", name] = "(not measured)"
    return found


def range_of_ratios(results, gpus):
    ratio = Headline(results, gpus).ratio.values()
    return f"{significant(min(ratio))} to {significant(max(ratio))} times"


def gpu_name(results):
    return Headline(results, 1).runs[0].header["device"][0]["name"]


def seconds_by_batch(sample_of):
    """Returns the medians of sample_of(batch) over the three batches of the pages, as a sentence's part."""
    return f"{joined(significant(sample_of(batch).median) for batch in BATCHES)} s at batch {joined(map(str, BATCHES))}"


def one_gpu_epoch(results):
    runs = Headline(results, 1).runs
    return seconds_by_batch(lambda batch: epochs(runs, batch_size=batch))


def two_gpu_lab_epoch(results):
    runs = results.records("2026-11-23-h200x2-ranks/ddp.rec")
    device = runs[0].header["device"][0]["name"]
    seconds = seconds_by_batch(lambda batch: epochs(runs, ranks=2, reduction="ALL_REDUCE", batch_per_device=batch))
    return f"{seconds} of each GPU ({device})"


def shares_of_linear(results):
    share = Headline(results, 2).shares(2).values()
    return f"{significant(min(share))} to {significant(max(share))} %"


def largest(results):
    run = results.record("2026-11-22-h200-shares-that-fit/batch_sweep.rec")
    return f"{run.all('end')[0]['largest_fitting_batch']:,} images on one {run.header['device'][0]['name']}"


def mean_accuracy(results):
    sample, _ = accuracy_runs(results, program="train_sweep", batch="128", gpus="1")
    return f"{sample.mean:.1f} ± {sample.deviation:.1f} %"


def int8_change(results):
    runs = quantized(results.text("2026-11-23-h200-int8/accuracies.txt"), "resnet18", r"^seed \d pczp:")
    return f"{quantized_row('', runs, 'and bias')[1]:+.2f} points"


def predicted_inside(results):
    lines, _, inside = predictions(results, True)
    return f"{inside} of {len(lines)}"


FIGURES = {
    "one_gpu_ratio": lambda results: range_of_ratios(results, 1), "two_gpu_ratio": lambda results: range_of_ratios(results, 2),
    "two_gpu_share": shares_of_linear, "largest_batch": largest, "accuracy": mean_accuracy, "int8_change": int8_change,
    "predicted_inside": predicted_inside, "gpu": gpu_name, "one_gpu_epoch": one_gpu_epoch,
    "two_gpu_lab_epoch": two_gpu_lab_epoch,
}
