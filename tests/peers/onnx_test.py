"""Compares int8 networks with ONNX Runtime: a model that Lockstep exports must give the same integers in every layer
and in all logits, bit for bit; a model that onnxruntime.quantization wrote must give the same logits when imported.

Run by bazel (tests/peers/BUILD); skipped, with a message, if the interpreter has no onnxruntime. Or one case directly:
    python3 tests/peers/onnx_test.py --onnx_dump=bazel-bin/tests/peers/onnx_dump OnnxTest.test_lenet5
"""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bazel_unittest

try:
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime import quantization
except ImportError as error:
    bazel_unittest.skip_all(f"{sys.executable} cannot import a library of this test ({error}); third_party/install.sh "
                            f"installs it into .venv, or: {sys.executable} -m pip install onnx onnxruntime")

if hasattr(onnxruntime, "disable_telemetry_events"):
    onnxruntime.disable_telemetry_events()

HAS_VNNI = "vnni" in pathlib.Path("/proc/cpuinfo").read_text()
OPTIONS = ["".join(letters) or "-" for count in range(5) for letters in itertools.combinations("bclz", count)]


def session_of(model, threads=1):
    options = onnxruntime.SessionOptions()
    if not HAS_VNNI:  # its sums of uint8 and int8 would saturate; with this entry weights are uint8, which is exact
        options.add_session_config_entry("session.x64quantprecision", "1")
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def run(model, images, names=None):
    """Returns the outputs by name."""
    session = session_of(model)
    names = names or [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, {session.get_inputs()[0].name: images})))


def read_layers(folder):
    """Returns (name, channels, height, width) of each layer."""
    rows = [line.split() for line in (folder / "layers.txt").read_text().splitlines()]
    return [(row[0], *map(int, row[1:])) for row in rows]


def read_tensor(path, height, width, channels):
    return np.fromfile(path, np.int8).reshape(-1, height, width, channels).transpose(0, 3, 1, 2)


def differences(model, folder):
    """Returns (differences as {name: values}; tensors compared; values compared) with onnx_dump's files."""
    images = np.fromfile(folder / "images.f32", np.float32).reshape(-1, 3, 32, 32)
    found = run(model, images)
    layers = read_layers(folder)
    expected = {"image_quantized": read_tensor(folder / "image_quantized.s8", 32, 32, 3)}
    for index, (name, channels, height, width) in enumerate(layers):
        if (folder / f"{index}.s8").exists():  # a layer that writes sums has no such file
            expected[name] = read_tensor(folder / f"{index}.s8", height, width, channels)
    expected["logits"] = np.fromfile(folder / "logits.s32", np.int32).reshape(len(images), -1)
    assert set(expected) == set(found), set(expected) ^ set(found)
    wrong, values = {}, 0
    for name, tensor in expected.items():
        integers = found[name].astype(np.int32)
        if found[name].dtype == np.uint8:
            integers -= 128
        assert integers.shape == tensor.shape, (name, integers.shape, tensor.shape)
        count = int((integers != tensor).sum())
        if count:
            wrong[name] = count
        values += tensor.size
    return wrong, len(expected), values


# --- networks quantized by others ---


def weight(name, *shape):
    values = np.random.default_rng(len(name)).standard_normal(shape).astype(np.float32)
    return numpy_helper.from_array(values / np.float32(np.prod(shape[1:]) ** 0.5), name)


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs, [output], name=output, **attributes)


def float_model(nodes, weights):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("input", TensorProto.FLOAT, ["N", 3, 32, 32])],
                              [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["N", 10])], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def lenet5(bias):
    """Makes the model of torch.onnx.export: a Linear with bias is a Gemm, without a MatMul of transposed weights."""
    sizes = {"conv1": (6, 3, 5, 5), "conv2": (16, 6, 5, 5), "fc1": (120, 400), "fc2": (84, 120), "fc3": (10, 84)}
    weights = [weight(f"{name}.bias", size[0]) for name, size in sizes.items()] if bias else []
    nodes, x = [], "input"
    for name, size in sizes.items():
        flat = len(size) == 2
        if name == "fc1":
            nodes.append(node("Flatten", [x], "flat", axis=1))
            x = "flat"
        weights.append(weight(f"{name}.weight", *(size if bias or not flat else size[::-1])))
        parameters = [f"{name}.weight"] + ([f"{name}.bias"] if bias else [])
        last = name == "fc3"
        output = "output" if last else name
        if flat:
            nodes.append(node("Gemm", [x] + parameters, output, transB=1) if bias else node("MatMul", [x] + parameters, output))
        else:
            nodes.append(node("Conv", [x] + parameters, output, kernel_shape=[5, 5]))
        x = output
        if not last:
            nodes.append(node("Relu", [x], f"{name}.relu"))
            x = f"{name}.relu"
        if not flat:
            nodes.append(node("MaxPool", [x], f"{name}.pool", kernel_shape=[2, 2], strides=[2, 2]))
            x = f"{name}.pool"
    return float_model(nodes, weights)


def replaced(model, op, make):
    """Replaces each node of the operator by the nodes that make(node) returns."""
    nodes = [new for old in model.graph.node for new in (make(old) if old.op_type == op else [old])]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def constant(model, name, value):
    model.graph.initializer.append(numpy_helper.from_array(value, name))
    return name


def lenet5_with_view():
    """x.view(x.size(0), -1) in PyTorch."""
    model = lenet5(True)
    zero, axes = constant(model, "zero", np.int64(0)), constant(model, "axes", np.array([0]))
    rest = constant(model, "rest", np.array([-1]))
    return replaced(model, "Flatten", lambda old: [
        node("Shape", old.input, "shape"), node("Gather", ["shape", zero], "n", axis=0),
        node("Unsqueeze", ["n", axes], "ns"), node("Concat", ["ns", rest], "sizes", axis=0),
        node("Reshape", [old.input[0], "sizes"], old.output[0])])


def lenet5_with_matmul_and_add():
    model = lenet5(True)
    for weights in model.graph.initializer:
        if weights.name.startswith("fc") and weights.name.endswith("weight"):
            weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights).T.copy(), weights.name))
    return replaced(model, "Gemm", lambda old: [node("MatMul", old.input[:2], f"{old.output[0]}.product"),
                                                node("Add", [f"{old.output[0]}.product", old.input[2]], old.output[0])])


def lenet5_with_no_operations():
    return replaced(lenet5(True), "Flatten", lambda old: [
        node("Identity", old.input, "same"), node("Dropout", ["same"], "kept"),
        node("Flatten", ["kept"], old.output[0], axis=1)])


def lenet5_with_softmax():
    return replaced(lenet5(True), "Gemm", lambda old: [old] if old.output[0] != "output" else [
        node("Gemm", old.input, "logits", transB=1), node("Softmax", ["logits"], "output", axis=1)])


def rescaled(model):
    """Changes the scale and zero point after Flatten."""
    for value in model.graph.initializer:
        if value.name == "flat_scale":
            value.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(value) * np.float32(1.37), value.name))
        elif value.name == "flat_zero_point":
            value.CopyFrom(numpy_helper.from_array(np.array(11, np.uint8), value.name))
    return model


def small_resnet(bias):
    nodes, weights = [], []

    def conv(x, name, out, channels, kernel, stride):
        weights.append(weight(f"{name}.weight", out, channels, kernel, kernel))
        inputs = [x, f"{name}.weight"]
        if bias:
            weights.append(weight(f"{name}.bias", out))
            inputs.append(f"{name}.bias")
        nodes.append(node("Conv", inputs, name, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4))
        return name

    def relu(x):
        nodes.append(node("Relu", [x], f"{x}.relu"))
        return f"{x}.relu"

    x, channels = relu(conv("input", "conv1", 16, 3, 3, 1)), 16
    for name, out, stride in (("layer1", 16, 1), ("layer2", 32, 2), ("layer3", 64, 2)):
        y = conv(relu(conv(x, f"{name}.conv1", out, channels, 3, stride)), f"{name}.conv2", out, out, 3, 1)
        shortcut = x if stride == 1 else conv(x, f"{name}.shortcut.0", out, channels, 1, stride)
        nodes.append(node("Add", [y, shortcut], f"{name}.add"))
        x, channels = relu(f"{name}.add"), out
    nodes.append(node("GlobalAveragePool", [x], "pool"))
    nodes.append(node("Flatten", ["pool"], "flat", axis=1))
    weights.extend([weight("linear.weight", 10, 64), weight("linear.bias", 10)])
    nodes.append(node("Gemm", ["flat", "linear.weight", "linear.bias"], "output", transB=1))
    return float_model(nodes, weights)


class Images(quantization.CalibrationDataReader):
    def __init__(self):
        random = np.random.default_rng(0)
        self._left = iter([{"input": random.uniform(-2, 2, (8, 3, 32, 32)).astype(np.float32)}])

    def get_next(self):
        return next(self._left, None)


def quantized(model, folder, activations, per_channel, symmetric, form=quantization.QuantFormat.QOperator,
              weights=quantization.QuantType.QInt8, **extra):
    source, target = folder / "float.onnx", folder / "model.onnx"
    onnx.save(model, source)
    quantization.quantize_static(str(source), str(target), Images(), quant_format=form, activation_type=activations,
                                 weight_type=weights, per_channel=per_channel,
                                 extra_options={"ActivationSymmetric": symmetric, **extra})
    return onnx.load(target)


def integer_logits(model, images):
    """Returns the logits as Lockstep's int8 values. Only a DequantizeLinear follows them."""
    constants = {constant.name: numpy_helper.to_array(constant) for constant in model.graph.initializer}
    _, scale, zero_point = model.graph.node[-1].input
    integers = np.rint(run(model, images)["output"] / constants[scale]).astype(np.int32)
    return integers + int(constants[zero_point]) - (128 if constants[zero_point].dtype == np.uint8 else 0)


kinds = quantization.QuantType
FORMS = [quantization.QuantFormat.QOperator, quantization.QuantFormat.QDQ]
# Type of activations; a scale per channel; symmetric activations; biases; further arguments.
CASES = [(kinds.QUInt8, False, False, True, {}), (kinds.QUInt8, True, False, False, {}),
         (kinds.QUInt8, True, True, True, {}), (kinds.QInt8, False, False, True, {}),
         (kinds.QInt8, True, True, True, {}), (kinds.QInt8, True, False, False, {}),
         (kinds.QUInt8, False, False, True, {"weights": kinds.QUInt8}),
         (kinds.QUInt8, False, False, False, {"WeightSymmetric": False})]


class OnnxTest(unittest.TestCase):
    onnx_dump = None

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def export(self, network, options, seed, images):
        folder = self.folder()
        subprocess.run([self.onnx_dump, "export", network, options, str(seed), str(images), str(folder)], check=True)
        return onnx.load(folder / "model.onnx"), folder

    def check(self, network, cases, images):
        tensors = values = 0
        for seed, options in enumerate(cases):
            with self.subTest(options=options):
                model, folder = self.export(network, options, seed, images)
                onnx.checker.check_model(model, full_check=True)
                wrong, some_tensors, some_values = differences(model, folder)
                self.assertEqual(wrong, {})
                tensors, values = tensors + some_tensors, values + some_values
        print(f"{network}: {len(cases)} networks, {images} images each: {tensors} tensors, {values} values, all equal "
              f"(onnxruntime {onnxruntime.__version__})")

    def test_small(self):
        self.check("small", OPTIONS + [options + "t" for options in OPTIONS if options != "-"], 32)

    def test_lenet5(self):
        self.check("lenet5", OPTIONS + ["t", "bt", "czt", "bczt"], 32)

    def test_resnet18(self):
        self.check("resnet18", ["-", "bc"], 2)

    def test_resnet18_with_zero_points(self):
        self.check("resnet18", ["bz", "bczl"], 2)

    def planted(self, change):
        """Returns the number of different values of each tensor after `change` of the model's constants, {name:
        TensorProto}."""
        model, folder = self.export("lenet5", "bt", 1, 32)
        change({constant.name: constant for constant in model.graph.initializer})
        return differences(model, folder)[0]

    def test_a_multiplier_one_float_off_is_found(self):
        for name in ("conv1.weight_scale", "conv2.scale", "image.scale"):
            with self.subTest(name):
                def change(constants):
                    step = numpy_helper.to_array(constants[name])
                    constants[name].raw_data = np.nextafter(step, np.float32(0)).tobytes()
                self.assertNotEqual(self.planted(change), {})

    def test_a_zero_point_off_by_one_is_found(self):
        def change(constants):
            constants["conv1.zero_point"].raw_data = b"\x81"
        self.assertIn("conv1", self.planted(change))

    def test_a_bias_or_a_weight_off_by_one_is_found(self):
        for name, size in (("fc3.bias", 4), ("conv1.weight", 1)):
            with self.subTest(name):
                def change(constants):
                    kind = np.int32 if size == 4 else np.int8
                    values = np.frombuffer(constants[name].raw_data, kind).copy()
                    values[0] += 1 if values[0] < 127 else -1
                    constants[name].raw_data = values.tobytes()
                self.assertNotEqual(self.planted(change), {})

    def imported(self, model):
        """Returns the integer logits of some images: (ONNX Runtime's, those of the imported model)."""
        folder = self.folder()
        onnx.save(model, folder / "model.onnx")
        subprocess.run([self.onnx_dump, "import", str(folder / "model.onnx"), "16", str(folder)], check=True)
        images = np.fromfile(folder / "images.f32", np.float32).reshape(-1, 3, 32, 32)
        expected = np.fromfile(folder / "logits.s32", np.int32).reshape(len(images), -1)
        self.assertGreater(len(np.unique(expected)), 20)
        return integer_logits(model, images), expected

    def check_import(self, make, is_exact, form, cases):
        """`is_exact` is a function of the activations' type and of whether they are symmetric."""
        compared = different = 0
        for activations, per_channel, symmetric, bias, extra in cases:
            case = {"activations": activations, "per_channel": per_channel, "symmetric": symmetric, "bias": bias, **extra}
            with self.subTest(form=form, **case):
                if activations == kinds.QInt8 and not HAS_VNNI and form == quantization.QuantFormat.QOperator:
                    self.skipTest("without VNNI ONNX Runtime's sums of int8 saturate, and its exact setting has no QGemm of int8")
                model = quantized(make(bias), self.folder(), activations, per_channel, symmetric, form, **extra)
                found, expected = self.imported(model)
                wrong = int((found != expected).sum())
                if is_exact(activations, symmetric):
                    self.assertEqual(wrong, 0, f"{wrong} of {expected.size} differ")
                self.assertLess(wrong, 0.1 * expected.size)
                self.assertLessEqual(int(abs(found - expected).max()), 2)
                compared, different = compared + expected.size, different + wrong
        print(f"{make.__name__}: {compared} logits of models of onnxruntime.quantization ({form}), {different} differ")

    def test_import_lenet5(self):
        for form in FORMS:
            self.check_import(lenet5, lambda activations, symmetric: True, form, CASES)

    def test_import_small_resnet(self):
        # lib/onnx/import_onnx.h explains the other cases: additions of int8, and an average pool left in float32.
        for form in FORMS:
            self.check_import(
                small_resnet, lambda activations, symmetric: activations == kinds.QUInt8 and not symmetric, form, CASES)

    def test_import_other_graphs(self):
        makers = (lenet5_with_view, lenet5_with_matmul_and_add, lenet5_with_no_operations)
        for form, make in itertools.product(FORMS, makers):
            with self.subTest(make.__name__, form=form):
                model = quantized(make(), self.folder(), kinds.QUInt8, False, False, form)
                found, expected = self.imported(model)
                self.assertEqual(int((found != expected).sum()), 0)

    def test_import_changes_of_scale(self):
        for form in FORMS:
            with self.subTest(form=form):
                model = rescaled(quantized(lenet5(False), self.folder(), kinds.QUInt8, False, False, form))
                found, expected = self.imported(model)
                self.assertEqual(int((found != expected).sum()), 0)

    def test_import_leaves_out_the_softmax(self):
        for form in FORMS:
            with self.subTest(form=form):
                model = quantized(lenet5_with_softmax(), self.folder(), kinds.QUInt8, False, False, form)
                found, expected = self.imported(model)
                largest = np.take_along_axis(found, expected.argmax(1)[:, None], 1)[:, 0]
                self.assertEqual(list(largest), list(found.max(1)))  # rounded probabilities can be equal

    def test_a_model_in_float_is_refused(self):
        folder = self.folder()
        onnx.save(lenet5(True), folder / "float.onnx")
        done = subprocess.run([self.onnx_dump, "import", str(folder / "float.onnx"), "1", str(folder)], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("node 'conv1' (Conv): computes in float32", done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--onnx_dump", required=True)
    flags, rest = parser.parse_known_args()
    OnnxTest.onnx_dump = str(pathlib.Path(flags.onnx_dump).resolve())
    bazel_unittest.main(rest)


if __name__ == "__main__":
    main()
