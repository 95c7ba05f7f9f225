#!/bin/sh
# Runs a Python test: run_python.sh SCRIPT [ARGUMENT ...]. Bazel 4 has py_test, but it wants a Python toolchain to be
# declared; these tests want the python3 that is there.
set -eu
exec python3 "$@"
