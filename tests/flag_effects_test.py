"""Tests every flag of every tool in every kind of run: it must change the result, or be refused with its name.

A Mode is one kind of run. For each flag of --help=all it has one of the following; a flag that it does not name must be
refused (exit 2, one line with the flag):
    changes   a value with which the result differs from that of the plain run
    unseen    a value with which the run is accepted, and the reason why no result of this test can show its effect
Run by bazel (tests/BUILD), or directly:
    python3 tests/flag_effects_test.py --tools bazel-bin/tools --published data/published
"""

import concurrent.futures
import dataclasses
import io
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import threading
import zlib

from tool_case import TOOLS, ToolCase, run_tests

SAME_RESULT = "where the result goes, or whether it is made again"
TIME_LIMIT = "a limit that no run of this test reaches"
ASKED = "checked against a word that is not there: see cli_test and dry_run_test"
OTHER_MACHINE = "changes how it is computed, not what comes out"


@dataclasses.dataclass
class Mode:
    tool: str
    name: str
    base: str
    changes: dict
    unseen: dict = dataclasses.field(default_factory=dict)
    also: tuple = ()  # further flags that a flag needs: (flag, more flags)


# Parts of a record that describe the run; the other parts are its result.
OF_THE_RUN = ("header", "trailer", "crc32")


def without_times(value):
    """Returns a record's JSON without the values that differ between runs."""
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items()
                if key not in OF_THE_RUN and not re.search("seconds|sample|memory|watts|joules|clock|throttle|neighbour|sha256|warning", key)}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def png(rgb, alpha=None):
    """Returns a picture of 32x32 in one colour."""
    pixel = bytes(rgb) + (b"" if alpha is None else bytes([alpha]))
    chunk = lambda kind, data: (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)))
    head = struct.pack(">IIBBBBB", 32, 32, 8, 2 if alpha is None else 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress((b"\0" + 32 * pixel) * 32)) +
            chunk(b"IEND", b""))


NO_RUN = {"output": ("{out}", SAME_RESULT), "force": ("", SAME_RESULT)}

CIFAR_PREP = [
    Mode("cifar_prep", "synthetic", "--output={out}",
         {"train_images": "30", "test_images": "30", "classes": "7", "size": "16", "seed": "3", "dry_run": ""},
         {**NO_RUN, "input_format": ("synthetic", "the default without --input"), "input": ("pictures", "the next modes")},
         also=(("input", "--allow_partial"),)),
    Mode("cifar_prep", "pictures", "--input=pictures --allow_partial --output={out}",
         {"dry_run": "", "input": "more_pictures", "resize": "16"},
         {**NO_RUN, "allow_partial": ("", "in the plain run, which is refused without it"), "input_format": ("images", ASKED)}),
    Mode("cifar_prep", "archive", "--input=cifar-10-binary.tar.gz --allow_partial --output={out}", {"dry_run": "", "strict": ""},
         {**NO_RUN, "input": ("cifar-10-binary.tar.gz", SAME_RESULT), "allow_partial": ("", "as above"),
          "input_format": ("binary", ASKED)}),
]

REPORT = [
    Mode("report", "report", "--input=sweep.rec --output={out}.html",
         {"input": "dataset.rec", "output": "{out}.tex", "format": "csv", "style": "lab", "audit": "", "dry_run": "",
          "latex": "hand_in", "author": "A. Student", "date": "1 May 2026"},
         {"force": NO_RUN["force"], "compare": ("other_sweep.rec,rebuilt_sweep.json", "the mode compare")},
         also=(("latex", "--format=latex"), ("author", "--format=latex"), ("date", "--format=latex"))),
    Mode("report", "print", "--print=dataset.rec", {"print": "sweep.rec", "format": "json", "print_bytes": ""}),
    Mode("report", "convert", "--convert=sweep.rec --output={out}.json", {"convert": "dataset.rec", "output": "{out}.rec"},
         {"force": NO_RUN["force"]}),
    Mode("report", "check", "--check --input=hand_in.csv", {"input": "sweep.rec", "junit": "{out}.xml"},
         {"check": ("", "the mode itself"), "force": ("", SAME_RESULT)}, also=(("force", "--junit={out}.xml"),)),
    Mode("report", "compare", "--compare=sweep.rec,rebuilt_sweep.json",
         {"compare": "sweep.rec,other_sweep.rec", "output": "{out}.md", "format": "json", "fail_if_slower": "5%"},
         {"input": ("other_sweep.rec", "a further run of the first program"),
          "force": NO_RUN["force"]},
         also=(("format", "--output={out}.html"), ("force", "--output={out}.html"))),
    Mode("report", "class_folder", "--class_folder=class --output={out}.html",
         {"class_folder": "class2", "output": "{out}2.html", "class_grades": "{out}.csv"},
         {"format": ("html", "the one format"), "force": NO_RUN["force"]}),
    Mode("report", "trace", "--input=sweep.rec --trace={out}.json", {"input": "other_sweep.rec", "trace": "{out}2.json"},
         {"force": NO_RUN["force"]}),
    Mode("report", "tensorboard", "--input=sweep.rec --tensorboard={out}", {"input": "other_sweep.rec", "tensorboard": "{out}2"},
         {"force": NO_RUN["force"]}),
    Mode("report", "mllog", "--input=sweep.rec --mllog={out}", {"input": "other_sweep.rec", "mllog": "{out}2"},
         {"force": NO_RUN["force"]}),
    Mode("report", "wandb_csv", "--input=sweep.rec --wandb_csv={out}.csv",
         {"input": "other_sweep.rec", "wandb_csv": "{out}2.csv"}, {"force": NO_RUN["force"]}),
    Mode("report", "prometheus", "--input=sweep.rec --prometheus={out}.prom",
         {"input": "other_sweep.rec", "prometheus": "{out}2.prom"}, {"force": NO_RUN["force"]}),
]

INSIDE = "--devices_per_host=2 --intra_host_gigabytes_per_second=50 --intra_host_latency_microseconds=3"
CLUSTER = f"{INSIDE} --inter_host_gigabytes_per_second=10 --inter_host_latency_microseconds=5"
WHAT_IF_FLAGS = {"what_if": "16", "what_if_batch": "10", "what_if_bucket_mib": "7", "what_if_gradient_bytes": "2",
                 "what_if_link_factor": "3", "exchange": "flat", "cluster": "cluster.textproto",
                 "devices_per_host": "1",
                 "intra_host_gigabytes_per_second": "99", "intra_host_latency_microseconds": "9",
                 "inter_host_gigabytes_per_second": "20", "inter_host_latency_microseconds": "9", "algorithm": "tree"}

COMM_MODEL = [
    Mode("comm_model", "scale", "--input=scale.rec --output={out}",
         {"input": "other_scale.rec", "sweep": "sweep.rec", "times": "hand_in.csv", "all_reduce": "all_reduce.json",
          "audit": "hand_in.csv", "nominal_link_gigabytes_per_second": "50", "model_spec": "model.textproto",
          "fit_ranks": "1", "predict_ranks": "4", "format": "text", "dry_run": ""},
         {**NO_RUN, "score": ("prediction.rec", "changes what was predicted before: comm_model_test"),
          "what_if": ("8", "shown in the next but one")},
         also=(("what_if", CLUSTER),)),
    Mode("comm_model", "predict", "--input=scale.rec --predict_ranks=4 --output={out}",
         {"predict_ranks": "8", "predict_batch": "11"}),
    Mode("comm_model", "what_if", f"--input=scale.rec --what_if=8 {CLUSTER} --output={{out}}", WHAT_IF_FLAGS),
    Mode("comm_model", "what_if_measured",
         f"--input=scale.rec --what_if=8 {INSIDE} --inter_host_all_reduce=hosts.json --output={{out}}",
         {"inter_host_all_reduce": "other_hosts.json"}),
    Mode("comm_model", "audit", "--audit=hand_in.csv --output={out}",
         {"input": "scale.rec", "times": "hand_in.csv", "all_reduce": "all_reduce.json", "audit": "other_hand_in.csv",
          "explain": "SPEEDUP", "format": "text", "dry_run": ""}, NO_RUN),
    Mode("comm_model", "template", "--audit_template={out}.csv", {"audit_template": "{out}2.csv"},
         {"force": ("", SAME_RESULT)}),
    Mode("comm_model", "dry", "--audit=hand_in.csv --output={out} --dry_run", {}),
]
TRAINING = {"model": "lenet5_bias", "seed": "3", "optimizer": "adamw", "learning_rate": "0.003", "momentum": "0.5",
            "weight_decay": "0.1",
            "label_smoothing": "0.1", "clip_norm": "0.01", "lars": "0.001", "no_set_epoch": "", "schedule": "cosine",
            "lr_milestones": "1", "lr_gamma": "0.5", "lr_warmup_epochs": "1", "noaugment": "", "epochs": "3", "repeats": "2",
            "noevaluate": "", "evaluate_every": "1", "target_accuracy": "0.99", "accumulate": "2", "precision": "bf16",
            "channels_last": "true", "drop_last": "", "batch_size": "10", "checkpoint": "{out}.pt", "dry_run": "",
            "input": "more.rec", "deterministic": "", "threads": "2", "loader_workers": "1", "normalization": "none",
            "validation_images": "10", "lr_warmup_start": "0.001", "lr_warmup_share": "0.5",
            "border": "reflect", "flip": "alternating", "cutout": "4", "evaluate_mirrored": "",
            "recipe": "cosine200"}
TRAINING_UNSEEN = {**NO_RUN, "resume": ("", "of a run that was stopped: see resume tests"), "timeout": ("600s", TIME_LIMIT),
                   "preset": ("lab", ASKED), "step": ("autograd", ASKED), "device": ("cpu", ASKED),
                   "cuda_graph": ("false", "CUDA's; true is refused here"),
                   "resident_images": ("false", "of --cuda_graph"),
                   "second_stream": ("false", "of --step=fused"),
                   "evaluation": ("autograd", "the default; fused is refused here"),
                   **{piece: ("false", "of --step=fused") for piece in
                      ("fused_sums", "fused_batch_norm", "divide_multiprocessors", "own_weight_gradients",
                       "own_convolutions")}}
TRAINING_ALSO = (("lr_milestones", "--schedule=multistep --lr_milestones=2"),
                 ("lr_gamma", "--schedule=multistep --lr_milestones=1"), ("lr_warmup_start", "--lr_warmup_epochs=1"),
                 ("lr_warmup_share", "--schedule=linear"),
                 ("recipe", "--epochs=2 --learning_rate=0.01"))

TRAIN_SWEEP = [
    Mode("train_sweep", "batch", "--input=dataset.rec --model=lenet5 --device=cpu --batch_size=20 --threads=1 --output={out}",
         {**TRAINING, "find_max": "", "init": "lenet5.pt"},
         {**TRAINING_UNSEEN, "memory_limit_bytes": ("8000000000", "more than a point takes: see train_sweep_test"),
          "max_batch": ("40", "with --find_max"), "state_every": ("2", "with --resume"),
          "checkpoint_batch": ("20", "with --checkpoint"), "zero_gamma": ("false", "true is refused: no residual blocks")},
         also=(*TRAINING_ALSO, ("max_batch", "--find_max"), ("state_every", "--resume"), ("checkpoint_batch", "--checkpoint={out}.pt"))),
    Mode("train_sweep", "batch_sweep", "--input=dataset.rec --model=lenet5 --device=cpu --dry_run --threads=1 --output={out}",
         {"min_batch": "10", "factor": "2", "max_batch": "40", "find_max": "", "batch_size": "20"}),
    Mode("train_sweep", "plain", "--input=dataset.rec --model=lenet5 --device=cpu --dry_run --batch_size=20 --threads=1 --output={out}", {}),
]

SCALE_OWN = {"ranks", "batch_size", "batch_mode", "mode", "experiment", "seeds", "rows", "ablation", "noablation",
             "overlap",
             "first_bucket_mib", "bucket_mib", "gradient_compression", "buffers", "backend", "reducer", "bucket_plan",
             "launcher", "master_addr", "master_port", "interface", "prediction", "no_set_epoch"}
LAUNCH = {"launcher": ("none", "to ranks that a launcher starts"), "interface": ("lo", "the way between hosts")}
SCALE_BASE = "--input=dataset.rec --model=lenet5 --device=cpu --threads=1 --dry_run --output={out}"
# Flags that the plan does not show; the record of a run does.
PLANNED = {"overlap": ("false", "recorded: scale_run_test"), "first_bucket_mib": ("2", "recorded: bucket_plan_test"),
           "bucket_mib": ("2", "recorded: bucket_plan_test"), "buffers": ("broadcast", "recorded: scale_run_test"),
           "backend": ("gloo", "recorded: scale_run_test"), "reducer": ("own", "what auto takes on a CPU"),
           "bucket_plan": ("auto", "recorded: bucket_plan_auto_test"), "prediction": ("prediction.rec", "its digest is recorded")}

SCALE_RUN = [
    Mode("scale_run", "ddp", f"{SCALE_BASE} --ranks=1,2 --batch_size=20",
         {"ranks": "1", "batch_size": "10", "batch_mode": "global", "mode": "dp", "noablation": "", "gradient_compression": "bf16",
          "experiment": "sampler_epoch", "no_set_epoch": ""},
         {**PLANNED, **LAUNCH, "ablation": ("true", "the default"), "noablation": ("", "shown")},
         also=(("experiment", "--ranks=2"),)),
    Mode("scale_run", "dp", f"{SCALE_BASE} --ranks=1,2 --batch_size=20 --mode=dp",
         {"ranks": "1", "batch_size": "10", "batch_mode": "global", "mode": "ddp", "no_set_epoch": ""},
         {**LAUNCH, "noablation": ("", "nothing to leave out"), "gradient_compression": ("none", "bf16 is refused"),
          "buffers": ("local", "the others are refused"), "prediction": PLANNED["prediction"]}),
    Mode("scale_run", "large_batch", f"{SCALE_BASE} --experiment=large_batch --ranks=2 --batch_size=10,20",
         {"ranks": "1", "batch_size": "10,40", "seeds": "2", "rows": "10", "experiment": "sampler_epoch",
          "no_set_epoch": "", "gradient_compression": "bf16"},
         {**PLANNED, **LAUNCH, "batch_mode": ("global", "what an experiment has"), "noablation": ("", "nothing is left out"),
          "mode": ("ddp", "dp is refused")},
         also=(("experiment", "--batch_size=20"),)),
    Mode("scale_run", "sampler_epoch", f"{SCALE_BASE} --experiment=sampler_epoch --ranks=2 --batch_size=20",
         {"ranks": "1", "batch_size": "10", "seeds": "2", "rows": "without", "experiment": "what_is_sent", "gradient_compression": "bf16"},
         {**PLANNED, **LAUNCH, "batch_mode": ("global", "what an experiment has"), "noablation": ("", "nothing is left out"),
          "mode": ("ddp", "dp is refused")}),
    Mode("scale_run", "what_is_sent", f"{SCALE_BASE} --experiment=what_is_sent --ranks=2 --batch_size=20",
         {"ranks": "4", "batch_size": "10", "seeds": "2", "rows": "gradients only", "experiment": "sampler_epoch", "no_set_epoch": "",
          "gradient_compression": "bf16"},
         {**{k: v for k, v in PLANNED.items() if k != "buffers"}, **LAUNCH, "batch_mode": ("global", "what an experiment has"),
          "noablation": ("", "nothing is left out"), "mode": ("ddp", "dp is refused")}),
    Mode("scale_run", "optimizers", f"{SCALE_BASE} --experiment=optimizers --ranks=1 --batch_size=20",
         {"ranks": "2", "batch_size": "10", "seeds": "2", "rows": "adam", "experiment": "sampler_epoch",
          "no_set_epoch": "", "gradient_compression": "bf16"},
         {**PLANNED, **LAUNCH, "batch_mode": ("global", "what an experiment has"),
          "noablation": ("", "nothing is left out"), "mode": ("ddp", "dp is refused"),
          "optimizer": ("sgd", "the others are refused"), "lars": ("0", "a rule for SGD only")}),
    Mode("scale_run", "trained", "--input=dataset.rec --model=lenet5 --device=cpu --threads=1 --dry_run --ranks=1 --batch_size=20 --output={out}",
         {"checkpoint": "{out}.pt"}, {}),
]

QUANTIZE_UNSEEN = {**NO_RUN, "device": ("cpu", ASKED), "isa": ("portable", OTHER_MACHINE), "threads": ("1", OTHER_MACHINE)}
QUANTIZE = [
    Mode("quantize", "checkpoint", "--input=dataset.rec --checkpoint=lenet5.pt --device=cpu --calibration_images=20 --output={out}",
         {"input": "more.rec", "checkpoint": "lenet5_bias.pt", "import": "lenet5.onnx", "onnx": "{out}.onnx", "normalization": "none",
          "weight_range": "three_sigma", "per_channel": "", "activation_range": "mse", "zero_points": "", "int8_logits": "",
          "calibration_images": "40", "bias_correction": "", "study_images": "10", "wanted_drop": "50", "fine_tune_epochs": "1",
          "fine_tune_learning_rate": "0.01", "fine_tune_batch": "10", "seed": "5", "dry_run": "", "percentile": "90",
          "first_sample_range": ""},
         QUANTIZE_UNSEEN,
         also=(("percentile", "--activation_range=percentile"), ("first_sample_range", "--int8_logits"),
               ("wanted_drop", "--study_images=10"), ("fine_tune_learning_rate", "--fine_tune_epochs=1"),
               ("fine_tune_batch", "--fine_tune_epochs=1"))),
    Mode("quantize", "alone", "--input=dataset.rec --checkpoint=lenet5.pt --device=cpu --calibration_images=20 --dry_run --output={out}",
         {}),
    Mode("quantize", "import", "--input=dataset.rec --import=lenet5.onnx --device=cpu --output={out}",
         {"input": "more.rec", "import": "lenet5_bias.onnx", "onnx": "{out}.onnx", "normalization": "none", "dry_run": ""},
         {**QUANTIZE_UNSEEN, "seed": ("5", "chooses the images for replay"), "checkpoint": ("lenet5.pt", "the first mode")},
         also=(("checkpoint", "--calibration_images=20"),)),
    Mode("quantize", "verify", "--verify=quantized.rec", {"input": "dataset.rec"},
         {"verify": ("other_quantized.rec", "named on the console"),
          **{key: value for key, value in QUANTIZE_UNSEEN.items() if key not in NO_RUN}}),
]

# Modes in which only some flags are tried; another mode of the tool tries the others.
ONLY = {
    "train_sweep batch_sweep": {"min_batch", "factor", "max_batch", "find_max", "batch_size"},
    "train_sweep plain": {"min_batch", "factor", "max_batch", "state_every", "checkpoint_batch", "cudnn_convolutions"},
    "comm_model predict": {"predict_ranks", "predict_batch"},
    "comm_model what_if": {*WHAT_IF_FLAGS, "inter_host_all_reduce"},
    "comm_model what_if_measured": {"inter_host_all_reduce"},
    "comm_model dry": {"format"},
    "quantize alone": {"percentile", "fine_tune_learning_rate", "fine_tune_batch"},
    "scale_run trained": {"checkpoint", "state_every", "checkpoint_batch", "cudnn_convolutions", "ablation"},
    **{f"scale_run {mode.name}": SCALE_OWN for mode in SCALE_RUN if mode.name != "trained"},
}
# The plan of a lab is all that depends on its flags; the tools that it starts have modes of their own. With hardly any
# time the plan leaves out all experiments and prints their commands. Ten pictures need a small batch.
LAB = [
    Mode("lab", "synthetic", "--dry_run --device=cpu --minutes=0.01",
         {"output": "other", "force": "", "minutes": "100", "questions": "", "model": "resnet18", "batch_size": "8",
          "images": "300", "repeats": "2", "seeds": "3", "calibration_images": "20", "style": "lab",
          "format": "html,latex", "input": "pictures"},
         {"device": ("cpu", ASKED), "dry_run": ("", "in the plain run")}, also=(("input", "--batch_size=2"),)),
    Mode("lab", "pictures", "--dry_run --device=cpu --minutes=0.01 --input=pictures --batch_size=2",
         {"output": "other", "force": "", "minutes": "100", "questions": "", "model": "resnet18", "batch_size": "4",
          "repeats": "2", "seeds": "3", "calibration_images": "20", "style": "lab", "format": "html,latex",
          "input": "more_pictures", "allow_partial": ""},
         {"device": ("cpu", ASKED), "dry_run": ("", "in the plain run")}),
]

MODES = CIFAR_PREP + REPORT + COMM_MODEL + TRAIN_SWEEP + SCALE_RUN + QUANTIZE + LAB

CSV = ("# source = {source}\n# images_per_epoch = 50000\n# batch = per_device\n"
       "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
       "T,epoch_seconds,1,128,120.5,s,120.5\nT,epoch_seconds,2,128,62.4,s,62.4\nT,speedup,2,128,{speedup},1,{speedup}\n")

FIXTURES = """
cifar_prep --input_format=synthetic --train_images=80 --test_images=40 --output=dataset.rec
cifar_prep --input_format=synthetic --train_images=100 --test_images=50 --output=more.rec
train_sweep --input=dataset.rec --model=lenet5 --device=cpu --batch_size=20,40 --repeats=2 --threads=1 --checkpoint=lenet5.pt --output=sweep.rec
train_sweep --input=dataset.rec --model=lenet5 --device=cpu --batch_size=20,40 --repeats=2 --threads=1 --output=other_sweep.rec
train_sweep --input=dataset.rec --model=lenet5_bias --device=cpu --batch_size=20 --epochs=1 --checkpoint=lenet5_bias.pt --output=bias.rec
scale_run --input=dataset.rec --model=lenet5 --device=cpu --ranks=1,2 --batch_size=10,20 --repeats=2 --threads=1 --output=scale.rec
scale_run --input=dataset.rec --model=lenet5 --device=cpu --ranks=1,2 --batch_size=8 --repeats=2 --threads=1 --output=other_scale.rec
comm_model --input=scale.rec --predict_ranks=2 --predict_batch=8,10,20 --output=prediction.rec
quantize --input=dataset.rec --checkpoint=lenet5.pt --device=cpu --calibration_images=20 --onnx=lenet5.onnx --output=quantized.rec
quantize --input=dataset.rec --checkpoint=lenet5_bias.pt --device=cpu --calibration_images=20 --onnx=lenet5_bias.onnx --output=other_quantized.rec
"""

# Values of flags that no mode here accepts.
SAMPLES = {"cudnn_convolutions": "true", "state_every": "2", "checkpoint_batch": "20", "zero_gamma": "true",
           "master_addr": "127.0.0.1", "master_port": "29500", "verify": "quantized.rec"}

OPTIONAL = ("cuda_graph", "resident_images", "second_stream", "fused_sums", "fused_batch_norm", "divide_multiprocessors",
            "own_weight_gradients", "own_convolutions")


# Classes of CIFAR-10, of which cifar_prep knows how many pictures a whole set has.
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


def pictures(folder, seed):
    for split in ("train", "test"):
        for label, name in enumerate(CLASSES):
            (folder / split / name).mkdir(parents=True)
            (folder / split / name / "0.png").write_bytes(png((label, seed, 0)))


def binary_archive(path):
    """Writes CIFAR-10's binary version with one image per file."""
    files = {f"data_batch_{i}.bin": bytes([i]) + bytes(3072) for i in range(1, 6)}
    files.update({"test_batch.bin": bytes(3073), "batches.meta.txt": b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"})
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


class FlagEffectsTest(ToolCase):
    reads_sweep = False
    lock = threading.Lock()
    plain = {}

    @classmethod
    def write_rebuilt_sweep(cls):
        """Writes the JSON of a sweep by another build, with other times."""
        sweep = cls.fixtures / "other_sweep.rec"
        run = json.loads(cls.call("report", f"--print={sweep}", "--format=json", check=True).stdout)
        run.pop("crc32", None)
        run["record"][0]["header"]["build"]["build_id"] = "another build"
        for record in run["record"]:
            samples = record.get("point", {}).get("epoch_seconds", {})
            samples.update({"value": [1.01 * seconds for seconds in samples["value"]]} if "value" in samples else {})
        (cls.fixtures / "rebuilt_sweep.json").write_text(json.dumps(run))

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fixtures = cls.dataset.parent / "fixtures"
        if cls.fixtures.exists():
            return
        cls.fixtures.mkdir()
        for command in FIXTURES.strip().splitlines():
            tool, *flags = command.split()
            subprocess.run([str(cls.tools / tool), *flags], cwd=cls.fixtures, check=True, capture_output=True, timeout=240)
        write = lambda name, text: (cls.fixtures / name).write_text(text)
        write("hand_in.csv", CSV.format(source="a", speedup="1.93"))
        write("other_hand_in.csv", CSV.format(source="b", speedup="3.86"))
        write("cluster.textproto", 'name: "x"\nalgorithm: "tree"\n')
        write("model.textproto", "confidence: 0.5\n")
        shutil.copy(cls.published.parent / "testdata" / "nccl_tests" / "all_reduce_4.json", cls.fixtures / "all_reduce.json")
        times = json.loads((cls.fixtures / "all_reduce.json").read_text())
        for device in times["config"]["devices"]:
            device["hostname"] += str(device["rank"])
        write("hosts.json", json.dumps(times))
        times["results"].pop()
        write("other_hosts.json", json.dumps(times))
        pictures(cls.fixtures / "pictures", 1)
        pictures(cls.fixtures / "more_pictures", 2)
        binary_archive(cls.fixtures / "cifar-10-binary.tar.gz")
        cls.write_rebuilt_sweep()
        for name, student in (("class", "ada"), ("class2", "bob")):
            (cls.fixtures / name / student).mkdir(parents=True)
            shutil.copy(cls.fixtures / "sweep.rec", cls.fixtures / name / student)

    def flags_of(self, tool):
        listing = self.call(tool, "--help=all", check=True).stdout.decode()
        return re.findall(r"(?m)^  --(\w+) \(default: ", listing)

    def value_of(self, tool, flag):
        """Returns some value that the flag accepts, taken from other modes."""
        if flag in SAMPLES:
            return SAMPLES[flag]
        if flag in OPTIONAL:
            return "true"
        for mode in MODES:
            if mode.tool == tool and flag in mode.changes:
                return mode.changes[flag]
            if mode.tool == tool and flag in mode.unseen:
                return mode.unseen[flag][0]
        self.fail(f"{tool} --{flag}: no mode here takes it; name it in one")

    def content(self, path):
        if path.suffix in (".rec", ".state") or path.name == "out":
            printed = self.call("report", f"--print={path}", "--format=json")
            if printed.returncode == 0:
                return json.dumps(without_times(json.loads(printed.stdout)), sort_keys=True)
        return "" if path.suffix in (".part", ".pt", ".onnx") else path.read_bytes()

    def run_in_folder(self, mode, flags):
        """Returns (exit code, result to compare, last error line)."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.fixtures, folder, copy_function=os.link, dirs_exist_ok=True)
        before = {path for path in folder.rglob("*")}
        out = "out.rec" if "{out} " in mode.base + " " else "out"
        arguments = [word.replace("{out}", out) for word in [*mode.base.split(), *flags]]
        result = subprocess.run([str(self.tools / mode.tool), *arguments], cwd=folder, capture_output=True, timeout=400,
                                env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        plan = mode.tool in ("scale_run", "train_sweep") and "--dry_run" in mode.base
        files = {str(path.relative_to(folder)): self.content(path)
                 for path in sorted(folder.rglob("*")) if path not in before and path.is_file()}
        stderr = result.stderr.decode()
        shutil.rmtree(folder)
        return result.returncode, (result.stdout, files, stderr if plan else ""), stderr

    def plain_run(self, mode, more):
        """Returns exit code and result of the mode with these flags, run once."""
        with self.lock:
            run = self.plain.setdefault((mode.tool, mode.name, *more), [threading.Lock(), None])
        with run[0]:
            run[1] = run[1] or self.run_in_folder(mode, more)[:2]
        return run[1]

    def try_quiet(self, mode):
        """Returns faults of --quiet in this mode: it must print only warnings, errors and the plan, and must not change
        the result."""
        code, found, log = self.run_in_folder(mode, ["--quiet"])
        plain = self.plain_run(mode, [])
        lines = log.splitlines() if "--dry_run" not in mode.base else []
        lines = [line for line in lines if not re.search("(warning|error): ", line)]
        return ([] if (code, found) == plain else [f"--quiet changes the result: exit {code}: {log}"]) + [
            f"--quiet prints: {line}" for line in lines]

    def try_flag(self, mode, flag):
        """Returns faults of the flag in this mode; an empty list if there are none."""
        if flag == "quiet":
            return [f"{mode.tool}, {mode.name}: {text}" for text in self.try_quiet(mode)]
        also = dict(mode.also)
        given = lambda name, value: [f"--{name}={value}" if value else f"--{name}"]
        more = also.get(flag, "").split()
        wrong = []
        for name in (flag, f"no{flag}"):
            if name in mode.changes:
                code, found, log = self.run_in_folder(mode, [*more, *given(name, mode.changes[name])])
                plain_code, plain = self.plain_run(mode, more)
                if plain_code not in (0, 4) and name not in ("allow_partial",):
                    wrong.append(f"the plain run with {more} fails")
                if name == "strict":
                    wrong += [] if code == 3 and plain_code == 0 else [f"--strict: exit {code}: {log}"]
                elif code not in (0, 4):
                    wrong.append(f"--{name}: exit {code}: {log}")
                elif found == plain:
                    wrong.append(f"--{name}={mode.changes[name]} changes nothing")
            elif name in mode.unseen:
                code, _, log = self.run_in_folder(mode, [*more, *given(name, mode.unseen[name][0])])
                if code not in (0, 4):
                    wrong.append(f"--{name}: exit {code}: {log}")
        if not any(name in mode.changes or name in mode.unseen for name in (flag, f"no{flag}")):
            code, _, log = self.run_in_folder(mode, given(flag, self.value_of(mode.tool, flag)))
            errors = [line for line in log.splitlines() if line.startswith(f"{mode.tool}: error: ")]
            if code != 2 or len(errors) != 1 or f"--{flag}" not in errors[0]:
                wrong.append(f"--{flag}: neither refused nor named here: exit {code}: {log}")
        return [f"{mode.tool}, {mode.name}: {text}" for text in wrong]

    def check_mode(self, mode):
        flags = self.flags_of(mode.tool)
        only = ONLY.get(f"{mode.tool} {mode.name}", set(flags))
        named = {re.sub("^no(?=(?:%s)$)" % "|".join(flags), "", flag) for flag in [*mode.changes, *mode.unseen]}
        self.assertEqual(named - set(flags), set(), f"{mode.tool} has no such flag")
        repeated = [self.run_in_folder(mode, flags_given)[1] for flags_given in ([], [])]
        self.assertEqual(repeated[0], repeated[1], f"{mode.tool}, {mode.name}: two equal runs differ")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            tried = pool.map(lambda flag: self.try_flag(mode, flag), [flag for flag in flags if flag in only])
            wrong = [text for texts in tried for text in texts]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_a_lab_needs_a_budget(self):
        """The range is the remedy: more than no time, and a week at most."""
        for minutes in ("0", "-0", "-1", "0.009", "10081", "1e308", "inf", "nan"):
            self.refused(2, "lab", "--dry_run", "--device=cpu", f"--minutes={minutes}",
                         message=f"--minutes={minutes}: expected a number from 0.01 to 10080")
        self.refused(2, "lab", "--dry_run", "--minutes=soon", message="expected a value from 0.01 to 10080")

    def test_every_tool_has_its_flags_tried(self):
        for tool in [*TOOLS, "lab"]:
            tried = set()
            for mode in (mode for mode in MODES if mode.tool == tool):
                tried |= ONLY.get(f"{tool} {mode.name}", set(self.flags_of(tool)))
            if tool == "scale_run":
                tried |= set(self.flags_of("train_sweep"))  # the training flags of both tools are the same
            self.assertEqual(set(self.flags_of(tool)) - tried, set(), tool)


def add_cases():
    """Adds a test case for each mode."""
    for mode in MODES:
        def case(self, mode=mode):
            self.check_mode(mode)
        setattr(FlagEffectsTest, f"test_{mode.tool}_{mode.name}", case)


add_cases()

if __name__ == "__main__":
    run_tests(__doc__)
