"""Measures a recipe to an accuracy: train_sweep --recipe next to PyTorch's training by the same recipe, on one GPU.

    python3 benchmarks/recipe.py --package FOLDER --dataset dataset.rec --output OUT [--recipe short26] [--seeds 1 2 3]
        [--kinds compile_graph half] [--seconds 480]

FOLDER is made by tools/package.sh. The baseline is benchmarks/peers/recipe_pytorch.py in each of --kinds. All sides
train each seed on the same data set, one after another in separate processes; nothing else runs meanwhile, and the
order is rotated from seed to seed. The first program is train_sweep: if its record has other settings than the baseline
(benchmarks/peers/recipes.py), nothing else is run. A run that would not end within --seconds is left out, and the
output reports this.

OUT gets the records ours_SEED.rec; pytorch.jsonl, a line for each run of the baseline; runs.jsonl, a line for each run
of both; gpu.jsonl, clocks and power; log.txt; and tables.md, which is also printed: means of accuracies and seconds,
standard deviations of accuracies, and ratios. Seconds are those of training, and of training and evaluation; neither
has the data set's upload, the building of the model or the compilation. Exits 1 if a program failed or the settings
differ. --dry_run prints the commands.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import headline  # noqa: E402
import headline_table  # noqa: E402
import recipe_table  # noqa: E402


def programs(given, seed):
    """Returns {name: command} of one seed, ours first; commands run in the folder --output."""
    ours = [given.package / "train_sweep", "--input=dataset.rec", "--preset=fast", f"--recipe={given.recipe}",
            f"--seed={seed}", "--force", f"--output=ours_{seed}.rec"]
    baseline = [sys.executable, HERE / "peers" / "recipe_pytorch.py", "dataset.rec", f"--recipe={given.recipe}",
                f"--seed={seed}", "--output=pytorch.jsonl"]
    theirs = {f"{kind}, seed {seed}": [*baseline, f"--kind={kind}"] for kind in given.kinds}
    return {f"ours, seed {seed}": ours, **theirs}


def runs(given):
    """Returns the lines of all runs in --output. Raises ValueError if a record does not have the recipe."""
    found = []
    for record in sorted(given.output.glob("ours_*.rec")):
        try:
            found.append(recipe_table.our_run(headline.as_json(given.package, record)["record"], given.recipe))
        except ValueError as error:
            raise ValueError(f"{record.name}: {error}") from error
    lines = headline.json_lines(given.output / "pytorch.jsonl")
    return found + [recipe_table.baseline_run(line) for line in lines if line["recipe"] == given.recipe]


def measure(session, given):
    for turn, seed in enumerate(given.seeds, 1):
        todo = programs(given, seed)
        if turn == 1:
            name = next(iter(todo))
            session.take_turn(turn, {name: todo.pop(name)})
            if not runs(given):
                raise ValueError(f"{name}: no record; see log.txt")
        session.take_turn(turn, todo)


def write_results(given):
    found = runs(given)
    (given.output / "runs.jsonl").write_text("".join(json.dumps(run) + "\n" for run in found))
    readings = headline_table.readings(headline.json_lines(given.output / "gpu.jsonl"))
    text = "\n\n".join(filter(None, [recipe_table.text(found, given.recipe), readings])) + "\n"
    (given.output / "tables.md").write_text(text)
    print(text, end="", flush=True)


def main():
    parser = headline.session_parser(__doc__, seconds=480)
    parser.add_argument("--dataset", type=headline.path, required=True)
    parser.add_argument("--recipe", choices=recipe_table.recipes.RECIPES, default="short26")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--kinds", nargs="+", choices=[name for name in recipe_table.LABELS if name != "ours"],
                        default=["compile_graph", "half"], help="kinds of the baseline")
    given = parser.parse_args()
    if given.dry_run:
        for seed in given.seeds:
            headline.print_commands(programs(given, seed))
        return
    session = headline.Session(given)
    session.link("dataset.rec", given.dataset)
    try:
        measure(session, given)
        write_results(given)
    except ValueError as error:
        sys.exit(f"recipe.py: error: {error}")
    sys.exit(1 if session.failed else 0)


if __name__ == "__main__":
    main()
