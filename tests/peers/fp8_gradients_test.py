"""Tests the simulated exchange of benchmarks/peers/fp8_gradients.py on the CPU, with a small network.

With a Python that has torch: python3 tests/peers/fp8_gradients_test.py --peers benchmarks/peers
"""

import functools

from recipe_case import RecipeCase, bazel_unittest  # before torch: skips the script without it
import torch
from torch import nn

STEPS = 4


def network_without_batch_norm():
    """Returns a network whose gradient is the sum of those of all images, however they are split."""
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(8, 10))


class Fp8GradientsTest(RecipeCase):
    def setUp(self):
        super().setUp()
        import fp8_gradients
        self.tested = fp8_gradients

    def split_training(self, hosts, form, **options):
        return self.training("graph", functools.partial(self.tested.SplitTraining, hosts=hosts, form=form, **options))

    def weights_after(self, training, steps=STEPS):
        """Returns all weights after steps without autocast, so that only the exchange rounds to fewer than 24 bits."""
        training.logits = training.model
        torch.manual_seed(3)
        for _ in range(steps):
            training.step()
        return torch.cat([one.detach().flatten() for one in training.model.parameters()])

    def test_fp32_trains_like_the_recipe(self):
        self.module.ResNet18 = network_without_batch_norm
        plain = self.weights_after(self.training("graph"))
        self.assertGreater((plain - self.weights_after(self.training("graph"), steps=0)).norm(), 0.1)
        for hosts in (2, 3, 8):  # 3 hosts: shares of 6, 5 and 5 images
            split = self.split_training(hosts, "fp32")
            with self.subTest(hosts=hosts):
                # Sums of at most 1,024 pixels times 16 images in another order.
                torch.testing.assert_close(self.weights_after(split), plain, atol=1e-5, rtol=1e-5)
                self.assertLess(split.more_fields()["relative_error"], 1e-6)

    def test_one_host_trains_like_the_recipe_with_batch_norm(self):
        plain, one = self.training("graph"), self.split_training(1, "fp32")
        torch.testing.assert_close(self.weights_after(one), self.weights_after(plain), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(one.model[1].running_var, plain.model[1].running_var, atol=1e-5, rtol=1e-5)

    def test_running_statistics_decay_once_for_each_step(self):
        found = []
        for start in (0, 1):
            training = self.split_training(4, "fp32")
            training.model[1].running_mean.fill_(start)
            training.step()
            found.append(training.model[1].running_mean.clone())
        torch.testing.assert_close(found[1] - found[0], torch.full((8,), 0.9), atol=1e-5, rtol=0)

    def test_formats_differ_in_weights_and_error(self):
        self.module.ResNet18 = network_without_batch_norm
        exact = self.weights_after(self.split_training(2, "fp32"))
        distances, errors = [], []
        for form in ("bf16", "fp8"):
            training = self.split_training(2, form)
            distances.append((self.weights_after(training) - exact).norm().item())
            errors.append(training.more_fields()["relative_error"])
        self.assertGreater(distances[0], 0)
        self.assertGreater(distances[1], 4 * distances[0])
        # Roundings to 8 and 4 significant bits are off by at most 2^-8 and 2^-4 of each value; there are two of them.
        self.assertTrue(1e-4 < errors[0] < 2 ** -7, errors)
        self.assertTrue(1e-2 < errors[1] < 2 ** -3, errors)

    def test_fp8_rounds_to_four_bits_by_the_scale_of_its_piece(self):
        largest = torch.tensor([448.0, 3e-6, 0, 7e4])
        sizes = [400, 300, 100, 200]
        scale = (largest / 448).repeat_interleave(torch.tensor(sizes))
        values = torch.cat([top * (2 * torch.rand(size) - 1) * 10 ** (-6 * torch.rand(size))
                            for top, size in zip(largest, sizes)])
        for at, top in zip((0, 400, 700, 800), largest):
            values[at] = -top
        found = self.tested.Rounding(sizes, "fp8", False, "cpu").send(values)
        # A normal number has 4 bits; the numbers below 2^-6 are multiples of 2^-9.
        bound = torch.maximum(values.abs() * 2 ** -4, scale * 2 ** -10) * (1 + 1e-6)
        self.assertTrue(((found - values).abs() <= bound).all())
        torch.testing.assert_close(found[[0, 400, 700, 800]], -largest, atol=0, rtol=1e-6)
        self.assertGreater((found[400:700] != 0).sum(), 150)  # 0 if these had the scale of another piece
        known = torch.tensor([448, 17.0, 18, 19, 0.0009, 0.0011])  # between 16 and 32 in steps of 2, ties to even
        expected = torch.tensor([448, 16.0, 18, 20, 0, 2 ** -9])
        self.assertEqual(self.tested.Rounding([6], "fp8", False, "cpu").send(known).tolist(), expected.tolist())

    def test_blocks_and_tensors_have_scales(self):
        self.tested.BLOCK = 100
        block, tensor = (self.split_training(2, "fp8", scale=scale) for scale in ("block", "tensor"))
        self.assertEqual(block.sum_sender.sizes, [100, 100, 100, 22])
        self.assertEqual(tensor.senders[1].sizes, [216, 8, 8, 80, 10])

    def test_error_feedback_sends_what_was_left(self):
        values = torch.tensor([448.0, 0.0004])  # the second is less than half of the smallest number, 2^-9
        for feedback, sent in ((False, 0), (True, 0.0004 * 1000)):
            sender = self.tested.Rounding([2], "fp8", feedback, "cpu")
            total = sum(sender.send(values) for _ in range(1000))
            self.assertAlmostEqual(total[1].item(), sent, delta=2 ** -10)

    def test_errors_of_all_senders_are_what_the_sum_lacks(self):
        self.module.ResNet18 = network_without_batch_norm
        training, senders = self.split_training(3, "fp8", error_feedback=True), []
        true = [0] * 3
        for host, sender in enumerate(training.senders):
            def send(values, host=host, original=sender.send):
                true[host] = true[host] + values
                return original(values)
            sender.send = send
        exchanged = 0
        for _ in range(STEPS):
            training.step()
            exchanged = exchanged + torch.cat([one.grad.flatten() for one in training.parameters])
        left = sum(sender.error for sender in (*training.senders, training.sum_sender))
        self.assertGreater(left.norm() / sum(true).norm(), 1e-3)
        torch.testing.assert_close(exchanged + left, sum(true), atol=1e-6, rtol=1e-5)
        training.prepare()
        self.assertEqual([sender.error.norm().item() for sender in (*training.senders, training.sum_sender)], [0] * 4)

    def test_the_sum_is_rounded_and_its_error_is_measured(self):
        training = self.split_training(2, "bf16")
        training.step()
        for gradient in (one.grad for one in training.model.parameters()):
            self.assertTrue(torch.equal(gradient, gradient.bfloat16().float()))
        training.sum_sender.send = torch.zeros_like
        training.step()
        self.assertEqual(training.relative_errors[1].item(), 1)

    def test_a_run_prints_its_error(self):
        recipe = {**self.recipe, "epochs": 2}
        splits = {split: (self.pixels, self.labels) for split in (1, 2)}
        make_training = functools.partial(self.tested.SplitTraining, hosts=2, form="fp8")
        found = self.module.run(recipe, "graph", 1, splits, make_training=make_training)
        self.assertLess(0.01, found["relative_error"])
        self.assertEqual((found["epochs"], found["seed"]), (2, 1))


if __name__ == "__main__":
    bazel_unittest.main_of(Fp8GradientsTest, folders=["peers"])
