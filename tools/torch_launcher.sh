#!/bin/sh
# Starts the program of this name in libexec/ with the shared libraries of this machine's torch. tools/package.sh copies
# this file into the portable folder as the launcher of a program that needs LibTorch.
#
# PYTHON names another interpreter than python3. If LOCKSTEP_LIBRARIES names the folders, no interpreter is run.
# Exits with 5 if there is no torch, or one of another version than the folder was built with (built_with.txt).
# Nothing in the working folder is run or loaded: Python gets a search path without it, and no list has an empty entry.

self="$(readlink -f -- "$0")" # the folder's file, also if a link elsewhere names it
here="$(dirname -- "$self")"
name="$(basename -- "$self")"

# without_empty LIST: prints the folders of LIST without empty entries, which would mean the working folder.
without_empty() {
  printf '%s' "$1" | sed 's/::*/:/g; s/^://; s/:$//'
}

# built_with KEY: prints a value of built_with.txt, which tools/package.sh puts next to the launchers; empty without the
# file.
built_with() {
  sed -n "s/^$1 //p" "$here/built_with.txt" 2>/dev/null
}

python="${PYTHON:-python3}"
pip="$(built_with pip)"
install="$python -m pip install ${pip:-torch}"
LOCKSTEP_LIBRARIES="$(without_empty "${LOCKSTEP_LIBRARIES:-}")"
remedy="unset LOCKSTEP_LIBRARIES, and $install; or let LOCKSTEP_LIBRARIES name the folders of that one"
if [ -z "$LOCKSTEP_LIBRARIES" ]; then
  remedy="$install, or set PYTHON to an interpreter that has it"
  # The same search as kFindTorch of lib/doctor/libtorch.cc.
  LOCKSTEP_LIBRARIES="$(PYTHONPATH="$(without_empty "${PYTHONPATH:-}")" "$python" - <<'PYTHON'
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
  echo "$name: error: $python cannot import torch: $remedy, or LOCKSTEP_LIBRARIES to the folders of libtorch_cpu.so and its libraries" >&2
  exit 5
fi

# The first folder that holds libtorch_cpu.so: the loader searches in this order.
lib="$(printf '%s\n' "$LOCKSTEP_LIBRARIES" | tr ':' '\n' | while IFS= read -r folder; do
  if [ -e "$folder/libtorch_cpu.so" ]; then
    printf '%s' "$folder"
    break
  fi
done)"

# version, such as 2.11.0+cu130, and cuda, such as 13.0, of the LibTorch in `lib`: a wheel has both in version.py, the
# archive in build-version. Empty if neither file has them. Importing torch would take seconds.
version="" cuda=""
if [ -n "$lib" ]; then
  version="$(sed -n "s/^__version__ = '\([^']*\)'.*/\1/p" -- "$lib/../version.py" 2>/dev/null | head -n 1)"
  cuda="$(sed -n "s/^cuda[^']*'\([^']*\)'.*/\1/p" -- "$lib/../version.py" 2>/dev/null | head -n 1)"
  [ -n "$version" ] || version="$(head -n 1 -- "$lib/../build-version" 2>/dev/null)"
  [ -n "$cuda" ] || cuda="$(printf '%s' "$version" | sed -n 's/.*+cu\([0-9]*\)\([0-9]\)$/\1.\2/p')"
fi

# major_and_minor VERSION: prints 2.11 for 2.11.0+cu130. Releases that differ only in the patch number export the same
# symbols.
major_and_minor() {
  printf '%s' "$1" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/'
}

# unfit: succeeds if the program cannot run with this LibTorch. The same rules as WhyUnfit of lib/doctor/libtorch.cc.
built_version="$(built_with version)" built_cuda="$(built_with cuda)"
unfit() {
  [ -n "$built_version" ] && [ -n "$version" ] || return 1
  [ "$(major_and_minor "$version")" = "$(major_and_minor "$built_version")" ] || return 0
  [ -n "$built_cuda" ] || return 1
  [ -e "$lib/libtorch_cuda.so" ] || return 0
  [ -n "$cuda" ] && [ "${cuda%%.*}" != "${built_cuda%%.*}" ]
}

if unfit; then
  echo "$name: error: built with torch $built_version, found torch $version in $lib: $remedy" >&2
  exit 5
fi
export LOCKSTEP_LIBRARIES
inherited="$(without_empty "${LD_LIBRARY_PATH:-}")"
export LD_LIBRARY_PATH="$LOCKSTEP_LIBRARIES:$here/lib${inherited:+:$inherited}"
exec "$here/libexec/$name" "$@"
