#!/bin/sh
# Starts the program of this name in libexec/ with the shared libraries of this machine's torch. tools/package.sh copies
# this file into the portable folder as the launcher of a program that needs LibTorch.
#
# PYTHON names another interpreter than python3; LOCKSTEP_LIBRARIES names the folders, and no interpreter is asked.
# Nothing of the working folder is run or loaded: Python gets a search path without it, and no list has an empty entry.

self="$(readlink -f -- "$0")" # the folder's file, also if a link elsewhere names it
here="$(dirname -- "$self")"
name="$(basename -- "$self")"

# without_empty LIST: the folders of LIST without empty ones, which would mean the working folder.
without_empty() {
  printf '%s' "$1" | sed 's/::*/:/g; s/^://; s/:$//'
}

LOCKSTEP_LIBRARIES="$(without_empty "${LOCKSTEP_LIBRARIES:-}")"
if [ -z "$LOCKSTEP_LIBRARIES" ]; then
  # The same search as kFindTorch of lib/doctor/libtorch.cc.
  LOCKSTEP_LIBRARIES="$(PYTHONPATH="$(without_empty "${PYTHONPATH:-}")" "${PYTHON:-python3}" - <<'PYTHON'
import sys
sys.path[:] = [folder for folder in sys.path if folder]  # before any other import: "" is the working folder
import glob, importlib.util, os
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin:
    torch = os.path.dirname(spec.origin)
    folders = [os.path.join(torch, "lib")] + sorted(glob.glob(os.path.join(os.path.dirname(torch), "nvidia", "*", "lib")))
    print(":".join(folders))
PYTHON
)"
fi
if [ -z "$LOCKSTEP_LIBRARIES" ]; then
  echo "$name: error: ${PYTHON:-python3} cannot import torch; set PYTHON to one that can, or LOCKSTEP_LIBRARIES to the folders of libtorch_cpu.so and its companions" >&2
  exit 5
fi
export LOCKSTEP_LIBRARIES
inherited="$(without_empty "${LD_LIBRARY_PATH:-}")"
export LD_LIBRARY_PATH="$LOCKSTEP_LIBRARIES:$here/lib${inherited:+:$inherited}"
exec "$here/libexec/$name" "$@"
