"""Compares the accuracy of weights that were trained with another normalization with Python's PyTorch.

A LeNet-5 is trained in Python on images divided by 255, minus 0.5, divided by 0.25, and saved by torch.save. `quantize`
must measure the same fp32 accuracy with --normalization=0.5/0.25, and must warn without the flag. A checkpoint of
train_sweep contains its own normalization; an ONNX file that has lost it needs the flag. With a Python that has torch:
    python3 tests/peers/normalization_test.py --tools bazel-bin/tools
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import torch: {error}")

TRAIN, TEST = 500, 400
EPOCHS = 8
MEAN, STD = 0.5, 0.25
FLAG = f"--normalization={MEAN}/{STD}"


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5, bias=False)
        self.conv2 = nn.Conv2d(6, 16, 5, bias=False)
        self.fc1 = nn.Linear(400, 120, bias=False)
        self.fc2 = nn.Linear(120, 84, bias=False)
        self.fc3 = nn.Linear(84, 10, bias=False)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc2(F.relu(self.fc1(x.flatten(1)))))
        return self.fc3(x)


def make_images(count, patterns):
    """Returns noisy, dark pictures with a pattern per class: pixels uint8 (count, 3, 32, 32), labels (count)."""
    labels = torch.arange(count) % 10
    pixels = 60 + patterns[labels] + 45 * torch.randn(count, 3, 32, 32)
    return pixels.clamp(0, 255).to(torch.uint8), labels


def write_cifar_binary(folder, train, test):
    """Writes CIFAR-10's binary layout: a byte of label and 3,072 pixels per image."""
    folder.mkdir()
    parts = [(f"data_batch_{i + 1}.bin", train[0][i::5], train[1][i::5]) for i in range(5)]
    for name, pixels, labels in [*parts, ("test_batch.bin", *test)]:
        records = torch.cat([labels.to(torch.uint8)[:, None], pixels.flatten(1)], dim=1)
        (folder / name).write_bytes(records.numpy().tobytes())
    (folder / "batches.meta.txt").write_text("\n".join("abcdefghij") + "\n")


def normalized(pixels, mean, std):
    return (pixels.float() / 255 - mean) / std


def correct(model, pixels, labels, mean, std):
    with torch.no_grad():
        return int((model.eval()(normalized(pixels, mean, std)).argmax(1) == labels).sum())


class NormalizationTest(unittest.TestCase):
    tools = None

    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        torch.manual_seed(5)
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        patterns = F.interpolate(18 * torch.randn(10, 3, 4, 4), size=32, mode="bilinear")
        cls.train, cls.test = make_images(TRAIN, patterns), make_images(TEST, patterns)
        write_cifar_binary(cls.folder / "images", cls.train, cls.test)
        cls.dataset = cls.folder / "dataset.rec"
        cls.call("cifar_prep", f"--input={cls.folder / 'images'}", "--allow_partial", f"--output={cls.dataset}")
        cls.model = LeNet5()
        optimizer = torch.optim.Adam(cls.model.parameters(), lr=0.002)
        for _ in range(EPOCHS):
            for rows in torch.randperm(TRAIN).split(20):
                optimizer.zero_grad()
                logits = cls.model(normalized(cls.train[0][rows], MEAN, STD))
                F.cross_entropy(logits, cls.train[1][rows]).backward()
                optimizer.step()
        cls.weights = cls.folder / "python.pt"
        torch.save(cls.model.state_dict(), cls.weights)
        cls.expected = correct(cls.model, *cls.test, MEAN, STD)

    @classmethod
    def call(cls, tool, *arguments):
        """Runs the tool, and returns its standard error."""
        result = subprocess.run([str(cls.tools / tool), *arguments], capture_output=True, text=True, timeout=300)
        if result.returncode != 0:
            raise AssertionError(f"{tool} {arguments}: exit {result.returncode}: {result.stderr}")
        return result.stderr

    def quantize(self, *arguments):
        """Returns (images that are right in fp32 or, if imported, in int8; standard error)."""
        output = self.folder / f"quantized{len(list(self.folder.iterdir()))}.rec"
        log = self.call("quantize", f"--input={self.dataset}", "--device=cpu", *arguments, f"--output={output}")
        percent = re.search(r"test images: .*?(\d+\.\d+) %", log)
        self.assertIsNotNone(percent, log)
        return round(float(percent[1]) * TEST / 100), log

    def test_the_network_has_learnt_and_normalization_matters(self):
        self.assertGreater(self.expected, TEST // 2)
        mean, std = self.train[0].float().mean() / 255, self.train[0].float().std() / 255
        self.assertLess(correct(self.model, *self.test, mean, std), self.expected - TEST // 20)

    def test_weights_of_python_with_the_flag_have_pythons_accuracy(self):
        found, log = self.quantize("--calibration_images=50", f"--checkpoint={self.weights}", FLAG)
        self.assertEqual(found, self.expected, log)
        self.assertNotIn("warning", log)
        self.assertIn("images normalized by mean 0.5, std 0.25 (custom)", log)

    def test_without_the_flag_there_is_a_warning_that_names_it(self):
        _, log = self.quantize("--calibration_images=50", f"--checkpoint={self.weights}")
        self.assertIn("warning", log)
        self.assertIn("--normalization=", log)
        self.assertIn("(assumed)", log)

    def test_a_checkpoint_of_train_sweep_carries_its_own(self):
        weights = self.folder / "own.pt"
        self.call("train_sweep", f"--input={self.dataset}", "--model=lenet5", "--device=cpu", "--batch_size=20", "--epochs=3",
                  "--learning_rate=0.05", "--normalization=none", f"--checkpoint={weights}",
                  f"--output={self.folder / 'sweep.rec'}")
        model = LeNet5()
        model.load_state_dict(torch.load(weights, weights_only=True))
        found, log = self.quantize("--calibration_images=50", f"--checkpoint={weights}")
        self.assertEqual(found, correct(model, *self.test, 0, 1), log)
        self.assertIn("images normalized by mean 0, std 1 (checkpoint)", log)
        self.assertNotIn("warning", log)

        # Saved again by Python, the weights no longer contain the normalization.
        again = self.folder / "again.pt"
        torch.save(torch.load(weights, weights_only=True), again)
        self.assertIn("(assumed)", self.quantize("--calibration_images=50", f"--checkpoint={again}")[1])

    def test_an_onnx_file_that_lost_its_normalization(self):
        try:
            import onnx
        except ImportError as error:
            self.skipTest(str(error))
        exported = self.folder / "net.onnx"
        self.quantize("--calibration_images=50", f"--checkpoint={self.weights}", FLAG, f"--onnx={exported}", "--per_channel")
        own, log = self.quantize(f"--import={exported}")
        self.assertIn("(onnx)", log)
        model = onnx.load(exported)
        del model.metadata_props[:]
        stripped = self.folder / "stripped.onnx"
        onnx.save(model, stripped)
        self.assertIn("(assumed)", self.quantize(f"--import={stripped}")[1])
        found, log = self.quantize(f"--import={stripped}", FLAG)
        self.assertEqual(found, own, log)
        self.assertNotIn("warning", log)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", required=True, help="folder of the tools, or one tool in it")
    arguments, rest = parser.parse_known_args()
    NormalizationTest.tools = bazel_unittest.folder_of(arguments.tools)
    bazel_unittest.main(rest)
