"""The drawing of the layers, kept true: no package uses a higher one, and outsiders stay in their packages.

Reads the BUILD files and the #include lines of lib/ and tools/. Run by bazel (tests/BUILD); by hand:
    python3 tests/layers_test.py --root .
"""

import pathlib
import re
import tempfile
import unittest

import source_tree

# The layer of each package of lib/ (DESIGN.md, "Layers"). A package may use its own layer and lower ones.
LAYER = {
    "base": 0, "testing": 0, "proto": 0,
    "pickle": 1, "record": 1,
    "audit": 2, "cifar": 2, "comm": 2, "comm_model": 2, "prediction": 2, "quant": 2, "report": 2,
    "kernels": 3, "nn": 3,
    "fused": 4, "train": 4, "dist": 4, "quantize": 4,
}

# Outsiders that only these packages may name: in deps, and in #include lines.
TORCH = {"kernels", "nn", "train", "dist", "quantize"}
OUTSIDERS = [
    ("LibTorch", re.compile(r'@libtorch//|#include [<"](torch|ATen|c10|caffe2)/'), TORCH),
    ("CUDA", re.compile(r'@cuda//|@cudnn//|#include [<"](cuda|nvml|cudnn|cublas)[A-Za-z_]*\.h|<<<'), {"kernels", "nn", "fused", "train", "dist"}),
    ("NCCL", re.compile(r'@nccl//|#include [<"]nccl'), {"dist"}),
    ("Eigen", re.compile(r'"@eigen(//|")|#include <Eigen/'), {"comm"}),
    ("Boost", re.compile(r'"@boost_math(//|")|#include <boost/'), {"comm", "prediction"}),
    ("Gloo", re.compile(r'@gloo//|#include [<"]gloo/'), {"dist"}),
]

USE = re.compile(r'(?:"//lib/|#include "lib/)([a-z_]+)[/:"]')
SUFFIXES = {".h", ".cc", ".cu", ".cuh"}


def package_of(path, root):
    """The package of lib/ that a file belongs to, or None outside lib/."""
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "lib" and len(parts) > 2 else None


def violations(root):
    """Every line that crosses a layer or names an outsider where it must not."""
    found = []
    for path in sorted((root / "lib").rglob("*")) + sorted((root / "tools").rglob("*")):
        if not path.is_file() or (path.name != "BUILD" and path.suffix not in SUFFIXES):
            continue
        package = package_of(path, root)
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(root)}:{number}"
            if package is not None and package not in LAYER:
                found.append(f"{where}: package lib/{package} has no layer in tests/layers_test.py")
                break
            for used in USE.findall(line):
                if used not in LAYER:
                    found.append(f"{where}: uses lib/{used}, which has no layer")
                elif package is not None and LAYER[used] > LAYER[package]:
                    found.append(f"{where}: layer {LAYER[package]} ({package}) uses layer {LAYER[used]} ({used})")
            for name, pattern, allowed in OUTSIDERS:
                if line.startswith("load("):
                    continue  # a rule that skips a target where the outsider is absent
                if pattern.search(line) and package not in allowed:
                    found.append(f"{where}: names {name} outside {', '.join(sorted(allowed))}")
    return found


class LayersTest(unittest.TestCase):
    root = None

    def test_no_layer_is_crossed(self):
        self.assertEqual(violations(self.root), [])

    def test_the_tree_is_really_read(self):
        sources = [p for p in (self.root / "lib").rglob("*") if p.suffix in SUFFIXES]
        self.assertGreater(len(sources), 20, f"found {len(sources)} sources below {self.root}/lib")

    def check_sample(self, file, text, expected):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            path = root / file
            path.parent.mkdir(parents=True)
            path.write_text(text)
            found = violations(root)
            self.assertEqual(len(found), 1, found)
            self.assertIn(expected, found[0])

    def test_a_lower_layer_that_includes_a_higher_one_is_found(self):
        self.check_sample("lib/cifar/a.cc", '#include "lib/nn/model.h"\n', "layer 2 (cifar) uses layer 3 (nn)")

    def test_a_dep_on_a_higher_layer_is_found(self):
        self.check_sample("lib/record/BUILD", 'deps = ["//lib/comm:fit"],\n', "layer 1 (record) uses layer 2 (comm)")

    def test_torch_outside_its_packages_is_found(self):
        self.check_sample("lib/comm/a.h", "#include <torch/nn.h>\n", "names LibTorch")

    def test_cuda_outside_its_packages_is_found(self):
        self.check_sample("lib/quant/a.cc", "#include <cuda_runtime.h>\n", "names CUDA")

    def test_nccl_outside_its_packages_is_found(self):
        self.check_sample("lib/train/a.cc", "#include <nccl.h>\n", "names NCCL")

    def test_eigen_outside_its_package_is_found(self):
        self.check_sample("lib/report/BUILD", 'deps = ["@eigen"],\n', "names Eigen outside comm")

    def test_boost_outside_its_package_is_found(self):
        self.check_sample("lib/base/a.cc", "#include <boost/version.hpp>\n", "names Boost outside comm, prediction")

    def test_a_package_without_a_layer_is_found(self):
        self.check_sample("lib/utils/a.h", "int x;\n", "has no layer")


if __name__ == "__main__":
    source_tree.main(LayersTest)
