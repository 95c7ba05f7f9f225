"""Checks that the tables and figures of the benchmark pages follow from the records by one rule; none is typed.

Generates README.md and the pages in benchmarks again from benchmarks/results and compares. Run by bazel
(tests/BUILD) and tools/presubmit.sh, or directly:
    python3 tests/benchmark_page_test.py --root .
"""

import importlib
import json
import re
import subprocess
import sys
import unittest
import zlib

import source_tree

PAGE_LINES = 200  # upper limit, because longer pages are not read

SWEEP = [
    {"header": {"schema": "lockstep.proto.SweepFile", "build": {"git_commit": "0123456789abcdef"},
                "start_time": "2026-11-27T10:00:00+00:00", "command_line": ["train_sweep", "--preset=fast"],
                "libraries": {"cuda": "13.0"},
                "device": [{"name": "GPU", "driver_version": "1.2", "memory_bytes": 80000000000}]}},
    {"point": {"batch_size": 512, "epoch_seconds": {"value": [0.4, 0.5, 0.3]}}}]


def text_format(message):
    """Returns a message in protobuf's text format, like protoc reads it."""
    parts = []
    for name, value in message.items():
        for one in value if isinstance(value, list) else [value]:
            parts.append(f"{name} {{ {text_format(one)} }}" if isinstance(one, dict) else f"{name}: {json.dumps(one)}")
    return " ".join(parts)


class BenchmarkPageTest(unittest.TestCase):
    root = None

    def setUp(self):
        sys.dont_write_bytecode = True  # the folder is part of the source tree
        sys.path.insert(0, str(self.root / "benchmarks" / "page"))
        self.addCleanup(sys.path.pop, 0)
        self.generate, self.records, self.render, self.tables = map(
            importlib.import_module, ["generate", "records", "render", "tables"])

    def record(self, entries, kind="sweep"):
        """Returns the bytes of a record file, made by protoc; `kind` names its schema in lib/proto."""
        message = "".join(word.capitalize() for word in kind.split("_")) + "Record"
        framed = b""
        for entry in entries:
            protoc = [self.records.record_file.PROTOC, f"--encode=lockstep.proto.{message}", f"lib/proto/{kind}.proto"]
            text = text_format(entry).encode()
            encoded = subprocess.run(protoc, cwd=self.root, input=text, stdout=subprocess.PIPE, check=True).stdout
            self.assertLess(len(encoded), 1 << 14)
            size = [len(encoded)] if len(encoded) < 128 else [len(encoded) & 127 | 128, len(encoded) >> 7]
            framed += bytes([10, *size]) + encoded + b"\x15" + zlib.crc32(encoded).to_bytes(4, "little")
        return framed

    def changed(self, name, change):
        """Returns the complaints about a copy of a document after `change`, next to the records of the tree."""
        text = (self.root / name).read_text()
        new = change(text)
        self.assertNotEqual(new, text)
        root = source_tree.sample(self, {name: new})
        (root / "benchmarks").mkdir(exist_ok=True)
        (root / "benchmarks" / "results").symlink_to(self.root / "benchmarks" / "results")
        return self.generate.complaints(root, name)

    def test_the_documents_agree_with_the_records(self):
        for name in self.generate.DOCUMENTS:
            with self.subTest(name):
                self.assertEqual(self.generate.complaints(self.root, name), [], "benchmarks/page/generate.py writes it")

    def test_the_pages_are_short(self):
        for name in self.generate.DOCUMENTS:
            with self.subTest(name):
                self.assertLessEqual(len((self.root / name).read_text().splitlines()), PAGE_LINES)

    def test_each_table_that_was_measured_stands_in_one_document(self):
        texts = [(self.root / name).read_text() for name in self.generate.DOCUMENTS]
        for (kind, name), block in self.tables.blocks(self.root).items():
            with self.subTest(name):
                if kind == "table" and block:  # tables without a block are not measured, and listed as such
                    self.assertEqual(sum(text.count(f"<!-- table: {name} -->") for text in texts), 1)

    def test_the_catalogue_of_results_lists_each_file(self):
        results = self.root / "benchmarks" / "results"
        sections = re.split(r"(?m)^## ", (results / "README.md").read_text())[1:]
        listed = {f"{section.splitlines()[0]}/{name}" for section in sections
                  for row in re.findall(r"(?m)^\| (`.*?`) \|", section) for name in re.findall(r"`(.*?)`", row)}
        kept = [path for path in source_tree.files(self.root) if path.parent.parent == results]
        self.assertEqual(listed, {str(path.relative_to(results)) for path in kept})

    def test_a_typed_figure_between_markers_is_found(self):
        def change(text):
            table = re.search(r"<!-- table: accuracy -->.*?<!-- end -->", text, re.S).group()
            return text.replace(table, re.sub(r"\| 92\.\d+", "| 99.99", table, count=1))

        self.assertRegex("\n".join(self.changed("benchmarks/README.md", change)), r"(?m)^-\| one GPU, batch 128 .* 99\.99 ")

    def test_a_typed_figure_in_prose_between_markers_is_found(self):
        found = self.changed("README.md", lambda text: re.sub(r"(<!-- figure: accuracy -->).*?(<)", r"\g<1>99.9 %\2", text))
        self.assertIn("99.9 %", "\n".join(found))

    def test_a_row_with_a_number_outside_of_markers_is_found(self):
        found = self.changed("benchmarks/README.md", lambda text: text + "\n| batch | s |\n|---|---|\n| 512 | a third |\n")
        self.assertEqual([line.partition(": ")[2] for line in found if "typed" in line],
                         ["typed, not generated: | 512 | a third |"])

    def test_a_figure_outside_of_markers_is_found(self):
        for figure in ["0.36 s", "92.34 %", "1,000 images/s", "2.3", "12 us", "3 times", "0.1 points", "831 TFLOP/s"]:
            with self.subTest(figure):
                found = list(self.render.typed_figures(f"Ours has {figure} there."))
                self.assertEqual(found, [(1, figure)])

    def test_what_is_no_figure_is_left_alone(self):
        text = "\n".join(["On Ubuntu 24.04 (22.04 too), batch 512, 50,000 images and `--rate=0.1`:", "    takes 0.36 s", "```",
                          "12 us", "```", "[a page](docs/v1.2.md), commit 0123abc, two GPUs, Apache-2.0",
                          "| you are | you get |", "|---|---|", "| [a student](README.md#q1) | int8, `report --date=1` |"])
        self.assertEqual(list(self.render.typed_figures(text)), [])

    def test_an_unknown_name_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no table is named speed"):
            self.render.fill("<!-- table: speed --><!-- end -->", {})

    def test_a_record_is_read_by_its_schema(self):
        header = {"schema": "lockstep.proto.SweepFile", "environment": [{"key": "A", "value": "b"}],
                  "loaded_file": [{"modified_ns": -1}]}
        point = {"outcome": 1, "detail": "\u00e9", "peak_memory_bytes": 1 << 63, "resumed_epoch": [1, 300],
                 "exit_status": -5, "full_steps": {}}
        first, second = self.records.record_file.read(self.record([{"header": header}, {"point": point}]))
        self.assertEqual(list(first), ["header"])
        self.assertEqual(first["header"]["environment"], {"A": "b"})
        self.assertEqual(first["header"]["loaded_file"][0]["modified_ns"], -1)
        self.assertNotIn("build", first["header"])
        read = second["point"]
        given = {**point, "outcome": "COMPLETED"}
        del given["full_steps"]
        self.assertEqual({name: read[name] for name in given}, given)
        self.assertEqual([read[name] for name in ["batch_size", "timing_method", "noise_warning"]], [0, "", []])
        self.assertIn("full_steps", read)
        self.assertNotIn("epoch_seconds", read)

    def test_a_damaged_record_is_refused(self):
        whole = self.record(SWEEP)
        flipped = bytearray(whole)
        flipped[-10] ^= 1
        for data in [b"", b"{}", whole[:-1], whole + b"x", bytes(flipped)]:
            with self.subTest(size=len(data)), self.assertRaisesRegex(ValueError, "expected a record file"):
                self.records.record_file.read(data)

    def test_the_rule_is_the_median_and_range_over_all_epochs_of_all_processes(self):
        second = json.loads(json.dumps(SWEEP))
        second[1]["point"]["epoch_seconds"]["value"] = [0.31, 0.9]
        root = source_tree.sample(self, {"a/sweep_1.rec": self.record(SWEEP), "a/sweep_2.rec": self.record(second)})
        sample = self.tables.epochs(self.records.Results(root).records("a/sweep_*.rec"), batch_size=512)
        self.assertEqual((sample.n, sample.processes), (5, 2))
        self.assertEqual(self.render.spread(sample), "0.400 (0.300 to 0.900)")

    def test_versions_are_not_pooled(self):
        second = json.loads(json.dumps(SWEEP))
        second[0]["header"]["build"]["git_commit"] = "fedcba9876543210"
        root = source_tree.sample(self, {"a/sweep_1.rec": self.record(SWEEP), "a/sweep_2.rec": self.record(second)})
        with self.assertRaisesRegex(ValueError, "expected records of one version"):
            self.records.Results(root).records("a/sweep_*.rec")

    def test_the_ratio_is_to_the_best_baseline(self):
        lines = [dict(case=case, gpus=1, batch=batch, seconds=seconds, versions={"pytorch": "2.11.0"})
                 for case, seconds in [("graph", [0.8, 0.9, 0.8]), ("compile_graph", [0.7, 0.6, 5.0]),
                                       ("scan, augmented", [0.9]), ("graph, bf16 on the wire", [0.1])]
                 for batch in (512, 128, 32)]
        sweep = json.loads(json.dumps(SWEEP))
        sweep += [{"point": {"batch_size": batch, "epoch_seconds": {"value": [0.4, 0.5, 0.3]}}} for batch in (128, 32)]
        folder = f"benchmarks/results/{self.tables.HEADLINE_OF_GPUS[1]}"
        tuned = f"benchmarks/results/{self.tables.MAX_AUTOTUNE}"
        lines_of_tuned = [{**line, "case": "compile_graph_max", "seconds": [0.2, 2.0, 1.0]} for line in lines[:3]]
        root = source_tree.sample(self, {f"{folder}/sweep_1.rec": self.record(sweep),
                            f"{folder}/baselines.jsonl": "".join(json.dumps(line) + "\n" for line in lines),
                            f"{tuned}/sweep_1.rec": self.record(sweep),
                            f"{tuned}/baselines.jsonl": "".join(json.dumps(line) + "\n" for line in lines_of_tuned)})
        block = self.tables.fast_step(self.records.Results(root / "benchmarks" / "results"))
        self.assertIn("| best baseline / ours | 1.75 | 1.75 | 1.75 |  |", block)
        self.assertIn("trains 1.75 to 1.75 times as fast as the best of 4 baselines", block)
        self.assertIn("| PyTorch, compiled with max-autotune / ours, another call | 2.50 | 2.50 | 2.50 | 3 of 1 |", block)
        self.assertIn("| PyTorch, compiled, in a CUDA graph | 0.700 (0.600 to 5.00) |", block)
        self.assertIn("| JAX, an epoch in one program, augmented images | 0.900 | 0.900 | 0.900 | 1 of 1 |", block)
        self.assertRegex(block, r"\| 0\.400 \(0\.300 to 0\.500\) \| 3 of 1 \|")
        self.assertIn("GPU, driver 1.2; CUDA 13.0, PyTorch 2.11.0; 2026-11-27, commit 0123456789ab; n as above; `python3", block)

    def test_a_recipe_is_compared_with_the_fastest_kind_by_its_means(self):
        known = importlib.import_module("recipes").RECIPES["short26"]
        enums = {"optimizer": 2, "schedule": 5, "border": 2, "flip": 1}
        training = {name: value for name, value in known.items() if name not in ("batch_size", "epochs")}
        header = {**SWEEP[0]["header"], "input": [{"sha256": "abc"}]}
        files = {}
        for seed, accuracy in ((1, 0.75), (2, 0.8)):
            epochs = [{"train_seconds": 1.5}, {"train_seconds": 0.5, "evaluate_seconds": 0.5, "test_accuracy": accuracy,
                                               "mirrored_test_accuracy": 0.875}]
            spec = {"training": {**training, **enums, "seed": seed, "warmup_epochs": 1, "repeats": 25},
                    "batch_size": [500]}
            point = {"batch_size": 500, "outcome": 1, "epoch": epochs}
            record = self.record([{"header": header}, {"spec": spec}, {"point": point}])
            files[f"{self.tables.RECIPE}/ours_{seed}.rec"] = record
        lines = [dict(case=case, recipe="short26", seed=1, test_accuracy=0.78, mirrored_test_accuracy=0.8,
                      train_seconds=seconds, evaluate_seconds=1.0, dataset_sha256="abc", versions={"pytorch": "2.11.0"})
                 for case, seconds in (("graph", 8.0), ("compile_graph", 4.0))]
        files[f"{self.tables.RECIPE}/pytorch.jsonl"] = "".join(json.dumps(line) + "\n" for line in lines)
        block = self.tables.recipe(self.records.Results(source_tree.sample(self, files)))
        text = " ".join(block.split())
        self.assertIn("trains 2.00 times as fast as the fastest of PyTorch's kinds, and its test accuracy differs by "
                      "-0.50 points", text)
        # The standard deviation of 75 and 80 is 5 / sqrt(2).
        for row in ["| `train_sweep --preset=fast` | 2 | 77.50 ± 3.54 | 87.50 ± 0.00 | 2.00 (2.00 to 2.00) | 1.00 | "
                    "2.50 (2.50 to 2.50) | 1.00 |",
                    "| PyTorch, the step in a CUDA graph | 1 | 78.00 | 80.00 | 8.00 | 4.00 | 9.00 | 3.60 |",
                    "| PyTorch, compiled, in a CUDA graph | 1 | 78.00 | 80.00 | 4.00 | 2.00 | 5.00 | 2.00 |"]:
            self.assertIn(row, block)

    def network(self, model, classes, step, seconds, images=50_000):
        """Returns the bytes of a record of train_sweep for one network."""
        header = {**SWEEP[0]["header"], "command_line": ["train_sweep", f"--model={model}"]}
        spec = {"training": {"model": model, "step": 2 if step == "FUSED" else 1}, "model": {"classes": classes}}
        points = [{"batch_size": batch, "images_per_epoch": images, "epoch_seconds": {"value": seconds}}
                  for batch in (512, 128)]
        return self.record([{"header": header}, {"spec": spec}, *({"point": point} for point in points)])

    def other_networks(self, files, baselines):
        """Returns the table of made-up records, {name: bytes}, and of baselines, [(case, classes, batch, seconds)]."""
        lines = [dict(case=case, classes=classes, gpus=1, batch=batch, seconds=seconds, versions={"pytorch": "2.11.0"})
                 for case, classes, batch, seconds in baselines]
        folder = self.tables.NETWORKS
        root = source_tree.sample(self, {**{f"{folder}/{name}": data for name, data in files.items()},
                            f"{folder}/baselines.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
        return self.tables.TABLES["other_networks"].build(self.records.Results(root))

    def test_each_other_network_is_compared_with_the_faster_kind(self):
        files = {"vit_tiny_1.rec": self.network("vit_tiny", 10, "AUTOGRAD", [1.0]),
                 "resnet34_100_1.rec": self.network("resnet34", 100, "FUSED", [0.5, 0.6]),
                 "resnet34_100_2.rec": self.network("resnet34", 100, "FUSED", [0.4]),
                 "resnet34_10_1.rec": self.network("resnet34", 10, "FUSED", [0.4])}
        block = self.other_networks(files, [
            ("resnet34 graph", 100, 512, [1.5, 1.6]), ("resnet34 compile_graph", 100, 512, [1.0]),
            ("resnet34 graph", 100, 128, [1.25]), ("resnet34 compile_graph", 100, 128, [9.0]),
            ("resnet34 graph", 10, 512, [0.8]), ("resnet34 graph", 10, 128, [0.6]),
            ("vit_tiny graph", 10, 512, [0.9]), ("vit_tiny graph", 10, 128, [2.5])])
        rows = [line for line in block.splitlines() if line.startswith("| `")]
        self.assertEqual(rows, [
            "| `resnet34`, 10 classes | 0.400 | 0.800, graph | 2.00 | 0.400 | 0.600, graph | 1.50 | 1 of 1; 1 of 1 |",
            "| `resnet34`, 100 classes | 0.500 (0.400 to 0.600) | 1.00, compiled | 2.00 | 0.500 (0.400 to 0.600) | "
            "1.25, graph | 2.50 | 3 of 2; 1 of 1 |",
            "| `vit_tiny`, 10 classes | 1.00 | 0.900, graph | 0.900 | 1.00 | 2.50, graph | 2.50 | 1 of 1; 1 of 1 |"])
        text = " ".join(block.split())
        self.assertIn("One GPU trains networks of the fused step 1.50 to 2.50 times and networks by LibTorch's "
                      "autograd 0.900 to 2.50 times as fast as PyTorch", text)
        self.assertIn("with `train_sweep --model=resnet34` and `train_sweep --model=vit_tiny`; files:", text)

    def test_another_network_without_a_baseline_has_no_ratio(self):
        files = {"lenet5_1.rec": self.network("lenet5", 10, "AUTOGRAD", [0.5]),
                 "vit_tiny_1.rec": self.network("vit_tiny", 10, "AUTOGRAD", [1.0])}
        block = self.other_networks(files, [("lenet5 graph", 10, 512, [0.25]), ("vit_tiny graph", 100, 512, [0.25])])
        self.assertIn("| `lenet5`, 10 classes | 0.500 | 0.250, graph | 0.500 | 0.500 | - | - | 1 of 1; 1 of 1 |", block)
        self.assertIn("| `vit_tiny`, 10 classes | 1.00 | - | - | 1.00 | - | - | 1 of 1; - |", block)
        with self.assertRaises(self.records.MissingRecords):
            self.other_networks(files, [("resnet34 graph", 10, 512, [0.25])])

    def test_another_network_has_epochs_of_50_000_images(self):
        files = {"lenet5_1.rec": self.network("lenet5", 10, "AUTOGRAD", [0.1], images=512)}
        with self.assertRaisesRegex(ValueError, "lenet5_1.rec: expected epochs of 50,000 images .*, found .512."):
            self.other_networks(files, [("lenet5 graph", 10, 512, [0.1])])

    def test_a_network_on_two_gpus_has_its_speed_up_and_its_scored_prediction(self):
        def header(schema):
            return {"header": {**SWEEP[0]["header"], "schema": f"lockstep.proto.{schema}File"}}
        spec = {"spec": {"training": {"model": "mlp:1024x3"}, "model": {"parameter_count": 5256202}}}
        points = [{"point": {"ranks": ranks, "reduction": reduction, "batch_per_device": batch,
                             "epoch_seconds": {"value": [seconds]}}}
                  for ranks, reduction, batch, seconds in [(1, 1, 512, 1.0), (2, 2, 512, 0.5), (1, 1, 64, 3.0),
                                                           (2, 2, 64, 2.0)]]
        for low, high, found in [(1.0, 1.3, "1.10 (1.00 to 1.30) | 1.00 | +10.0 %"),
                                 (1.05, 1.3, "1.10 (1.05 to 1.30) | 1.00 | +10.0 %, outside"),
                                 (None, None, "refused | 1.00 | -")]:
            known = {"absent_reason": "rejected"} if low is None else {"value": 1.1, "low": low, "high": high}
            score = {"prediction": {"epoch_seconds": known, "measured_epoch_seconds": {"value": 1.0}}}
            folder = self.tables.NETWORKS_ON_TWO
            run = self.record([header("Scale"), spec, *points], "scale")
            scored = self.record([header("CommModel"), score], "comm_model")
            root = source_tree.sample(self, {f"{folder}/mlp_two.rec": run, f"{folder}/mlp_score.rec": scored})
            block = self.tables.networks_on_two(self.records.Results(root), self.tables.NETWORKS_ON_TWO, "--gpus 2")
            row = "| `mlp:1024x3` | 5,256,202 | 1.00 | 0.500 | 2.00 | 0 | 3.00 | 2.00 | 1.50 | 25 |"
            self.assertIn(f"{row} {found} |", block)

    def test_an_experiment_has_a_row_for_each_setting_over_all_seeds(self):
        def point(row, accuracy, traffic):
            epoch = [{"test_accuracy": 0.1}, {"test_accuracy": accuracy}]
            return {"point": {"row": row, "epoch": epoch, "traffic": traffic, "epoch_seconds": {"value": [1.0, 3.0]}}}
        header = {"header": {**SWEEP[0]["header"], "schema": "lockstep.proto.ScaleFile"}}
        gradients = {"kind": "gradients", "size_bytes": 2000, "steps": 2}
        once = {"kind": "initial broadcast", "size_bytes": 900, "steps": 0}
        sums = {"kind": "batch-norm sums", "size_bytes": 20, "steps": 2}
        files = {}
        alone, shared = ("alone", [gradients, once]), ("shared", [gradients, sums, once])
        for suffix, model, rows in [("", "resnet18", [alone, shared]), ("_plain", "resnet18_plain", [alone])]:
            spec = {"spec": {"training": {"model": model}}}
            found = [point(row, accuracy, traffic) for row, traffic in rows for accuracy in (0.5, 0.625)]
            name = f"{self.tables.BATCH_NORM_ON_TWO}/what_is_sent{suffix}.rec"
            files[name] = self.record([header, spec, *found], "scale")
        root = source_tree.sample(self, files)
        block = self.tables.sent_on_two(self.records.Results(root))
        self.assertIn("With batch norm up to 0.99 % of a step's bytes are not gradients", block)
        for row in ["| `resnet18` | alone | 1,000 | 0 | 56.25 (50.00 to 62.50) | 2.00 (1.00 to 3.00) |",
                    "| `resnet18` | shared | 1,000 | 10 | 56.25", "| `resnet18_plain` | alone | 1,000 | 0 | 56.25"]:
            self.assertIn(row, block)
        self.assertIn("n = 2 seeds, 2 timed epochs each", block)

    def test_a_series_is_compared_with_the_reference_of_its_settings(self):
        lines = [dict(case=case, threads=threads, seconds=[seconds], versions={"torch": "2.11.0"}, cores=2, cpu="CPU", load=0.1,
                      time="2026-11-27T10:00:00", commit="0123456789abcdef", command="cpu_step_speed.py")
                 for case, threads, seconds in [("ours, fp32", 1, 2.0), ("PyTorch, fp32", 1, 3.0), ("ours, bf16", 1, 8.0),
                                                ("PyTorch, bf16", 1, 4.0), ("ours, fp32", 2, 1.0), ("PyTorch, fp32", 2, 5.0)]]
        root = source_tree.sample(self, {"2026-11-27-cpu-step/step.jsonl": "".join(json.dumps(line) + "\n" for line in lines)})
        block = self.tables.TABLES["cpu_step"].build(self.records.Results(root))
        for row in ["PyTorch, fp32, threads 1 | 3.00 | 1 | 1.50 |", "PyTorch, bf16, threads 1 | 4.00 | 1 | 0.500 |",
                    "PyTorch, fp32, threads 2 | 5.00 | 1 | 5.00 |", "ours, fp32, threads 2 | 1.00 | 1 | 1.00 |"]:
            self.assertIn(row, block)

    def test_rows_of_an_all_reduce_are_read_by_new_and_old_names(self):
        old = ("BM_AllReduce/processes:2/bytes:1024/iterations:1/manual_time 0.4 us 9 us 1 gloo_us=331.5 "
               "gloo_us_p95=4.1k gloo_wrong=0 ratio=780 turns=400 us=0.425 us_p95=8.4 wrong=0\n")
        row = "all_reduce/ranks:2/type:float/bytes:1024/method:"
        new = (f"{row}shared_memory/iterations:1/manual_time 0.4 us 9 us 1 ratio=780 turns=400 us=0.425 us_p95=8.4\n"
               f"{row}gloo/iterations:1/manual_time 331 us 9 us 1 turns=400 us=331.5 us_p95=4.1k wrong=0\n")
        expected = {"us": 0.425, "us_p95": 8.4, "gloo_us": 331.5, "gloo_us_p95": 4100, "ratio": 780, "turns": 400}
        for text in (old, new):
            counters = self.tables.all_reduces_on_cpus(text)[1024][2]
            self.assertEqual(expected, {name: counters[name] for name in expected})

    def test_rows_of_int8_are_read_by_new_and_old_names(self):
        for name in ("network/resnet18/batch:1024/isa:wgmma/iterations:5", "network/resnet18/1024/wgmma/iterations:5"):
            self.assertEqual(re.match(self.tables.INT8_GPU_ROW, name).group(1), "1024")

    def test_a_table_without_records_is_left_out_and_listed(self):
        blocks = self.tables.blocks(source_tree.sample(self, {"benchmarks/results/README.md": ""}))
        self.assertEqual(blocks["table", "four_gpus"], "")
        self.assertIn("| The fast step on four GPUs | `scale_run ", blocks["table", "not_measured"])

    def test_numbers_have_three_significant_digits(self):
        for value, text in [(0.3741, "0.374"), (0.4, "0.400"), (1.914, "1.91"), (2, "2.00"), (19.14, "19.1"), (100, "100"),
                            (44695848, "44,700,000"), (0.00031, "0.000310"), (0, "0")]:
            self.assertEqual(self.render.significant(value), text)


if __name__ == "__main__":
    source_tree.main(BenchmarkPageTest)
