#!/usr/bin/env bash
# Makes a folder with everything that `--config=arm64` needs: GCC for 64-bit Arm, QEMU, and the arm64 packages of this
# release that Lockstep needs. Installs nothing, needs no root: Debian on x86-64, 210 MB of downloads, 0.7 GB of disk.
#
#   third_party/arm64/fetch.sh             into .arm64 of this checkout, where the build looks for it
#   third_party/arm64/fetch.sh FOLDER      elsewhere; set LOCKSTEP_ARM64=FOLDER for the build
#   third_party/arm64/fetch.sh --help      this text
#
# It may be run again at any time: a complete folder stays unchanged, also if Debian has newer packages.
# Exit codes: 0 ready, 1 a package could not be fetched, 2 wrong usage.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# The libraries of third_party/versions.sh, and the C library.
PACKAGES=(libabsl-dev libarchive-dev libbenchmark-dev libboost-dev libbz2-dev libc6-dev libdnnl-dev libeigen3-dev
  libgloo-dev libgmock-dev libgtest-dev libjpeg62-turbo-dev liblzma-dev libpng-dev libprotobuf-dev libssl-dev
  libwebp-dev libzstd-dev nettle-dev zlib1g-dev)
COMPILER=(g++-aarch64-linux-gnu qemu-user-static)

usage() { sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }
die() { printf 'fetch.sh: %s\n' "$*" >&2; exit 1; }

# Prints the machine's own Debian sources, in the old format of one line each.
debian_sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' \
    'Component: main' | sort -u | sed 's/^/deb /'
}

# apt_for ARCHITECTURE ARGUMENTS...: runs apt-get with separate lists and cache, like on a machine of that architecture
# on which nothing is installed.
apt_for() {
  local state="$folder/apt/$1"
  mkdir -p "$state/lists/partial" "$state/archives/partial"
  touch "$state/status"
  debian_sources >"$state/sources.list"
  cat >"$state/apt.conf" <<END
APT::Architecture "$1";
APT::Architectures "$1";
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Retries "3";
Debug::NoLocking "true";
Dir::State "$state";
Dir::State::status "$state/status";
Dir::Cache "$state";
Dir::Etc::sourcelist "$state/sources.list";
Dir::Etc::sourceparts "/dev/null";
END
  shift
  APT_CONFIG="$state/apt.conf" apt-get -qq "$@"
}

# unpack ARCHITECTURE TO PACKAGES...: unpacks the packages and their dependencies.
unpack() {
  local architecture="$1" to="$2" package
  shift 2
  printf 'fetching %s for %s\n' "$*" "$architecture"
  apt_for "$architecture" update || die "apt could not read Debian's lists for $architecture, see above."
  apt_for "$architecture" install --yes --download-only "$@" || die "apt has not all of: $*. See above."
  mkdir -p "$to"
  for package in "$folder/apt/$architecture/archives"/*.deb; do
    # The compiler runs with the machine's own C library.
    if [[ "$architecture" = amd64 && "$(basename "$package")" = libc6_* ]]; then continue; fi
    dpkg-deb --extract "$package" "$to"
  done
}

# Links to an absolute path, such as libz.so, would lead to the machine's own files.
make_links_relative() {
  local link target
  find "$1" -type l -lname '/*' | while read -r link; do
    target="$1$(readlink "$link")"
    ln -sfnr "$target" "$link"
  done
}

# write_program NAME COMMAND...: writes a program to bin/ that finds its libraries here.
write_program() {
  local name="$1"
  shift
  cat >"$folder/bin/$name" <<END
#!/bin/bash
here="\$(dirname "\$(dirname "\$(readlink -f "\${BASH_SOURCE[0]}")")")"
export LD_LIBRARY_PATH="\$here/compiler/usr/lib/x86_64-linux-gnu"
exec $* "\$@"
END
  chmod +x "$folder/bin/$name"
}

main() {
  case "$#:${1:-}" in
    0:) folder="$(dirname "$(dirname "$here")")/.arm64" ;;
    1:--help | 1:-h) usage; exit 0 ;;
    1:-*) printf 'fetch.sh: expected FOLDER, --help or nothing, found: %s\n' "$1" >&2; exit 2 ;;
    1:?*) mkdir -p "$1" && folder="$(cd "$1" && pwd)" ;;
    *) printf 'fetch.sh: expected FOLDER, --help or nothing, found: %s\n' "$*" >&2; exit 2 ;;
  esac
  if [ "$(cat "$folder/ready" 2>/dev/null)" = "${PACKAGES[*]} ${COMPILER[*]}" ]; then
    printf 'ready: %s\n' "$folder"
    exit 0
  fi
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    die "expected Debian, but there is no apt-get or no dpkg-deb."
  fi
  [ "$(uname -m)" = x86_64 ] || die "expected an x86-64 machine, found $(uname -m): build there without --config=arm64."
  [ -n "$(debian_sources)" ] || die "expected Debian's packages among apt's sources, found none. Run: apt-get update"
  rm -rf "$folder/ready" "$folder/sysroot" "$folder/compiler"
  unpack arm64 "$folder/sysroot" "${PACKAGES[@]}"
  unpack amd64 "$folder/compiler" "${COMPILER[@]}"
  make_links_relative "$folder/sysroot"
  make_links_relative "$folder/compiler"
  # Linker scripts name the files at the places where an installation would have put them.
  grep -lI '/usr/aarch64-linux-gnu/lib/' "$folder"/compiler/usr/aarch64-linux-gnu/lib/*.so |
    xargs -r sed -i 's#/usr/aarch64-linux-gnu/lib/##g'
  find "$folder/compiler/usr/bin" -name 'qemu-*' ! -name qemu-aarch64-static -delete
  mkdir -p "$folder/bin"
  local tool
  for tool in g++ ar cpp dwp gcov ld nm objcopy objdump strip; do
    write_program "aarch64-linux-gnu-$tool" "\"\$here/compiler/usr/bin/aarch64-linux-gnu-$tool\""
  done
  write_program aarch64-linux-gnu-g++ '"$here/compiler/usr/bin/aarch64-linux-gnu-g++" --sysroot="$here/sysroot"'
  write_program qemu-aarch64 '"$here/compiler/usr/bin/qemu-aarch64-static" -L "$here/sysroot"'
  rm -rf "$folder/apt"
  printf '%s\n' "${PACKAGES[*]} ${COMPILER[*]}" >"$folder/ready"
  printf 'ready: %s\n' "$folder"
}

main "$@"
