"""Reads weights in the forms in which Python's users save them: the tensors must be those that Python saved.

Each form is written by torch.save or by hand, read and saved again by checkpoint_dump, and compared tensor by tensor.
With a Python that has torch:
    python3 tests/peers/checkpoint_test.py --checkpoint_dump=bazel-bin/tests/peers/checkpoint_dump
"""

import argparse
import collections
import json
import os
import pathlib
import pickle
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import numpy
    import torch
    from torch import nn
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import torch and numpy: {error}")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = torch.relu(self.conv2(torch.relu(self.conv1(x))[..., ::2, ::2]))[..., ::2, ::2]
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x.flatten(1))))))


class Evil:
    """Makes a folder when Python unpickles it, by a function or by a method."""

    def __init__(self, method=False):
        self.method = method

    def __reduce__(self):
        return (pathlib.Path.mkdir, (pathlib.Path("evil"),)) if self.method else (os.mkdir, ("evil",))


def resnet18():
    """Returns a state_dict of ResNet-18 with the names of kuangliu/pytorch-cifar."""
    state = collections.OrderedDict()

    def conv(name, out, into, side):
        state[f"{name}.weight"] = torch.randn(out, into, side, side)

    def norm(name, channels):
        for key in ("weight", "bias", "running_mean", "running_var"):
            state[f"{name}.{key}"] = torch.rand(channels)
        state[f"{name}.num_batches_tracked"] = torch.tensor(7)

    conv("conv1", 64, 3, 3), norm("bn1", 64)
    into = 64
    for stage, width in enumerate((64, 128, 256, 512), 1):
        for block in (0, 1):
            at = f"layer{stage}.{block}"
            conv(f"{at}.conv1", width, into, 3), norm(f"{at}.bn1", width)
            conv(f"{at}.conv2", width, width, 3), norm(f"{at}.bn2", width)
            if into != width:
                conv(f"{at}.shortcut.0", width, into, 1), norm(f"{at}.shortcut.1", width)
            into = width
    state["linear.weight"], state["linear.bias"] = torch.randn(10, 512), torch.rand(10)
    return state


def safetensors(state):
    """Returns the bytes of a safetensors file, with its header padded by spaces like that of the library."""
    types = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64"}
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in state.items():
        raw = tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
        header[name] = {"dtype": types[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


class CheckpointTest(unittest.TestCase):
    binary = None

    @classmethod
    def setUpClass(cls):
        torch.manual_seed(3)
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.net = Net()
        cls.optimizer = torch.optim.SGD(cls.net.parameters(), lr=0.1, momentum=0.9)
        cls.scheduler = torch.optim.lr_scheduler.OneCycleLR(cls.optimizer, 0.1, total_steps=9)
        cls.net(torch.randn(2, 3, 32, 32)).sum().backward()
        cls.optimizer.step()
        cls.scheduler.step()
        cls.state = cls.net.state_dict()
        cls.resnet = resnet18()

    def dump(self, path):
        output = self.folder / "again.pt"
        result = subprocess.run([self.binary, path, output], capture_output=True, text=True, cwd=self.folder,
                                timeout=60)
        return result, output

    def reads(self, saved, expected, remark="", network="lenet5_bias", warnings=(), **options):
        """Saves `saved`, or takes its bytes, and expects the tensors `expected` after they were read."""
        path = self.folder / "weights.pt"
        if isinstance(saved, bytes):
            path.write_bytes(saved)
        else:
            torch.save(saved, path, **options)
        result, output = self.dump(path)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[:2], [network, remark])
        self.assertEqual(len([line for line in lines[2:] if line]), len(warnings), lines)
        for line, warning in zip(lines[2:], warnings):
            self.assertIn(warning, line)
        found = torch.load(output, weights_only=True)
        self.assertEqual(set(found), set(expected))
        for name, tensor in expected.items():
            self.assertEqual(found[name].dtype, tensor.dtype)
            self.assertTrue(torch.equal(found[name], tensor), name)

    def refuses(self, saved, *texts, **options):
        path = self.folder / "weights.pt"
        path.write_bytes(saved) if isinstance(saved, bytes) else torch.save(saved, path, **options)
        result, _ = self.dump(path)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1)
        for text in texts:
            self.assertEqual(result.stderr.count(text), 1, result.stderr)

    def with_prefix(self, prefix, state=None):
        return collections.OrderedDict((prefix + name, value) for name, value in (state or self.state).items())

    def test_every_protocol_and_container(self):
        for protocol in (2, 3, 4, 5):
            for new in (True, False):
                with self.subTest(protocol=protocol, new=new):
                    self.reads(self.state, self.state, pickle_protocol=protocol, _use_new_zipfile_serialization=new)
        self.reads(safetensors(self.state), self.state)

    def test_nested_next_to_other_things(self):
        more = {"epoch": 5, "acc": 95.1, "best": torch.tensor(0.5), "optimizer": self.optimizer.state_dict(),
                "scheduler": self.scheduler.state_dict(), "args": argparse.Namespace(lr=0.1, path=pathlib.Path("x")),
                "score": numpy.float64(0.5), "history": numpy.arange(3.0), "seed": 2 ** 100, "tags": {"a", "b"},
                "counts": collections.defaultdict(int, a=1), "name": "net", "none": None, "raw": b"\0\1",
                "random": torch.get_rng_state(), "device": torch.device("cpu"), "dtype": torch.float16,
                "shape": torch.Size([2, 3])}
        for key in ("net", "state_dict", "model_state_dict", "model", "weights"):
            for new in (True, False):
                with self.subTest(key=key, new=new):
                    self.reads({**more, key: self.state}, self.state, f"['{key}']", _use_new_zipfile_serialization=new)
        for protocol in (3, 4, 5):
            self.reads({**more, "net": self.state}, self.state, "['net']", pickle_protocol=protocol)
        self.reads((3, self.state, self.optimizer.state_dict()), self.state, "[1]")
        self.reads([{"a": [self.state]}], self.state, "[0]['a'][0]")
        self.reads({"net": collections.OrderedDict(self.net.named_parameters())}, self.state, "['net']")

    def test_prefixes(self):
        for prefix in ("module.", "_orig_mod.", "model.", "module._orig_mod.", "model.module.", "net."):
            with self.subTest(prefix=prefix):
                self.reads(self.with_prefix(prefix), self.state, f"prefix '{prefix}'")
        self.reads({"state_dict": self.with_prefix("model."), "pytorch-lightning_version": "2.0", "callbacks": {},
                    "hyper_parameters": {"lr": 0.1}}, self.state, "['state_dict'], prefix 'model.'")
        self.reads(safetensors(self.with_prefix("module.")), self.state, "prefix 'module.'")
        self.reads({"n_averaged": torch.tensor(3), **self.with_prefix("module.")}, self.state, "prefix 'module.'",
                   warnings=["such as n_averaged"])

    def test_precisions(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            saved = {name: value.to(dtype) for name, value in self.state.items()}
            expected = {name: value.float() for name, value in saved.items()}
            remark = f"{str(dtype).removeprefix('torch.')} converted to float32"
            for new in (True, False):
                with self.subTest(dtype=dtype, new=new):
                    self.reads(saved, expected, remark, _use_new_zipfile_serialization=new)
        half = {name: value.half() for name, value in self.state.items()}
        self.reads(safetensors(half), {name: value.float() for name, value in half.items()},
                   "float16 converted to float32")

    def test_views_and_strides(self):
        flat = torch.cat([value.flatten() for value in self.state.values()])
        views, at = {}, 0
        for name, value in self.state.items():
            views[name] = flat[at:at + value.numel()].view(value.shape)
            at += value.numel()
        self.reads(views, self.state)
        transposed = {name: value.t().contiguous().t() if value.dim() == 2 else value
                      for name, value in self.state.items()}
        self.reads(transposed, self.state)

    def test_resnet18(self):
        for new in (True, False):
            self.reads(self.resnet, self.resnet, network="resnet18", _use_new_zipfile_serialization=new)
        self.reads(safetensors(self.resnet), self.resnet, network="resnet18")
        counters = {name: torch.tensor(0) if "num_batches" in name else value for name, value in self.resnet.items()}
        without = {name: value for name, value in self.resnet.items() if "num_batches" not in name}
        self.reads(without, counters, network="resnet18")
        names = {name.replace("shortcut", "downsample").replace("linear.", "fc."): value
                 for name, value in self.resnet.items()}
        self.reads(names, self.resnet, "torchvision's names, expected with a 3x3 stem of stride 1 and no max pooling",
                   network="resnet18")
        self.refuses({**names, "conv1.weight": torch.randn(64, 3, 7, 7)}, "weights.pt", "nearest to resnet18: ",
                     "conv1.weight: expected (64, 3, 3, 3), found (64, 3, 7, 7), the stem of torchvision's network")

    def test_several_that_fit(self):
        other = {name: value + 1 for name, value in self.state.items()}
        self.reads({"net": self.state, "ema": other}, self.state, "['net']",
                   warnings=["2 state_dicts fit: ['net']; ['ema'];"])
        self.reads({"ema": other, "net": self.state}, other, "['ema']",
                   warnings=["2 state_dicts fit: ['ema']; ['net'];"])
        self.reads({"net": self.state, "same": self.state}, self.state, "['net']")

    def test_a_whole_module_is_refused(self):
        for new in (True, False):
            self.refuses(self.net, "a whole module of class __main__.Net", "torch.save(model.state_dict()",
                         _use_new_zipfile_serialization=new)
        self.refuses({"net": self.net, "epoch": 3}, "a whole module of class __main__.Net")

    def test_nothing_in_a_pickle_is_run(self):
        for new in (True, False):
            for saved in (Evil(), {"net": self.state, "more": Evil()}):
                self.refuses(saved, "it names posix mkdir at byte", "is not on the list",
                             _use_new_zipfile_serialization=new)
            self.refuses({"net": self.state, "more": Evil(method=True)}, "REDUCE of the result of a call of ",
                         _use_new_zipfile_serialization=new)
        self.assertFalse((self.folder / "evil").exists())

    def test_other_formats(self):
        arrays = {name: value.numpy() for name, value in self.state.items()}
        numpy.savez(self.folder / "weights.npz", **arrays)
        numpy.savez_compressed(self.folder / "packed.npz", **arrays)
        for name in ("weights.npz", "packed.npz"):
            self.refuses((self.folder / name).read_bytes(), "an archive of NumPy arrays (.npz)",
                         "torch.save(model.state_dict()")
        self.refuses(pickle.dumps(self.state), "a pickle that torch.save did not write")
        torch.jit.save(torch.jit.script(self.net), self.folder / "script.pt")
        self.refuses((self.folder / "script.pt").read_bytes(), "a TorchScript archive")
        self.refuses({name: value.to(torch.int8) for name, value in self.state.items()},
                     "expected floating point, found int8")
        self.refuses(list(self.net.parameters()), "expected a state_dict, found no dict from names to tensors")

    def test_cut_off(self):
        torch.save(self.state, self.folder / "old.pt", _use_new_zipfile_serialization=False)
        whole = (self.folder / "old.pt").read_bytes()
        for size in (10, 100, 700, len(whole) // 2, len(whole) - 1):
            self.refuses(whole[:size], "/weights.pt:")
        whole = safetensors(self.state)
        for size in (10, 100, len(whole) // 2, len(whole) - 1):
            self.refuses(whole[:size], "cut off")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint_dump", required=True)
    arguments, rest = parser.parse_known_args()
    CheckpointTest.binary = str(pathlib.Path(arguments.checkpoint_dump).resolve())
    bazel_unittest.main(rest)
