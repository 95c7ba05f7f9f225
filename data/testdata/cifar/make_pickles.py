"""Writes the small files of this folder: CIFAR-10's Python version as Python 3 and numpy save it again.

    python3 make_pickles.py numpy1|numpy2     with that numpy

Each batch has two images; byte j of image i is (89 * i + 7 * j + j // 256) % 256, the labels are 6 and 9. `bytes` is what
pickle.load(file, encoding="bytes") of a published file gives, `text` what encoding="latin1" gives.
"""

import pathlib
import pickle
import sys

import numpy as np

NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


def batch():
    i = np.arange(2)[:, None]
    j = np.arange(3072)[None, :]
    return {
        "batch_label": "training batch 1 of 5",
        "labels": [6, 9],
        "data": ((89 * i + 7 * j + j // 256) % 256).astype(np.uint8),
        "filenames": ["leptodactylus_pentadactylus_s_000004.png", "camion_s_000148.png"],
    }


def meta():
    return {"num_cases_per_batch": 10000, "label_names": NAMES, "num_vis": 3072}


def as_bytes(value):
    """Every text as bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return [as_bytes(item) for item in value]
    if isinstance(value, dict):
        return {as_bytes(key): as_bytes(item) for key, item in value.items()}
    return value


def main():
    numpy = sys.argv[1]
    assert np.__version__.startswith(numpy[-1] + "."), np.__version__
    folder = pathlib.Path(__file__).parent
    numpy1_has = ((2, "bytes"), (5, "text"))  # both differ from numpy 2 in the names of modules alone
    for protocol in (2, 3, 4, 5):
        for kind, convert in (("bytes", as_bytes), ("text", lambda value: value)):
            if numpy == "numpy2" or (protocol, kind) in numpy1_has:
                path = folder / f"batch.{numpy}.protocol{protocol}.{kind}"
                path.write_bytes(pickle.dumps(convert(batch()), protocol))
            if numpy == "numpy2" and protocol in (2, 4):  # no numpy in it
                (folder / f"meta.protocol{protocol}.{kind}").write_bytes(pickle.dumps(convert(meta()), protocol))


main()
