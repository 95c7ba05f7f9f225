"""The shell rules that are built into Bazel 4 to 7."""

sh_binary = native.sh_binary
sh_test = native.sh_test
