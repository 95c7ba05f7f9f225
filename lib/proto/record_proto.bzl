"""Macro that makes the proto_library and the cc_proto_library of one .proto, named after the file."""

load("@rules_cc//cc:defs.bzl", "cc_proto_library")
load("@rules_proto//proto:defs.bzl", "proto_library")

def record_proto(name, deps = []):
    """Makes :NAME_proto and :NAME_cc_proto from NAME.proto.

    Args:
      name: the file's name without .proto
      deps: names (not labels) of the protos of this package that NAME.proto imports
    """
    proto_library(
        name = name + "_proto",
        srcs = [name + ".proto"],
        deps = [":" + dep + "_proto" for dep in deps],
    )
    cc_proto_library(
        name = name + "_cc_proto",
        deps = [":" + name + "_proto"],
    )
