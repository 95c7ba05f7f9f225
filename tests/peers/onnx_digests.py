"""Prints ONNX Runtime's digest of each layer's tensor over all test images, in the format of quantize --verify --input.

    quantize --input=dataset.rec --checkpoint=resnet18.pt --output=quantized.rec --onnx=resnet18.onnx
    quantize --verify=quantized.rec --input=dataset.rec > ours.txt
    onnx_dump images quantized.rec dataset.rec images.f32
    python3 tests/peers/onnx_digests.py resnet18.onnx images.f32 ours.txt

Compares with the lines in ours.txt whose tensors are the model's; exits 1 if one differs or there is none. A record of
several networks has the lines of each: name the network as a fourth argument. On a CPU without VNNI, ONNX Runtime is
set to sum without saturation, like in onnx_test.py.
"""

import hashlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

from onnx_test import session_of

BATCH = 100


def read_lines(path, network):
    """Returns {name: digest} of one network; its logits are named "logits"."""
    digests = {}
    for line in open(path, encoding="utf-8"):
        digest, name = line.rstrip().split("  ", 1)
        owner, _, layer = name.replace(" logits", ".logits").partition(".")
        if network in (None, owner):
            digests[layer] = digest
    return digests


def with_outputs(model, names):
    """Returns the model with these tensors as further outputs, and their names."""
    outputs = {output.name for output in model.graph.output}
    made = [name for node in model.graph.node for name in node.output if name in names and name not in outputs]
    for name in made:
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.UINT8, None))
    return model, [*outputs, *made]


def integers(tensor):
    """Returns a tensor in Lockstep's format: int8 (image, height, width, channels), or int32 sums."""
    if tensor.dtype == np.uint8:
        tensor = (tensor ^ np.uint8(128)).view(np.int8)
    if tensor.ndim == 4:
        tensor = tensor.transpose(0, 2, 3, 1)
    return np.ascontiguousarray(tensor)


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__)
        sys.exit(2)
    expected = read_lines(sys.argv[3], sys.argv[4] if len(sys.argv) == 5 else None)
    model, names = with_outputs(onnx.load(sys.argv[1]), expected)
    session = session_of(model, threads=0)
    images = np.memmap(sys.argv[2], np.float32, "r").reshape(-1, 3, 32, 32)
    digests = {name: hashlib.sha256() for name in names}
    for first in range(0, len(images), BATCH):
        found = session.run(names, {session.get_inputs()[0].name: images[first:first + BATCH]})
        for name, tensor in zip(names, found):
            digests[name].update(integers(tensor))
    wrong = [name for name, digest in digests.items() if name in expected and digest.hexdigest() != expected[name]]
    compared = [name for name in digests if name in expected]
    print(f"onnxruntime {onnxruntime.__version__}: {len(images)} images, {len(compared)} of {len(expected)} digests compared "
          f"({', '.join(sorted(set(expected) - set(compared))) or 'none'} not in the model), {len(wrong)} differ {wrong}")
    sys.exit(1 if wrong or not compared else 0)


if __name__ == "__main__":
    main()
