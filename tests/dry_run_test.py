"""Compares the output of --dry_run for every preset and override, with golden/dry_run_cpu.txt, dry_run_cuda.txt.

A change of these texts changes the output for users; it is made on purpose, with --write, and reviewed as a diff. The
half for CUDA needs a GPU, and is skipped without one. Run by bazel (tests/BUILD), or directly:
    python3 tests/dry_run_test.py --tools bazel-bin/tools --golden tests/golden [--write]
"""

import argparse
import concurrent.futures
import difflib
import os
import shlex
import subprocess
import sys
import tempfile
import unittest

import bazel_unittest

# Parts of the step that a preset chooses and a flag overrides.
SWITCHES = ["cuda_graph", "resident_images", "second_stream", "fused_sums", "fused_batch_norm",
            "own_weight_gradients", "own_convolutions", "divide_multiprocessors"]

# The step: presets, every single override of each, then combinations that are subject to a rule.
STEPS = ["", "--preset=lab", "--preset=fast", "--preset=faster", "--step=fused", "--step=fuse", "--preset=fast --step=autograd",
         "--precision=tf32", "--precision=bf16", "--precision=fp16", "--channels_last", "--channels_last=false",
         "--preset=fast --precision=fp32", "--preset=fast --precision=tf32", "--preset=fast --channels_last=false",
         "--step=fused --precision=bf16", "--step=fused --precision=bf16 --cuda_graph",
         *(f"--{switch}={value}" for switch in SWITCHES for value in ("true", "false")),
         *(f"--preset=fast --{switch}={value}" for switch in SWITCHES for value in ("true", "false")),
         "--preset=fast --precision=fp32 --own_convolutions=false", "--preset=fast --precision=fp32 --fused_sums=true",
         "--preset=fast --second_stream=false --divide_multiprocessors=true",
         "--preset=fast --fused_sums=false --fused_batch_norm=true", "--preset=fast --model=lenet5",
         "--step=fused --model=lenet5",
         "--preset=fast --loader_workers=3"]

# Other plans of train_sweep.
PLANS = ["--model=lenet5", "--model=lenet5_bias", "--epochs=1", "--epochs=3", "--repeats=2",
         "--epochs=3 --repeats=2", "--epochs=2 --repeats=2", "--schedule=cosine --epochs=10",
         "--schedule=multistep --lr_milestones=2,4", "--schedule=multistep --lr_milestones=2 --lr_gamma=0.2",
         "--schedule=multistep", "--schedule=one_cycle --lr_warmup_epochs=2", "--schedule=line", "--lr_milestones=3",
         "--schedule=linear --epochs=26 --lr_warmup_share=0.2 --lr_warmup_start=0.02 --batch_size=32",
         "--lr_warmup_share=0.2 --batch_size=32", "--border=reflect --flip=alternating --cutout=12 --batch_size=32",
         "--border=reflect --flip=random --batch_size=32", "--border=mirror", "--cutout=33 --batch_size=32",
         "--noaugment --cutout=12", "--noevaluate --evaluate_mirrored",
         "--noevaluate --evaluation=autograd", "--evaluation=fused",
         "--recipe=short26", "--recipe=short80 --learning_rate=0.1 --noaugment --noevaluate",
         "--recipe=cosine200 --batch_size=32", "--recipe=short", "--recipe=short26 --optimizer=adam",
         "--learning_rate=0.4 --momentum=0.8 --weight_decay=0 --seed=7 --noaugment", "--batch_size=20,30 --drop_last",
         "--batch_size=20,20", "--batch_size=4096", "--batch_size=", "--min_batch=16 --factor=2 --max_batch=64",
         "--find_max --memory_limit_bytes=1000000000", "--accumulate=4 --batch_size=32",
         "--accumulate=3 --batch_size=32",
         "--accumulate=2 --find_max", "--checkpoint=w.pt --batch_size=8,16", "--checkpoint=w.pt --checkpoint_batch=16 --batch_size=8,16",
         "--checkpoint=w.pt --checkpoint_batch=5 --batch_size=8", "--checkpoint=-",
         "--init=-", "--init=w.pt --resume", "--init=w.pt --zero_gamma",
         "--noevaluate --target_accuracy=0.9",
         "--target_accuracy=0.9 --evaluate_every=2", "--resume --output=-", "--output=",
         "--loader_workers=0 --deterministic",
         "--label_smoothing=0.1 --clip_norm=1 --lars=0.001 --zero_gamma --no_set_epoch", "--zero_gamma --model=lenet5",
         "--label_smoothing=2", "--validation_images=200 --batch_size=32", "--validation_images=2040 --batch_size=32", "--noevaluate --validation_images=1",
         "--lr_warmup_epochs=2 --lr_warmup_start=0.01 --batch_size=32", "--lr_warmup_start=0.01 --batch_size=32",
         "--lr_warmup_epochs=2 --lr_warmup_start=0.5 --batch_size=32"]

SCALES = ["", "--ranks=1 --batch_size=16", "--ranks=1,2,4 --batch_size=64 --batch_mode=global", "--batch_mode=total", "--ranks=2,2",
          "--ranks=3 --batch_size=64 --batch_mode=global", "--batch_size=4096", "--model=lenet5 --epochs=3",
          "--repeats=2 --batch_size=32", "--epochs=3 --repeats=2", "--epochs=1", "--overlap=false --batch_size=32", "--buffers=broadcast --batch_size=32",
          "--buffers=shared", "--mode=ddp --precision=fp32 --batch_size=32", "--mode=dp", "--precision=bf16", "--drop_last --batch_size=100",
          "--first_bucket_mib=2 --bucket_mib=10 --batch_size=32", "--bucket_mib=-1", "--learning_rate=0.2 --seed=3 --batch_size=32",
          "--ranks=0", "--output=", "--timeout=0s", "--preset=fast", "--gradient_compression=bf16",
          "--gradient_compression=fp16", "--cuda_graph=true", "--accumulate=3 --batch_size=32",
          "--accumulate=4 --batch_size=32 --ranks=2",
          "--schedule=cosine --lr_warmup_epochs=1 --epochs=10 --batch_size=32", "--noevaluate --target_accuracy=0.9",
          "--label_smoothing=0.1 --clip_norm=1 --lars=0.001 --zero_gamma --no_set_epoch --batch_size=32",
          "--checkpoint=w.pt --batch_size=8,16", "--checkpoint=w.pt --checkpoint_batch=5 --batch_size=8",
          "--resume --output=-", "--checkpoint=w.pt --experiment=sampler_epoch --ranks=2 --batch_size=128",
          "--mode=ddp,dp --gradient_compression=none,bf16 --batch_size=32", "--preset=lab,fast --reducer=own,c10d --batch_size=32 --ranks=2",
          "--mode=ddp,ddp", "--mode=dp --gradient_compression=bf16,bf16", "--experiment=sampler_epoch --batch_size=32 --mode=ddp,dp",
          "--experiment=large_batch --ranks=2 --batch_size=32,514 --seeds=1", "--experiment=large_batch --ranks=2 --batch_size=32,1000 --seeds=1 --validation_images=0",
          "--experiment=large_batch --ranks=2 --batch_size=64,32",
          ["--experiment=large_batch", "--ranks=2", "--batch_size=32,514", "--rows=514, ghost batch norm"],
          "--experiment=sampler_epoch --ranks=2 --batch_size=32 --no_set_epoch", "--experiment=what_is_sent --ranks=2 --batch_size=32 --model=lenet5"]

# Cases of each device. Outputs that do not depend on the device's step are the same on CUDA, so CUDA has only the
# steps.
CASES = {"cpu": [("train_sweep", case) for case in STEPS + PLANS] + [("scale_run", case) for case in SCALES],
         "cuda": [("train_sweep", case) for case in STEPS] + [("scale_run", "--ranks=1 --batch_size=32")]}


def plan_text(tools, device, folder):
    """Returns all cases of a device, each with its command, its output, and its exit code."""
    call = lambda tool, *flags: subprocess.run([str(tools / tool), *flags], capture_output=True, text=True, cwd=folder, timeout=240)
    call("cifar_prep", "--input_format=synthetic", "--output=d.rec").check_returncode()

    def block(tool, case):
        flags = case.split() if isinstance(case, str) else case  # a list if a flag has spaces
        result = call(tool, "--input=d.rec", f"--device={device}", "--dry_run", "--threads=1", *flags)
        return f"$ {tool} {shlex.join(flags)}".rstrip() + f"\n{result.stdout}{result.stderr}exit {result.returncode}\n"

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return "\n".join(pool.map(lambda case: block(*case), CASES[device]))


class DryRunTest(unittest.TestCase):
    tools = golden = None
    write = False

    def check(self, device):
        with tempfile.TemporaryDirectory() as folder:
            found = plan_text(self.tools, device, folder)
        path = self.golden / f"dry_run_{device}.txt"
        if self.write:
            path.write_text(found)
            return
        changed = list(difflib.unified_diff(path.read_text().splitlines(), found.splitlines(), "wanted", "found", lineterm="", n=4))
        self.assertEqual(changed, [], "\n" + "\n".join(changed))

    def test_the_plan_on_a_cpu(self):
        self.check("cpu")

    @unittest.skipUnless(os.path.exists("/dev/nvidiactl"), "no GPU")
    def test_the_plan_on_cuda(self):
        self.check("cuda")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, help="folder of the tools, or one tool in it")
    parser.add_argument("--golden", required=True, help="folder of the texts, or a file in it")
    parser.add_argument("--write", action="store_true", help="write the texts instead of comparing them")
    given, rest = parser.parse_known_args()
    DryRunTest.tools = bazel_unittest.folder_of(given.tools)
    DryRunTest.golden = bazel_unittest.folder_of(given.golden)
    DryRunTest.write = given.write
    bazel_unittest.main(rest)
