"""Checks the layers of the packages: allowed dependencies, never upwards; external libraries stay in their packages.

Reads the BUILD files and the #include lines of lib/ and tools/. Run by bazel (tests/BUILD), or directly:
    python3 tests/layers_test.py --root .
"""

import pathlib
import re
import tempfile
import unittest

import source_tree

# Layer of each package of lib/, and the packages that it may use in addition to `proto` and `base` (DESIGN.md,
# "Layers"). Another use is a decision, and must be added to this table and to the package's README. Tests may also use
# `testing`.
LAYERS = [
    {"base": "", "testing": "", "proto": ""},
    {"networks": "", "pickle": "", "record": "", "statistics": ""},
    {
        "dataset": "record",
        "cifar": "dataset pickle record",
        "published": "record",
        "audit": "published",
        "collectives": "record statistics",
        "scaling": "collectives record statistics",
        "prediction": "collectives published scaling statistics",
        "comm_model": "audit collectives prediction published record scaling statistics",
        "int8": "dataset record statistics",
        "int8_cpu": "int8",
        "onnx": "dataset int8 record",
        "page": "record",
        "plot": "page",
        "wording": "cifar dataset networks scaling statistics",
        "lab_records": "networks record scaling statistics wording",
        "warnings": "dataset lab_records scaling statistics wording",
        "summary": "comparison lab_records networks scaling statistics warnings wording",
        "export": "lab_records networks record scaling statistics",
        "report": "collectives comparison dataset lab_records networks page plot published record scaling statistics "
                  "summary warnings wording",
        "checks": "audit lab_records page published record report scaling statistics summary warnings wording",
        "comparison": "lab_records page record scaling statistics wording",
    },
    {
        "device": "record",
        "cuda": "",
        "kernels": "collectives cuda dataset",
        "int8_cuda": "cuda int8",
        "peer": "collectives cuda kernels",
        "nn": "dataset device networks pickle record",
        "launch": "dataset device record",
        "doctor": "dataset device plot record",
        "lab": "cifar dataset device networks record wording",
    },
    {
        "fused": "collectives cuda dataset kernels networks peer",
        "train": "cuda dataset device fused kernels networks nn record statistics",
        "communicator": "cuda device launch peer",
        "reducer": "collectives communicator cuda device fused kernels launch nn peer record train",
        "data_parallel": "collectives communicator dataset device nn train",
        "distributed_data_parallel": "communicator launch reducer",
        "scale_run": "collectives communicator cuda data_parallel dataset device fused launch networks nn record reducer "
                     "scaling statistics train",
        "quantize": "dataset device int8 int8_cpu int8_cuda networks nn onnx record train",
    },
]
LAYER = {package: layer for layer, packages in enumerate(LAYERS) for package in packages}
MAY_USE = {package: {package, "base", "proto", *uses.split()} for packages in LAYERS for package, uses in packages.items()}
MAY_USE["proto"] = {"proto"}

# External libraries, and the only packages that may name each: in deps, and in #include lines.
TORCH = {"device", "kernels", "nn", "launch", "train", "communicator", "reducer", "data_parallel",
         "distributed_data_parallel", "scale_run", "quantize"}
OUTSIDERS = [
    ("LibTorch", re.compile(r'@libtorch//|^\[?(torch_library|(torch|rank)_test)\(|'
                            r'#include [<"](torch|ATen|c10|caffe2)/'), TORCH),
    ("CUDA", re.compile(r'@cuda//|@cudnn//|^\[?cuda_\w+\(|#include [<"](cuda|nvml|cudnn|cublas)[A-Za-z_]*\.h|<<<'),
     {"cuda", "device", "kernels", "int8_cuda", "peer", "nn", "fused", "train", "communicator", "reducer"}),
    ("NCCL", re.compile(r'@nccl//|#include [<"]nccl'), {"communicator"}),
    ("Eigen", re.compile(r'"@eigen(//|")|#include <Eigen/'), {"statistics"}),
    ("Boost", re.compile(r'"@boost_math(//|")|#include <boost/'), {"statistics", "prediction"}),
    ("Gloo", re.compile(r'@gloo//|#include [<"]gloo/'), {"communicator"}),
]

# Ways to print that do not make text readable. lib/base has functions for that (log_line.h, print_text.h, progress.h).
# MAY_PRINT lists files that are not part of a tool.
PRINTS = re.compile(r"\bf?printf\(|\bv?dprintf\(|\bf?puts\(|\bF?PrintF\(|\bputchar\(|\bperror\(|\bstd::(cerr|cout|clog) *<<")
MAY_PRINT = re.compile(r"lib/base/progress\.cc|lib/testing/.*|.*_(test|fuzz)\.cc|lib/report/check_report_testing\.cc|"
                       r"lib/int8_cpu/emulated_tiles_testing\.cc")

USE = re.compile(r'(?:"//lib/|#include "lib/)([a-z0-9_]+)[/:"]')
SUFFIXES = {".h", ".cc", ".cu", ".cuh"}


def package_of(path, root):
    """Returns the package of lib/ that a file belongs to, or None outside lib/."""
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "lib" and len(parts) > 2 else None


def violations(root):
    """Returns every line that crosses a layer, or names an external library where it must not."""
    found = []
    for path in source_tree.files(root):
        if path.relative_to(root).parts[0] not in {"lib", "tools"} or (path.name != "BUILD" and path.suffix not in SUFFIXES):
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
                elif package is not None and used not in MAY_USE[package] | {"testing"}:
                    found.append(f"{where}: {package} uses {used}, which LAYERS in tests/layers_test.py does not allow")
            for name, pattern, allowed in OUTSIDERS:
                if line.startswith("load("):
                    continue  # a rule that skips a target if the library is absent
                if pattern.search(line) and package not in allowed:
                    found.append(f"{where}: names {name} outside {', '.join(sorted(allowed))}")
    return found


def prints(root):
    """Returns every line of lib/ and tools/ that prints without lib/base."""
    found = []
    for path in source_tree.files_in(root, {"lib", "tools"}, SUFFIXES):
        if not MAY_PRINT.fullmatch(str(path.relative_to(root))):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if PRINTS.search(line.split("//")[0]):
                    found.append(f"{path.relative_to(root)}:{number}: prints by itself; call LogLine or PrintToStdout")
    return found


class LayersTest(unittest.TestCase):
    root = None

    def test_only_base_prints(self):
        self.assertEqual(prints(self.root), [])

    def test_a_line_that_prints_by_itself_is_found(self):
        for line in ('std::fprintf(stderr, "%s", name.c_str());', 'absl::FPrintF(stderr, "%s", name);', "std::cerr << name;", "std::fputs(text, stderr);"):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "lib", "scale_run", "a.cc")
                path.parent.mkdir(parents=True)
                path.write_text(f"  {line}\n")
                self.assertEqual(len(prints(pathlib.Path(folder))), 1, line)

    def test_no_layer_is_crossed(self):
        self.assertEqual(violations(self.root), [])

    def test_the_map_has_the_same_layers(self):
        rows = re.findall(r"^\| (\d) \|([^|]*)\|", (self.root / "DESIGN.md").read_text(), re.M)
        named = {package: int(layer) for layer, cell in rows for package in re.findall(r"`([a-z0-9_]+)`", cell)}
        self.assertEqual(named, LAYER)

    def test_the_table_has_no_way_up_or_round(self):
        for package, uses in MAY_USE.items():
            for used in uses - {package}:
                self.assertLessEqual(LAYER[used], LAYER[package], f"{package} uses {used}")
                self.assertNotIn(package, MAY_USE[used], f"{package} and {used} use each other")

    def test_what_the_table_allows_is_used(self):
        used = {package: set() for package in MAY_USE}
        for path in source_tree.files_in(self.root, {"lib"}, SUFFIXES):
            if path.parent.name in used:
                used[path.parent.name].update(USE.findall(path.read_text()))
        for package, uses in MAY_USE.items():
            self.assertEqual(uses - used[package] - {package, "base", "proto"}, set(), f"{package} no longer uses these")

    def test_the_tree_is_really_read(self):
        sources = source_tree.files_in(self.root, {"lib"}, SUFFIXES)
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
        self.check_sample("lib/record/BUILD", 'deps = ["//lib/scaling:fit"],\n', "layer 1 (record) uses layer 2 (scaling)")

    def test_a_package_of_the_same_layer_that_it_may_not_use_is_found(self):
        self.check_sample("lib/audit/a.cc", '#include "lib/page/html.h"\n', "audit uses page, which LAYERS")

    def test_torch_outside_its_packages_is_found(self):
        self.check_sample("lib/scaling/a.h", "#include <torch/nn.h>\n", "names LibTorch")

    def test_a_torch_library_outside_its_packages_is_found(self):
        self.check_sample("lib/scaling/BUILD", 'torch_library(\n    name = "a",\n)\n', "names LibTorch")

    def test_cuda_outside_its_packages_is_found(self):
        self.check_sample("lib/int8/a.cc", "#include <cuda_runtime.h>\n", "names CUDA")

    def test_a_cuda_library_outside_its_packages_is_found(self):
        self.check_sample("lib/int8/BUILD", 'cuda_host_library(name = "a")\n', "names CUDA")

    def test_nccl_outside_its_packages_is_found(self):
        self.check_sample("lib/train/a.cc", "#include <nccl.h>\n", "names NCCL")

    def test_eigen_outside_its_package_is_found(self):
        self.check_sample("lib/report/BUILD", 'deps = ["@eigen"],\n', "names Eigen outside statistics")

    def test_boost_outside_its_package_is_found(self):
        self.check_sample("lib/base/a.cc", "#include <boost/version.hpp>\n", "names Boost outside prediction, statistics")

    def test_a_package_without_a_layer_is_found(self):
        self.check_sample("lib/utils/a.h", "int x;\n", "has no layer")


if __name__ == "__main__":
    source_tree.main(LayersTest)
