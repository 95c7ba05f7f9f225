"""The protobuf rules that are built into Bazel 4.2.3."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
