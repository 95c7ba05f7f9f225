"""Tests batches, step and evaluation of benchmarks/peers/recipe_pytorch.py on the CPU, with a small network.

With a Python that has torch: python3 tests/peers/recipe_pytorch_test.py --peers benchmarks/peers
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import torch: {error}")

IMAGES, BATCH = 48, 16


def small_network():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))


class RecipeTest(unittest.TestCase):
    peers = None

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
        mean, std = (self.recipe["normalization"][name] for name in ("mean", "std"))
        self.mean, self.std = torch.tensor(mean).view(3, 1, 1), torch.tensor(std).view(3, 1, 1)

    def draws(self, image, index, border):
        """Returns (top, left, flip) of each crop of an image that explains `image`, except where it is 0."""
        source = self.pixels[index].float() / 255
        padded = F.pad(source, (4,) * 4, mode="reflect") if border == "REFLECT" else F.pad(source, (4,) * 4)
        found, hidden = [], (image == 0).all(0)
        for flip in (0, 1):
            turned = padded.flip(2) if flip else padded
            for top in range(9):
                for left in range(9):
                    crop = (turned[:, top:top + 32, left:left + 32] - self.mean) / self.std
                    if torch.where(hidden, 0, (crop - image).abs()).max() < 1e-4:
                        found.append((top, left, flip))
        return found

    def test_each_image_is_one_crop_of_its_own_image(self):
        for border, flip, cutout in (("ZERO", "RANDOM", 0), ("REFLECT", "RANDOM", 12), ("ZERO", "ALTERNATING", 12)):
            with self.subTest(border=border, flip=flip, cutout=cutout):
                rule = self.batches.Rule(border, flip, cutout)
                data = self.batches.ResidentBatches(self.pixels, self.labels, BATCH, rule)
                data.begin_epoch(1)
                seen, drawn = [], set()
                for step in range(IMAGES // BATCH):
                    images, labels = data.next()
                    data.advance()
                    for image, label, index in zip(images, labels, data.order[step * BATCH:][:BATCH].tolist()):
                        (draw,) = self.draws(image, index, border)
                        drawn.add(draw)
                        seen.append(index)
                        self.assertEqual(label, self.labels[index])
                        self.assertEqual(bool((image == 0).all(0).any()), cutout > 0)
                        if flip == "ALTERNATING":
                            self.assertNotEqual(bool(draw[2]), data.first_flips[index].item())  # an odd epoch
                self.assertEqual(sorted(seen), list(range(IMAGES)))
                self.assertGreater(len(drawn), IMAGES // 2)

    def test_a_cutout_is_a_square_of_the_mean_colour(self):
        data = self.batches.ResidentBatches(self.pixels, self.labels, BATCH, self.batches.Rule("ZERO", "RANDOM", 12))
        images, _ = data.next()
        for image in images:
            rows, columns = (image == 0).all(0).nonzero(as_tuple=True)
            height, width = (int(at.max() - at.min()) + 1 for at in (rows, columns))
            self.assertEqual(len(rows), height * width)
            self.assertLessEqual(max(height, width), 12)

    def test_ranks_divide_an_epoch(self):
        parts = [self.batches.ResidentBatches(self.pixels, self.labels, BATCH, rank=rank, ranks=2) for rank in (0, 1)]
        orders = []
        for epoch in (0, 1):
            for part in parts:
                part.begin_epoch(epoch)
            orders.append(torch.cat([part.order for part in parts]).tolist())
            self.assertEqual(sorted(orders[-1]), list(range(IMAGES)))
        self.assertNotEqual(*orders)

    def training(self, kind):
        torch.manual_seed(2)
        training = self.module.Training(self.recipe, kind, 1, (self.pixels, self.labels))
        training.data.begin_epoch(0)
        return training

    def test_a_step_is_nesterovs_with_the_rate_of_the_schedule(self):
        training = self.training("graph")
        parameters = list(training.model.parameters())
        weights = [one.detach().clone() for one in parameters]
        velocities = [torch.zeros_like(one) for one in weights]
        # 18 steps, of which the first int(0.2 * 18) = 3 rise from 0.04 to 0.2.
        for rate in (0.04, 0.04 + 0.16 / 3, 0.04 + 0.32 / 3, 0.2, 0.2 * 14 / 15):
            self.assertAlmostEqual(training.optimizer.param_groups[0]["lr"].item(), rate, places=6)
            training.step()
            for weight, velocity, one in zip(weights, velocities, parameters):
                decayed = one.grad + 5e-4 * weight
                velocity.mul_(0.9).add_(decayed)
                weight.sub_(rate * (decayed + 0.9 * velocity))
                torch.testing.assert_close(one.detach(), weight, atol=1e-6, rtol=1e-5)

    def test_weights_in_fp16_have_the_updates_of_the_mean(self):
        wide, half = self.training("graph"), self.training("half")
        for step in range(4):
            losses = []
            for training in (wide, half):
                torch.manual_seed(step)
                with torch.autocast("cpu", enabled=False):
                    losses.append(training.step().item())
            self.assertAlmostEqual(*losses, delta=0.02)  # bf16 autocast rounds to 0.4 %
        for one, other in zip(wide.model.parameters(), half.model.parameters()):
            error = (one - other.float()).norm() / one.norm()
            self.assertLess(error.item(), 0.03)

    def test_the_evaluation_is_plain_and_with_the_mirror_image(self):
        training = self.training("graph")
        images = self.batches.normalized(self.pixels, self.recipe["normalization"])
        torch.testing.assert_close(images[7], (self.pixels[7].float() / 255 - self.mean) / self.std)
        # This network answers 1 if the left border is bright, else 0; with the mirror image, if both borders are.
        left, right = images[:, 0, :, 0].mean(1), images[:, 0, :, 31].mean(1)
        training.logits = lambda some: torch.stack([torch.zeros(len(some)), some[:, 0, :, 0].mean(1)], 1)
        plain, mirrored = training.evaluate(images, (left > 0).long())
        agreeing = sum((one > 0) == (one + other > 0) for one, other in zip(left.tolist(), right.tolist()))
        self.assertEqual((plain, mirrored), (1, agreeing / IMAGES))
        self.assertLess(agreeing, IMAGES)


if __name__ == "__main__":
    bazel_unittest.main_of(RecipeTest, folders=["peers"])
