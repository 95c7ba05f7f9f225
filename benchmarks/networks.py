"""Measures each network other than ResNet-18 on ten classes next to PyTorch's step of the same network on one GPU.

    python3 benchmarks/networks.py --package FOLDER --output OUT [--cases fused | autograd | NAME ...] [--turns 2]

FOLDER is made by tools/package.sh. Two groups of cases have names of their own:

  fused     ResNet-18 with 100 classes, ResNet-34 with 10 and 100 classes
  autograd  all others, whose step --preset=fast captures from LibTorch's autograd

The data sets have 50,000 images of 32x32, which cifar_prep makes (synthetic) unless --dataset_10 or --dataset_100 names
a file. The baseline is benchmarks/peers/networks_pytorch.py: the whole step in a CUDA graph, and the same under
torch.compile. Both sides train at batch 512 and 128.

Ours and the baseline alternate, each in a separate process. A process runs both batches, and the baseline's runs all
--kinds, too. Ours is the first in odd turns, the baseline in even turns. As in headline.py, nothing else runs then,
baselines read from the second turn on what they compiled in the first one, and a program that would not end within
--seconds is left out of that turn. PyTorch compiles for minutes, so all cases do not fit into one call of ten minutes:
run each group in a call of its own, with the same --output. To measure a case again, use a new --output, because
baselines.jsonl is appended to.

OUT gets the records CASE_TURN.rec of ours, baselines.jsonl, gpu.jsonl (clocks and power, like headline.py) and
log.txt. Exits 1 if a program failed. --dry_run prints the commands of the first turn.

With --gpus 2 there is no baseline. Each case, by default those of the group autograd, runs once: scale_run on one and
two GPUs at batch 1024, 512, 256 and 64 per GPU; comm_model, which predicts batch 128 on two; scale_run at 128; and the
prediction's score. OUT gets CASE_two.rec, CASE_prediction.rec, CASE_128.rec and CASE_score.rec.
"""

import collections
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import headline  # noqa: E402

BATCHES = ["512", "128"]
IMAGES = 50_000
STEPS = ["fused", "autograd"]

Case = collections.namedtuple("Case", "step model classes")
CASES = {
    "resnet18_100": Case("fused", "resnet18", 100),
    "resnet34_10": Case("fused", "resnet34", 10),
    "resnet34_100": Case("fused", "resnet34", 100),
    "resnet18_torchvision": Case("autograd", "resnet18_torchvision", 10),
    "resnet18_plain": Case("autograd", "resnet18_plain", 10),
    "lenet5": Case("autograd", "lenet5", 10),
    "lenet5_bias": Case("autograd", "lenet5_bias", 10),
    "mlp_1024x3": Case("autograd", "mlp:1024x3", 10),
    "vit_tiny": Case("autograd", "vit_tiny", 10),
}


def dataset(classes):
    return f"dataset_{classes}.rec"


def data_sets(given, cases):
    """Returns {name: command} of the data sets that `cases` need and that are not given by a flag."""
    needed = {case.classes for case in cases.values()} - set(given.datasets)
    return {f"data set of {classes} classes": [
        given.package / "cifar_prep", "--input_format=synthetic", f"--train_images={IMAGES}", "--test_images=1000",
        f"--classes={classes}", f"--output={dataset(classes)}"] for classes in sorted(needed)}


def programs(given, name, case, turn):
    """Returns {name: command} of one turn of a case; commands run in the folder --output."""
    return {
        f"{name}, ours": [
            given.package / "train_sweep", f"--input={dataset(case.classes)}", f"--model={case.model}",
            "--preset=fast", f"--batch_size={','.join(BATCHES)}", "--noevaluate", f"--repeats={given.repeats}",
            "--force", f"--output={name}_{turn}.rec"],
        f"{name}, PyTorch": [
            sys.executable, HERE / "peers" / "networks_pytorch.py", "--model", case.model, f"--classes={case.classes}",
            "--kind", *given.kinds, "--batch", *BATCHES, f"--repeats={given.baseline_repeats}",
            "--output=baselines.jsonl"],
    }


def programs_on_two(given, name, case):
    """Returns {name: command} of a case on two GPUs, in their order."""
    run = [given.package / "scale_run", f"--input={dataset(case.classes)}", f"--model={case.model}", "--preset=fast",
           "--ranks=1,2", "--ablation=false", "--noevaluate", f"--repeats={given.repeats}", "--force"]
    model = [given.package / "comm_model", "--force"]
    return {
        f"{name}, two": [*run, "--batch_size=1024,512,256,64", f"--output={name}_two.rec"],
        f"{name}, prediction": [*model, f"--input={name}_two.rec", "--predict_ranks=2", "--predict_batch=128",
                                f"--output={name}_prediction.rec"],
        f"{name}, 128": [*run, "--batch_size=128", f"--prediction={name}_prediction.rec", f"--output={name}_128.rec"],
        f"{name}, score": [*model, f"--input={name}_128.rec", f"--score={name}_prediction.rec",
                           f"--output={name}_score.rec"],
    }


def measure_on_two(session, given, cases):
    """Runs the cases on two GPUs. Records lose their loaded files only at the end, because scale_run notes the digest of
    the prediction."""
    done = []
    for name, case in cases.items():
        for program, command in programs_on_two(given, name, case).items():
            if not session.run(program, command):
                break
            done.append(command[-1].removeprefix("--output="))
    for record in done:
        headline.remove_loaded_files(given.package, given.output / record)


def main():
    parser = headline.flag_parser(__doc__, turns=2, repeats=3, baseline_repeats=2, seconds=560)
    parser.add_argument("--cases", nargs="+", choices=[*STEPS, *CASES])
    parser.add_argument("--gpus", type=int, default=1, choices=[1, 2])
    parser.add_argument("--kinds", nargs="+", default=["graph", "compile_graph"], help="kinds of the baseline")
    for classes in (10, 100):
        parser.add_argument(f"--dataset_{classes}", type=headline.path,
                            help=f"data set of {IMAGES:,} images and {classes} classes")
    given = parser.parse_args()
    given.datasets = {classes: file for classes, file in [(10, given.dataset_10), (100, given.dataset_100)] if file}
    wanted = given.cases or (STEPS if given.gpus == 1 else ["autograd"])
    cases = {name: case for name, case in CASES.items() if {name, case.step} & set(wanted)}
    on_two = given.gpus == 2
    if given.dry_run:
        headline.print_commands(data_sets(given, cases))
        for name, case in cases.items():
            headline.print_commands(programs_on_two(given, name, case) if on_two else programs(given, name, case, 1))
        return
    session = headline.Session(given)
    for classes, file in given.datasets.items():
        session.link(dataset(classes), file)
    for name, command in data_sets(given, cases).items():
        if not session.run(name, command):
            sys.exit(f"{name}: not made; see log.txt")
    if on_two:
        measure_on_two(session, given, cases)
        sys.exit(1 if session.failed else 0)
    for turn in range(1, given.turns + 1):
        print(f"== turn {turn}", flush=True)
        for name, case in cases.items():
            session.take_turn(turn, programs(given, name, case, turn))
    sys.exit(1 if session.failed else 0)


if __name__ == "__main__":
    main()
