"""Baseline of network/resnet18 in int8_benchmark.cc: ONNX Runtime's ResNet-18 in int8 on one thread of a CPU.

    python3 benchmarks/peers/resnet18_int8_onnxruntime.py [--max] [BATCH ...]

The network is pytorch-cifar's with batch norm folded, in integer operators (QLinearConv and com.microsoft's QLinearAdd
and QLinearGlobalAveragePool), with random weights and activations as uint8, the fastest type of ONNX Runtime. The zero
point is 128, and 0 after ReLU, which makes ReLU free; with --max it is 128 everywhere and ReLU is an operator, like in
our arithmetic. Prints the median of 15 runs after 3, with the 10th and 90th percentile. Needs the packages onnx,
onnxruntime and numpy.
"""

import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

STEP = 0.05  # scale of all activations


class Graph:
    def __init__(self, with_max):
        self.with_max = with_max
        self.random = np.random.default_rng(1)
        self.nodes, self.constants = [], []
        self.step, self.zero = self.constant(np.float32(STEP)), self.constant(np.uint8(128))
        self.weight_zero, self.unsigned = self.constant(np.int8(0)), self.constant(np.uint8(0))
        self.zeros = {"image": self.zero}  # zero point of each tensor

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, operator, inputs, domain="", **attributes):
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def convolution(self, x, inputs, outputs, kernel, stride, relu):
        weight = self.random.integers(-127, 128, (outputs, inputs, kernel, kernel), dtype=np.int8)
        scale = np.float32(50 / (74 * 74 * np.sqrt(inputs * kernel * kernel)))
        zero = self.zero_after(relu)
        names = [x, self.step, self.zeros[x], self.constant(weight), self.constant(scale), self.weight_zero, self.step, zero,
                 self.constant(self.random.integers(-5000, 5001, outputs, dtype=np.int32))]
        padding = [kernel // 2] * 4
        x = self.node("QLinearConv", names, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=padding)
        return self.finish(x, zero, relu)

    def zero_after(self, relu):
        return self.unsigned if relu and not self.with_max else self.zero

    def finish(self, x, zero, relu):
        x = self.node("Max", [x, zero]) if relu and self.with_max else x
        self.zeros[x] = zero
        return x

    def add(self, a, b):
        zero = self.zero_after(True)
        names = [a, self.step, self.zeros[a], b, self.step, self.zeros[b], self.step, zero]
        return self.finish(self.node("QLinearAdd", names, "com.microsoft"), zero, True)

    def block(self, x, inputs, outputs, stride):
        y = self.convolution(x, inputs, outputs, 3, stride, relu=True)
        y = self.convolution(y, outputs, outputs, 3, 1, relu=False)
        shortcut = x if inputs == outputs else self.convolution(x, inputs, outputs, 1, stride, relu=False)
        return self.add(y, shortcut)


def make_model(with_max):
    graph = Graph(with_max)
    x, channels = graph.convolution("image", 3, 64, 3, 1, relu=True), 64
    for outputs in (64, 128, 256, 512):
        x = graph.block(x, channels, outputs, 1 if outputs == 64 else 2)
        x = graph.block(x, outputs, outputs, 1)
        channels = outputs
    pooled = [x, graph.step, graph.zeros[x], graph.step, graph.zero]
    x = graph.finish(graph.node("QLinearGlobalAveragePool", pooled, "com.microsoft"), graph.zero, False)
    x = graph.convolution(x, 512, 10, 1, 1, relu=False)
    image = helper.make_tensor_value_info("image", TensorProto.UINT8, ["n", 3, 32, 32])
    logits = helper.make_tensor_value_info(x, TensorProto.UINT8, None)
    body = helper.make_graph(graph.nodes, "resnet18", [image], [logits], graph.constants)
    opsets = [helper.make_opsetid("", 13), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=8)


def main():
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with_max = "--max" in sys.argv
    model = make_model(with_max).SerializeToString()
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    for batch in [int(text) for text in sys.argv[1:] if text != "--max"] or [1, 32]:
        images = np.random.default_rng(2).integers(0, 256, (batch, 3, 32, 32), dtype=np.uint8)
        rates = []
        for _ in range(18):
            start = time.perf_counter()
            session.run(None, {"image": images})
            rates.append(batch / (time.perf_counter() - start))
        low, middle, high = np.percentile(rates[3:], [10, 50, 90])
        print(f"onnxruntime {onnxruntime.__version__} resnet18 {'with Max' if with_max else 'u8'} batch {batch}: {middle:.1f} images/s ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    main()
