#!/bin/sh
# Runs a Python test: run_python.sh SCRIPT [ARGUMENT ...]. Bazel 4 has py_test, but that needs a declared Python
# toolchain; these tests use the python3 on PATH.
set -eu
exec python3 "$@"
