"""Builds the table of docs/questions.md: the lab's questions, the commands that answer them, and their seconds.

The seconds are those from the start to the end of a record, in its header and its trailer. Those of a CPU are in a file
of their own, because the records of a busy machine are not kept.
"""

import collections
import datetime
import textwrap

import render

CPU = "2026-11-28-cpu-lab/seconds.jsonl"
HEADLINE = "2026-11-27-h100x2-headline"

Row = collections.namedtuple("Row", "questions asked commands cpu gpus")


def quantize_commands(model, output):
    return [f"train_sweep --input=dataset.rec --model={model} --batch_size=32 --checkpoint={model}.pt "
            f"--output={model}.rec",
            f"quantize --input=dataset.rec --checkpoint={model}.pt --output={output}"]


def experiment_commands(name, batch):
    return [f"scale_run --input=dataset.rec --experiment={name} --ranks=2 --batch_size={batch} --output={name}.rec"]


# Commands of the report on a data set of 16,384 images or more (lib/wording/question_commands.cc;
# tests/suggested_commands_test.py compares), and records of runs that answered the questions on a CPU and on GPUs.
ROWS = [
    Row("Q1", "Which batch is fastest?", ["train_sweep --input=dataset.rec --output=sweep.rec"], ["sweep.rec"],
        [f"{HEADLINE}/sweep_1.rec"]),
    Row("Q2, Q3", "How well does training scale? How much time is communication?",
        ["scale_run --input=dataset.rec --ranks=1,2 --batch_size=32,128,512 --output=scale.rec",
         "comm_model --input=scale.rec --output=comm_model.rec"], ["scale.rec", "comm_model.rec"],
        [f"{HEADLINE}/scale_1.rec"]),
    Row("Q4", "What repairs a large batch?", experiment_commands("large_batch", "128,8192"), ["large_batch.rec"],
        ["2026-11-23-h200-large-batch/large_batch_8192.rec"]),
    Row("Q5", "Does the sampler need the epoch?", experiment_commands("sampler_epoch", "128"), ["sampler_epoch.rec"],
        ["2026-11-24-h100x2-exchange/sampler_epoch.rec"]),
    Row("Q6, Q7", "What is sent besides gradients? Are gradients alone enough?",
        experiment_commands("what_is_sent", "128"), ["what_is_sent.rec"],
        ["2026-11-24-h100x2-exchange/what_is_sent.rec"]),
    Row("B1 to B4", "Which range do weights and activations need? What do they cost in int8?",
        quantize_commands("lenet5", "quantized.rec"), ["lenet5.rec", "quantized.rec"], []),
    Row("B5", "What do int32 biases cost?", quantize_commands("lenet5_bias", "quantized_bias.rec"),
        ["lenet5_bias.rec", "quantized.rec"], []),
]


def seconds(run):
    times = [run.header["start_time"], run.all("trailer")[0]["end_time"]]
    start, end = map(datetime.datetime.fromisoformat, times)
    return (end - start).total_seconds()


def cell(values):
    """Returns the sum in whole seconds, the resolution of the records, and at least 1."""
    return str(max(1, round(sum(values)))) if values else "not measured"


def remark(run, what):
    file = f"{run.path.parent.name}/{run.path.name}"
    return f"- {what}: {run.machine()}; {run.date}, commit {run.commit}; `{run.command}`; file `{file}`."


def items(lines):
    """Returns the items of a list, wrapped like a paragraph."""
    return "\n".join(textwrap.fill(line, render.COLUMNS, subsequent_indent="  ", break_long_words=False,
                                   break_on_hyphens=False) for line in lines)


def block(results):
    """Returns the table, and below it the machine and command of each number. Raises MissingRecords."""
    cells, remarks = [], []
    steps = {step["record"]: step for step in results.lines(CPU)}
    for row in ROWS:
        on_gpus = [results.record(name) for name in row.gpus]
        commands = "<br>".join(f"`{command}`" for command in row.commands)
        cells.append([row.questions, row.asked, commands, cell([steps[name]["seconds"] for name in row.cpu]),
                      cell([seconds(run) for run in on_gpus])])
        remarks += [remark(run, f"{row.questions} on GPUs, {round(seconds(run))} s") for run in on_gpus]
    first = next(iter(steps.values()))
    on_cpu = (f"{first['cores']} cores of {first['cpu']}, which other programs used, too; {first['time'][:10]}, commit "
              f"{first['commit']}; the steps of `lab` on 2,048 synthetic images; file `{CPU}`:")
    on_cpu_steps = [f"- {cell([step['seconds']])} s: `{step['command']}`" for step in steps.values()]
    head = ["question", "asks", "commands", "two CPU cores, s", "GPUs, s"]
    return "\n\n".join([render.table(head, cells), items(remarks), render.paragraph(on_cpu), items(on_cpu_steps)])
