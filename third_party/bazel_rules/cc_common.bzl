"""The C++ modules that are built into Bazel 4.2.3."""

load("//cc:native.bzl", "NativeCcInfo", "native_cc_common")

cc_common = native_cc_common
CcInfo = NativeCcInfo
