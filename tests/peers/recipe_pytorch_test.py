"""Tests batches, step and evaluation of benchmarks/peers/recipe_pytorch.py on the CPU, with a small network.

With a Python that has torch: python3 tests/peers/recipe_pytorch_test.py --peers benchmarks/peers
"""

from recipe_case import BATCH, IMAGES, RecipeCase, bazel_unittest  # before torch: skips the script without it
import torch
from torch.nn import functional as F


class RecipeTest(RecipeCase):
    def setUp(self):
        super().setUp()
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
