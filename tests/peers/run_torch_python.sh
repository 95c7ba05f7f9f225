#!/bin/sh
# Runs a Python test with the interpreter that has torch: run_torch_python.sh INTERPRETER SCRIPT [ARGUMENT ...].
# An empty INTERPRETER means that none was found when the workspace was set up: the test is skipped, with a message.
set -eu
if [ -z "$1" ]; then
  [ -z "${TEST_SHARD_STATUS_FILE:-}" ] || : >"$TEST_SHARD_STATUS_FILE" # Bazel 7 asks for it of a test with shards
  echo "SKIPPED: no Python that can import torch; set LOCKSTEP_PYTHON to one"
  exit 0
fi
exec "$@"
