"""Compares the training step with Python's PyTorch: the same weights and batch must give the same loss, gradients, and
weights after three steps, and the small networks the same weights after ten.

The networks are those of python_networks.py. Weights are passed as checkpoints in both directions, so that these are
tested too. Run by bazel (tests/peers/BUILD); skipped, with a message, if the interpreter has no torch. Or one case, or
ten steps of a large network (a minute), with torch:
    python3 tests/peers/oracle_test.py --oracle_dump=bazel-bin/tests/peers/oracle_dump \
        --cifar_prep=bazel-bin/tools/cifar_prep OracleTest.test_lenet5
    python3 tests/peers/oracle_test.py ... --ten_steps_of_all OracleTest.test_ten_steps_of_resnet18
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import torch
    from torch.nn import functional as F
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import torch: {error}")

from python_networks import BATCH, NETWORKS

SEED = 7
STEPS = 3
# At a rate of 0.1, ten steps of ResNet-18 amplify one rounding as much as another momentum. ResNet-34's do even at 0.001,
# so its ten steps are not compared.
TEN, TEN_RATE = 10, 0.01
TEN_STEPS = ["lenet5", "lenet5_bias", "mlp:256x3"]  # networks whose ten steps take seconds
LEARNING_RATE, MOMENTUM, WEIGHT_DECAY = 0.1, 0.9, 5e-4

# --- the tolerance ---
# u = 2^-24 is the unit roundoff of fp32. A sum of n products has a rounding error of about sqrt(n) u relative to the
# size of its terms (Higham, Accuracy and Stability of Numerical Algorithms, 2.8 and 4.2: rounding errors as random
# walk). Two implementations that sum in another order differ by that much in each layer, and a gradient passes all L
# layers twice, forward and backward: 2 L sqrt(n) u. The longest sum is a weight gradient's, over batch and pixels: n =
# 32 * 32^2 in resnet18 (L = 18) and 32 * 28^2 in lenet5 (L = 5). Relative to the largest magnitude of the tensor.
UNIT_ROUNDOFF = 2.0 ** -24


def relative_tolerance(name):
    return 2 * NETWORKS[name].depth * NETWORKS[name].longest_sum ** 0.5 * UNIT_ROUNDOFF


def weight_tolerance(name, largest_gradient, largest_weight):
    """Returns the tolerance after three steps: the first gradient counts 1 + 1.9 + 2.71 times, the second 1 + 1.9, the
    third 1."""
    counted = (1 + 1.9 + 2.71) + (1 + 1.9) + 1
    # Each of the three updates rounds the weight, and the product and sum of the update: 3 roundings of at most u each.
    return LEARNING_RATE * counted * relative_tolerance(name) * largest_gradient + STEPS * 3 * UNIT_ROUNDOFF * largest_weight


# --- the two sides ---


class Python:
    """PyTorch's results for the batch."""

    def __init__(self, name, weights, images, labels, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY, steps=STEPS,
                 precision="fp32", layout="nchw", first_error=0, rate=LEARNING_RATE):
        """`first_error`: what is added to each value of the first step's gradients, with random sign, relative to the
        largest of its tensor."""
        signs = torch.Generator().manual_seed(SEED)
        memory_format = torch.channels_last if layout == "channels_last" else torch.contiguous_format
        model = NETWORKS[name].make().to(memory_format=memory_format)
        images = images.to(memory_format=memory_format)
        model.load_state_dict(weights)
        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=rate, momentum=momentum, weight_decay=weight_decay)
        self.losses, self.gradients, self.largest_gradient = [], {}, {}
        for step in range(steps):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
                loss = F.cross_entropy(model(images), labels)
            loss.backward()
            self.losses.append(loss.item())
            for key, parameter in model.named_parameters():
                if step == 0 and first_error > 0:
                    sign = torch.randint(0, 2, parameter.shape, generator=signs) * 2 - 1
                    parameter.grad += first_error * parameter.grad.abs().max() * sign
                if step == 0:
                    self.gradients[key] = parameter.grad.clone()
                size = (parameter.grad + weight_decay * parameter).abs().max().item()
                self.largest_gradient[key] = max(self.largest_gradient.get(key, 0), size)
            optimizer.step()
        self.state = {key: value.clone() for key, value in model.state_dict().items()}


LARS_RATE, TRUST = 0.1, 0.02


class PythonLars:
    """LARS of You et al. 2017 (arXiv 1708.03888, algorithm 1) with a skip list, in fp64: the weights after each step.

    `skip`: biases and batch norm have no local rate. `decay_skipped`: they have weight decay nevertheless.
    """

    def __init__(self, name, weights, images, labels, steps, skip=True, decay_skipped=False):
        model = NETWORKS[name].make()
        model.load_state_dict(weights)
        model.train()
        velocity = {key: torch.zeros_like(parameter, dtype=torch.float64) for key, parameter in model.named_parameters()}
        self.largest_update = {}
        for _ in range(steps):
            model.zero_grad()
            F.cross_entropy(model(images), labels).backward()
            with torch.no_grad():
                for key, parameter in model.named_parameters():
                    w, g = parameter.double(), parameter.grad.double()
                    skipped = skip and w.dim() == 1
                    decay = WEIGHT_DECAY if decay_skipped or not skipped else 0
                    local = 1 if skipped or w.norm() == 0 or g.norm() == 0 else TRUST * w.norm() / (
                        g.norm() + WEIGHT_DECAY * w.norm())
                    update = local * (g + decay * w)
                    self.largest_update[key] = max(self.largest_update.get(key, 0), update.abs().max().item())
                    velocity[key] = MOMENTUM * velocity[key] + update
                    parameter.copy_(w - LARS_RATE * velocity[key])
        self.state = {key: value.clone() for key, value in model.state_dict().items()}


def lars_errors(name, state, python, steps):
    """Returns {weight: error / tolerance}. An update is a gradient times a factor that is divided by the gradient's
    norm: twice the gradient's relative error. Otherwise like weight_tolerance."""
    counted = sum(1 - MOMENTUM ** (step + 1) for step in range(steps)) / (1 - MOMENTUM)
    found = {}
    for key, largest_update in python.largest_update.items():
        largest_weight = python.state[key].abs().max().item()
        tolerance = (LARS_RATE * counted * 2 * relative_tolerance(name) * largest_update
                     + steps * 3 * UNIT_ROUNDOFF * largest_weight)
        found[key] = (state[key] - python.state[key]).abs().max().item() / tolerance
    return found


def has_bf16_convolutions():
    """Returns true if oneDNN has bf16 kernels on this CPU; otherwise its reference code takes minutes for a batch of
    32.

    It has them for AVX-512 with bf16 or AMX, unless ONEDNN_MAX_CPU_ISA forbids these (oneDNN's guide, "CPU
    Dispatcher Control": the ISAs are ordered, and every one from AVX512_CORE_BF16 on has bf16).
    """
    flags = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    limit = (os.environ.get("ONEDNN_MAX_CPU_ISA") or os.environ.get("DNNL_MAX_CPU_ISA") or "DEFAULT").upper()
    allowed = limit in ("ALL", "DEFAULT") or any(part in limit for part in ("BF16", "FP16", "AMX", "AVX10"))
    return allowed and bool(flags & {"avx512_bf16", "amx_bf16"})


def read(path, dtype, shape):
    return torch.frombuffer(bytearray(path.read_bytes()), dtype=dtype).reshape(shape)


class Lockstep:
    """oracle_dump's results for the same weights."""

    def __init__(self, name, weights, binary, dataset, folder, precision="fp32", layout="nchw", training="",
                 steps=STEPS):
        torch.save(weights, folder / "weights.pt")
        subprocess.run([binary, name, str(SEED), folder / "weights.pt", dataset, folder, precision, layout, str(steps),
                        training],
                       check=True)
        self.init = torch.load(folder / "init.pt", weights_only=True)
        self.first = torch.load(folder / "first.pt", weights_only=True)
        self.state = torch.load(folder / "trained.pt", weights_only=True)
        self.losses = [float(line) for line in (folder / "losses.txt").read_text().split()]
        self.images = read(folder / "images.f32", torch.float32, (BATCH, 3, 32, 32))
        self.labels = read(folder / "labels.i64", torch.int64, (BATCH,))
        self.gradients = {path.name[:-len(".grad.f32")]: read(path, torch.float32, (-1,))
                          for path in folder.glob("*.grad.f32")}


def errors(name, lockstep, python):
    """Returns (name, error / tolerance) of every loss, gradient, weight and batch-norm statistic. Counters must be
    equal."""
    found = [(f"loss of step {step + 1}", abs(a - b) / (relative_tolerance(name) * abs(b)))
             for step, (a, b) in enumerate(zip(lockstep.losses, python.losses))]
    for key, expected in python.gradients.items():
        error = (lockstep.gradients[key] - expected.flatten()).abs().max().item()
        found.append((f"gradient {key}", error / (relative_tolerance(name) * expected.abs().max().item())))
    for key, expected in python.state.items():
        actual = lockstep.state[key]
        if not expected.is_floating_point():
            found.append((f"counter {key}", 0.0 if torch.equal(actual, expected) else float("inf")))
            continue
        largest = expected.abs().max().item()
        if key in python.largest_gradient:
            tolerance = weight_tolerance(name, python.largest_gradient[key], largest)
        else:  # a running statistic: a mean over the batch and the layer's own error
            tolerance = relative_tolerance(name) * largest
        found.append((f"state {key}", (actual - expected).abs().max().item() / tolerance))
    return found


class OracleTest(unittest.TestCase):
    binary = dataset = None

    def setUp(self):
        torch.set_num_threads(1)
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def run_lockstep(self, name, **how):
        """Returns Python's initial weights, and Lockstep's results for them."""
        torch.manual_seed(SEED)
        weights = NETWORKS[name].make().state_dict()
        return weights, Lockstep(name, weights, self.binary, self.dataset, pathlib.Path(self.temporary.name), **how)

    def check(self, name, **how):
        weights, lockstep = self.run_lockstep(name, **how)
        python = Python(name, weights, lockstep.images, lockstep.labels, **how)
        self.assertEqual(list(lockstep.init), list(weights), "names and their order")
        for key, value in weights.items():
            self.assertTrue(torch.equal(lockstep.init[key], value), f"initial {key} for the same seed")
        self.assertEqual(set(lockstep.gradients), set(python.gradients))
        self.assertTrue(all(gradient.abs().max() > 0 for gradient in python.gradients.values()))
        NETWORKS[name].make().load_state_dict(lockstep.state)  # strict: no name may be missing or superfluous
        found = errors(name, lockstep, python)
        what, worst = max(found, key=lambda pair: pair[1])
        exact = sum(error == 0 for _, error in found)
        print(f"{name} {how}: {len(found)} comparisons, {exact} of them equal bit for bit; largest error {worst:.3g} of its tolerance, at {what}; "
              f"relative tolerance {relative_tolerance(name):.2g}; losses {python.losses}")
        self.assertLessEqual(worst, 1, what)
        # Controls: the comparison must detect a slightly different optimizer.
        for change in ({"momentum": 0.89}, {"weight_decay": 0.0}):
            other = Python(name, weights, lockstep.images, lockstep.labels, **change, **how)
            what, worst = max(errors(name, lockstep, other), key=lambda pair: pair[1])
            print(f"{name} with {change}: {worst:.3g} of the tolerance, at {what}")
            self.assertGreater(worst, 1, f"{change} went unnoticed")
        labels = lockstep.labels.clone()
        labels[0] = (labels[0] + 1) % 10
        self.check_gradients_differ(name, lockstep, Python(name, weights, lockstep.images, labels, steps=1, **how))
        return weights, lockstep

    def check_ten_steps(self, name):
        """Compares the weights after ten steps. Each step adds rounding errors to the gradients, which the later steps
        amplify, batch norm above all. An error in the first step is amplified the most, and the errors of the steps
        are independent: the tolerance is sqrt(10) times what errors as large as those of the first step, added there,
        change in PyTorch's own result."""
        weights, lockstep = self.run_lockstep(name, steps=TEN, training=f"learning_rate: {TEN_RATE}")

        def python(**how):
            return Python(name, weights, lockstep.images, lockstep.labels, steps=TEN, rate=TEN_RATE, **how)

        expected = python()
        first_error = max(
            (lockstep.gradients[key] - gradient.flatten()).abs().max().item() / gradient.abs().max().item()
            for key, gradient in expected.gradients.items())
        self.assertLessEqual(first_error, relative_tolerance(name))
        disturbed = python(first_error=max(first_error, UNIT_ROUNDOFF))
        worst = {}
        for side, state in (("found", lockstep.state), ("momentum 0.89", python(momentum=0.89).state)):
            ratios = {}
            for key, value in expected.state.items():
                if value.is_floating_point():
                    tolerance = TEN ** 0.5 * ((disturbed.state[key] - value).abs().max().item()
                                              + 3 * UNIT_ROUNDOFF * value.abs().max().item())
                    ratios[key] = (state[key] - value).abs().max().item() / tolerance
                else:
                    self.assertTrue(torch.equal(state[key], value), key)
            worst[side] = max((ratio, key) for key, ratio in ratios.items())
        print(f"{name}, ten steps: {len(expected.state)} tensors; gradients of the first differ by {first_error:.2g}; "
              f"largest error / tolerance, and its tensor: {worst}; losses {expected.losses}")
        self.assertLessEqual(worst["found"][0], 1, worst)
        self.assertGreater(worst["momentum 0.89"][0], 1, "another momentum went unnoticed")

    def check_gradients_differ(self, name, lockstep, other):
        """The comparison must detect, in the gradients of every layer, one wrong label of 32 or another precision."""
        found = dict(errors(name, lockstep, other))
        for key in other.gradients:
            self.assertGreater(found[f"gradient {key}"], 1, f"a difference went unnoticed in the gradient of {key}")

    def test_resnet18_channels_last(self):
        self.check("resnet18", layout="channels_last")

    def check_lars(self, name, steps):
        weights, lockstep = self.run_lockstep(name, training=f"lars: {TRUST} learning_rate: {LARS_RATE}")
        state = lockstep.first if steps == 1 else lockstep.state
        found = lars_errors(name, state, PythonLars(name, weights, lockstep.images, lockstep.labels, steps), steps)
        what = max(found, key=found.get)
        print(f"{name}, LARS, {steps} steps: largest error {found[what]:.3g} of its tolerance, at {what}")
        self.assertLessEqual(found[what], 1, what)
        # Controls: other treatments of biases and batch norm must be detected.
        for change in ({"decay_skipped": True}, {"skip": False}):
            other = PythonLars(name, weights, lockstep.images, lockstep.labels, steps, **change)
            found = lars_errors(name, state, other, steps)
            what = max((key for key in found if weights[key].dim() == 1), key=found.get)
            print(f"{name}, LARS with {change}: {found[what]:.3g} of the tolerance, at {what}")
            self.assertGreater(found[what], 1, f"{change} went unnoticed")

    # One step: if batch norm averages over few pixels, a rounding of the weights changes the next gradient by far more.
    def test_resnet18_lars(self):
        self.check_lars("resnet18", 1)

    def test_lenet5_bias_lars(self):
        self.check_lars("lenet5_bias", STEPS)

    # Both sides round to bf16 at the same places, so the tolerance is that of the fp32 sums in between.
    @unittest.skipUnless(has_bf16_convolutions(), "no bf16 instructions: oneDNN would take minutes")
    def test_resnet18_bf16_channels_last(self):
        how = {"precision": "bf16", "layout": "channels_last"}
        weights, lockstep = self.check("resnet18", **how)
        self.check_gradients_differ("resnet18", lockstep, Python("resnet18", weights, lockstep.images, lockstep.labels, steps=1))


for _name in NETWORKS:
    setattr(OracleTest, "test_" + _name.replace(":", "_"), lambda self, name=_name: self.check(name))
    if _name in TEN_STEPS or "--ten_steps_of_all" in sys.argv and _name != "resnet34":
        setattr(OracleTest, "test_ten_steps_of_" + _name.replace(":", "_"),
                lambda self, name=_name: self.check_ten_steps(name))


def make_dataset(cifar_prep, folder):
    """Makes a data set of real pictures in the folder LOCKSTEP_CIFAR10, or else of synthetic ones."""
    path = os.path.join(folder, "dataset.rec")
    real = os.environ.get("LOCKSTEP_CIFAR10")
    source = [f"--input={real}", "--allow_partial"] if real else ["--input_format=synthetic", "--train_images=100",
                                                                  "--test_images=10"]
    subprocess.run([cifar_prep, *source, f"--output={path}"], check=True, stderr=subprocess.DEVNULL)
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--oracle_dump", required=True)
    parser.add_argument("--cifar_prep", required=True)
    parser.add_argument("--ten_steps_of_all", action="store_true")
    arguments, rest = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as shared:
        OracleTest.binary = arguments.oracle_dump
        OracleTest.dataset = make_dataset(arguments.cifar_prep, shared)
        bazel_unittest.main(rest)
