"""The C++ modules of Bazel 4.2.3 under other names, because no file can load a name and define the same one."""

native_cc_common = cc_common
NativeCcInfo = CcInfo
