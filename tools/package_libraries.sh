#!/usr/bin/env bash
# Prints the shared libraries that a portable folder must hold for a program: those that neither a plain Linux system
# nor the machine's torch has.
#
#   tools/package_libraries.sh PROGRAM
set -euo pipefail

# Returns success for a library that every Linux with glibc 2.34 has, or that comes with torch.
provided() {
  case "$1" in
    linux-vdso* | ld-linux* | libc.so* | libm.so* | libdl.so* | librt.so* | libutil.so* | libpthread.so* | libgcc_s* | libstdc++*) return 0 ;;
    libtorch* | libc10* | libcu* | libnv* | libnccl* | libshm* | libgomp* | libcaffe2*) return 0 ;;
    *) return 1 ;;
  esac
}

ldd "$1" | while read -r name arrow path rest; do
  if [ "$arrow" = "=>" ] && [ -f "$path" ] && ! provided "$name"; then
    printf '%s\n' "$path"
  fi
done
