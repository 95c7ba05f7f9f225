#!/bin/sh
# Starts the program of this name in libexec/. tools/package.sh copies this file into the portable folder as the launcher
# of a program that needs no LibTorch.

self="$(readlink -f -- "$0")" # the folder's file, also if a link elsewhere names it
here="$(dirname -- "$self")"

# without_empty LIST: prints the folders of LIST without empty entries, which would mean the working folder.
without_empty() {
  printf '%s' "$1" | sed 's/::*/:/g; s/^://; s/:$//'
}

inherited="$(without_empty "${LD_LIBRARY_PATH:-}")"
export LD_LIBRARY_PATH="$here/lib${inherited:+:$inherited}"
exec "$here/libexec/$(basename -- "$self")" "$@"
