"""Reads record files (lib/record/record_format.h) as the dictionaries that `report --print=FILE --format=json` prints.

Needs protoc for the schemas in lib/proto, and no build.
"""

import functools
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from record_bytes import fields, varint, whole_records_and_end  # noqa: E402

# Types of FieldDescriptorProto (google/protobuf/descriptor.proto), and their formats in packed fields.
DOUBLE, FLOAT, INT64, UINT64, INT32, FIXED64, FIXED32, BOOL, STRING = range(1, 10)
MESSAGE, BYTES, UINT32, ENUM = range(11, 15)
FIXED_SIZE = {DOUBLE: "d", FLOAT: "f", FIXED64: "Q", FIXED32: "I"}
REPEATED = 3
PROTOC = os.environ["LOCKSTEP_PROTOBUF_ROOT"] + "/bin/protoc" if "LOCKSTEP_PROTOBUF_ROOT" in os.environ else "protoc"


class Field:
    """One field of a message type, from its FieldDescriptorProto."""

    def __init__(self, descriptor):
        known = fields(descriptor)
        self.name, self.number, self.type = known[1][0].decode(), known[3][0], known[5][0]
        self.repeated = known[4][0] == REPEATED
        self.type_name = known.get(6, [b""])[0].decode()
        self.has_default = not self.repeated and self.type != MESSAGE and 9 not in known  # 9: member of a oneof


class Schemas:
    """The message types and enums of the .proto files in `folder`/lib/proto."""

    def __init__(self, folder):
        self.messages, self.enums, self.map_entries = {}, {}, set()
        files = sorted(str(path.relative_to(folder)) for path in (folder / "lib" / "proto").glob("*.proto"))
        command = [PROTOC, "--descriptor_set_out=/dev/stdout", *files]
        compiled = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout
        for file in fields(compiled)[1]:
            known = fields(file)
            package = "." + known[2][0].decode()
            for message in known.get(4, []):
                self.add_message(package, message)
            for enum in known.get(5, []):
                self.add_enum(package, enum)

    def add_message(self, scope, descriptor):
        known = fields(descriptor)
        name = f"{scope}.{known[1][0].decode()}"
        self.messages[name] = {field.number: field for field in map(Field, known.get(2, []))}
        if fields(known.get(7, [b""])[0]).get(7) == [1]:  # option map_entry
            self.map_entries.add(name)
        for nested in known.get(3, []):
            self.add_message(name, nested)
        for enum in known.get(4, []):
            self.add_enum(name, enum)

    def add_enum(self, scope, descriptor):
        known = fields(descriptor)
        values = map(fields, known[2])
        self.enums[f"{scope}.{known[1][0].decode()}"] = {value.get(2, [0])[0]: value[1][0].decode() for value in values}

    def default(self, field):
        if field.type == ENUM:
            return self.enums[field.type_name][0]
        return {STRING: "", BYTES: b"", BOOL: False, DOUBLE: 0.0, FLOAT: 0.0}.get(field.type, 0)

    def decode(self, name, message):
        """Returns a message of the type `name` as a dictionary, without fields that the schema does not contain."""
        known = self.messages[name]
        found = {}
        for field in known.values():
            if field.type_name in self.map_entries:
                found[field.name] = {}
            elif field.repeated:
                found[field.name] = []
            elif field.has_default:
                found[field.name] = self.default(field)
        for number, values in fields(message).items():
            field = known.get(number)
            if field is None:
                continue
            decoded = [one for value in values for one in self.values(field, value)]
            if field.type_name in self.map_entries:
                found[field.name] = {entry["key"]: entry["value"] for entry in decoded}
            elif field.repeated:
                found[field.name] = decoded
            else:
                found[field.name] = decoded[-1]
        return found

    def values(self, field, value):
        """Returns the values in one occurrence of a field: several if it is packed."""
        if field.type == MESSAGE:
            return [self.decode(field.type_name, value)]
        if field.type == STRING:
            return [value.decode()]
        if field.type == BYTES:
            return [value]
        if field.type in FIXED_SIZE:
            size = struct.calcsize(FIXED_SIZE[field.type])
            return struct.unpack(f"<{len(value) // size}{FIXED_SIZE[field.type]}", value)
        numbers = [value]
        if isinstance(value, bytes):
            numbers, at = [], 0
            while at < len(value):
                number, at = varint(value, at)
                numbers.append(number)
        return [self.number(field, number) for number in numbers]

    def number(self, field, value):
        if field.type in (INT32, INT64) and value >= 1 << 63:
            value -= 1 << 64
        if field.type == ENUM:
            return self.enums[field.type_name].get(value, value)
        return bool(value) if field.type == BOOL else value


@functools.lru_cache(maxsize=None)
def schemas(folder=ROOT):
    return Schemas(folder)


@functools.lru_cache(maxsize=None)
def read(data):
    """Returns the records in the bytes of a record file, or of the journal of a stopped run. Raises ValueError if a
    record is damaged or the file ends inside a record. The caller must not change the result."""
    records, end = whole_records_and_end(data)
    if not records or end != len(data):
        raise ValueError(f"expected a record file, found damage after {len(records)} whole records")
    name = "." + fields(fields(records[0])[1][0])[1][0].decode()  # Header.schema
    record_type = next(field.type_name for field in schemas().messages[name].values() if field.name == "record")
    return [schemas().decode(record_type, record) for record in records]
