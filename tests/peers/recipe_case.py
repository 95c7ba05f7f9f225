"""Test case with a small network, images and a recipe for the trainings of benchmarks/peers on the CPU."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import torch
    from torch import nn
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import torch: {error}")

IMAGES, BATCH = 48, 16


def small_network():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


class RecipeCase(unittest.TestCase):
    peers = None  # folder of the modules

    def setUp(self):
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(self.peers))
        self.addCleanup(sys.path.pop, 0)
        import recipe_pytorch
        import resident_batches
        self.module, self.batches = recipe_pytorch, resident_batches
        recipe_pytorch.DEVICE = "cpu"  # also on a machine with a GPU
        recipe_pytorch.ResNet18 = small_network
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.pixels = torch.randint(1, 256, (IMAGES, 3, 32, 32), dtype=torch.uint8)
        self.labels = torch.arange(IMAGES) % 10
        self.recipe = {**recipe_pytorch.RECIPES["short26"], "batch_size": BATCH, "epochs": 6}

    def training(self, kind, make=None):
        torch.manual_seed(2)
        training = (make or self.module.Training)(self.recipe, kind, 1, (self.pixels, self.labels), None)
        training.data.begin_epoch(0)
        return training
