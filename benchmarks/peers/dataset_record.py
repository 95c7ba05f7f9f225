"""Reads the images of a dataset record (lib/proto/dataset.proto) without any package, for the baselines.

Images must have three channels of 32x32 pixels.
"""

TRAINING, TEST = 1, 2  # values of the enum Split
IMAGE_BYTES = 3 * 32 * 32


def fields(data):
    """Yields (number, value) of each field of a protobuf message; values of length-delimited fields are memoryviews."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 2:
            length = varint()
            value = data[at : at + length]
            at += length
        else:
            length = {1: 8, 5: 4}[kind]
            value = data[at : at + length]
            at += length
        yield key >> 3, value


def read(path):
    """Returns {TRAINING: (pixels, labels), TEST: (pixels, labels)}: bytes of (n, 3, 32, 32) and of (n).

    Raises ValueError if a split has other images.
    """
    splits = {TRAINING: (bytearray(), bytearray()), TEST: (bytearray(), bytearray())}
    with open(path, "rb") as file:
        for number, record in fields(memoryview(file.read())):
            for kind, value in fields(record) if number == 1 else []:
                if kind == 4:
                    chunk = dict(fields(value))
                    splits[chunk[1]][0].extend(chunk[3])
                    splits[chunk[1]][1].extend(chunk[4])
    for split, (pixels, labels) in splits.items():
        if not labels or len(pixels) != IMAGE_BYTES * len(labels):
            raise ValueError(f"{path}: expected images of 3x32x32 bytes, found {len(pixels):,} bytes of "
                             f"{len(labels):,} images in split {split}")
    return splits
