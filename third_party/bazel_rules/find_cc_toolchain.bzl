"""Functions by which a rule of Bazel 4.2.3 finds the C++ toolchain."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

find_cc_toolchain = find_cpp_toolchain

def use_cc_toolchain():
    """Returns the value of a rule's `toolchains`."""
    return ["@bazel_tools//tools/cpp:toolchain_type"]
