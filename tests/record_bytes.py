"""Parses record files without the tools that wrote them: frames, and fields of a record (lib/record/record_format.h).

    https://protobuf.dev/programming-guides/encoding
"""

import zlib


def varint(data, at):
    """Returns the number at `at`, and its end. Raises IndexError if it is cut off."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def whole_records(data):
    """Returns the bytes of each record from the front, up to the first that is cut off or damaged."""
    return whole_records_and_end(data)[0]


def whole_records_and_end(data):
    """Returns whole_records and the position after the last of them."""
    records, at = [], 0
    try:
        while at < len(data) and data[at] == 0x0A:
            size, begin = varint(data, at + 1)
            end = begin + size
            if data[end] != 0x15 or int.from_bytes(data[end + 1:end + 5], "little") != zlib.crc32(data[begin:end]):
                break
            records.append(data[begin:end])
            at = end + 5
    except IndexError:
        pass
    return records, at


def first_frames(data, count):
    """Returns the bytes of the first `count` records with their frames."""
    at = 0
    for _ in range(count):
        size, begin = varint(data, at + 1)
        at = begin + size + 5
    return data[:at]


def fields(message):
    """Returns {number: [value, ...]} of one message: int, or bytes of length-delimited and fixed-size fields."""
    found, at = {}, 0
    while at < len(message):
        tag, at = varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(message, at)
        else:
            size, at = varint(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = message[at:at + size], at + size
        found.setdefault(tag >> 3, []).append(value)
    return found
