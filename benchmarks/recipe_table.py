"""Runs of one recipe by train_sweep and by PyTorch as lines, and their table: accuracy, seconds and ratios."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "page"), str(HERE / "peers")]
import recipes  # noqa: E402
import render  # noqa: E402
from records import Sample  # noqa: E402

OURS = "ours"
LABELS = {
    OURS: "`train_sweep --preset=fast`",
    "graph": "PyTorch, the step in a CUDA graph",
    "compile_graph": "PyTorch, compiled, in a CUDA graph",
    "half": "PyTorch, compiled, in a CUDA graph, weights in fp16",
}
FIELDS = ["seed", "test_accuracy", "mirrored_test_accuracy", "train_seconds", "evaluate_seconds", "dataset_sha256"]


def our_run(entries, recipe):
    """Returns the line of one record of train_sweep, given as JSON; `recipe` is a name of recipes.RECIPES.

    Raises ValueError if the record does not have exactly one completed point, or other settings than the recipe.
    """
    of = {kind: [entry[kind] for entry in entries if kind in entry] for kind in ("header", "spec", "point")}
    outcomes = [point.get("outcome") for point in of["point"]]
    if outcomes != ["COMPLETED"]:
        raise ValueError(f"expected one completed point, found {outcomes}")
    found = recipes.differences(recipes.RECIPES[recipe], of["spec"][0])
    if found:
        raise ValueError(f"expected the settings of {recipe} in benchmarks/peers/recipes.py, found {'; '.join(found)}")
    epochs = of["point"][0]["epoch"]
    return {
        "side": OURS, "recipe": recipe, "seed": int(of["spec"][0]["training"].get("seed", 0)),
        "test_accuracy": epochs[-1]["test_accuracy"], "mirrored_test_accuracy": epochs[-1]["mirrored_test_accuracy"],
        "train_seconds": sum(epoch["train_seconds"] for epoch in epochs),
        "evaluate_seconds": sum(epoch.get("evaluate_seconds", 0) for epoch in epochs),
        "dataset_sha256": of["header"][0]["input"][0]["sha256"],
    }


def baseline_run(line):
    """Returns the line of one run of recipe_pytorch.py."""
    return {"side": line["case"], "recipe": line["recipe"], **{name: line[name] for name in FIELDS}}


def accuracy(sample):
    deviation = f" ± {sample.deviation:.2f}" if sample.deviation is not None else ""
    return f"{sample.mean:.2f}{deviation}"


def mean_seconds(sample):
    mean = render.significant(sample.mean)
    ends = f" ({render.significant(sample.minimum)} to {render.significant(sample.maximum)})"
    return mean + (ends if sample.n > 1 else "")


class Side:
    """All runs of train_sweep, or of one kind of the baseline."""

    def __init__(self, name, runs):
        def of(value):
            return Sample([value(run) for run in runs], len(runs))

        self.label, self.seeds = LABELS[name], len({run["seed"] for run in runs})
        self.plain = of(lambda run: 100 * run["test_accuracy"])
        self.mirrored = of(lambda run: 100 * run["mirrored_test_accuracy"])
        self.train = of(lambda run: run["train_seconds"])
        self.total = of(lambda run: run["train_seconds"] + run["evaluate_seconds"])

    def row(self, ours):
        def ratio(name):
            return render.significant(getattr(self, name).mean / getattr(ours, name).mean) if ours else "-"

        return [self.label, str(self.seeds), accuracy(self.plain), accuracy(self.mirrored), mean_seconds(self.train),
                ratio("train"), mean_seconds(self.total), ratio("total")]


HEAD = ["", "seeds", "test accuracy, %", "with the mirror image, %", "s of training", "ratio to ours",
        "s with evaluation", "ratio to ours"]


def sides(runs):
    """Returns {name: Side} in the order of LABELS. Raises ValueError if the runs have not read the same data set."""
    digests = {run["dataset_sha256"] for run in runs}
    if len(digests) != 1:
        raise ValueError(f"expected runs on one data set, found the digests {', '.join(sorted(digests)) or '(none)'}")
    return {name: Side(name, [run for run in runs if run["side"] == name])
            for name in LABELS if any(run["side"] == name for run in runs)}


def answer(known, recipe, note=""):
    """Returns the sentences above the table. `known`: sides() with ours and at least one other. `note`: a sentence on
    what the table leaves out."""
    ours = known[OURS]
    fastest = min((side for name, side in known.items() if name != OURS), key=lambda side: side.train.mean)
    ratio, difference = fastest.train.mean / ours.train.mean, ours.plain.mean - fastest.plain.mean
    return (f"`train_sweep --recipe={recipe}` trains {render.significant(ratio)} times as fast as the fastest of "
            f"PyTorch's kinds, and its test accuracy differs by {difference:+.2f} points. {note + ' ' if note else ''}Means of "
            "all runs, ± standard deviation (smallest to largest):")


def rows(known):
    return [side.row(known.get(OURS)) for side in known.values()]


def text(runs, recipe):
    """Returns answer and table as Markdown."""
    known = sides(runs)
    first = [render.paragraph(answer(known, recipe))] if OURS in known and len(known) > 1 else []
    return "\n\n".join([*first, render.table(HEAD, rows(known))])
