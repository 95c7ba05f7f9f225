#!/usr/bin/env bash
# Makes the files of a release from a clean checkout: portable folders as archives, their digests, and release notes.
#
#   tools/release.sh OUT
#
# OUT/lockstep-VERSION-linux-MACHINE-cpu.tar.gz   the portable folder (tools/package.sh) without code for GPUs
# OUT/lockstep-VERSION-linux-MACHINE-gpu.tar.gz   with code for all GPUs; only where a CUDA toolkit is installed
# OUT/SHA256SUMS                                  digests of the archives: sha256sum --check SHA256SUMS
# OUT/RELEASE_NOTES.md                            ten entries from the head of CHANGELOG.md
#
# VERSION is the one that --version prints (lib/base/version.h). The same folder gives the same archive, byte by byte:
# names are sorted, and owner, modes and times are fixed (tools/release.py). Exit codes: 0 done, 1 a step failed,
# 2 wrong usage or a tree that differs from its commit.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
caller="$PWD"
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

changed="$(git status --porcelain | head -n 3)"
if [ -n "$changed" ]; then
  printf 'release.sh: error: expected a checkout without changes, found: %s; commit or remove them\n' \
    "$(paste -s -d ';' <<<"$changed")" >&2
  exit 2
fi

case "$1" in /*) out="$1" ;; *) out="$caller/$1" ;; esac
mkdir -p -- "$out"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
commit_time="$(git log -1 --format=%ct)"

# release KIND ARCHITECTURES: writes one portable folder as an archive to OUT.
release() {
  local version name
  tools/package.sh "$work/$1" "$2"
  version="$("$work/$1/report" --version | sed 's/^report (Lockstep) //')"
  python3 tools/release.py notes --changelog=CHANGELOG.md --version="$version" >"$work/RELEASE_NOTES.md"
  name="lockstep-$version-linux-$(uname -m)-$1"
  mv "$work/$1" "$work/$name"
  python3 tools/release.py archive --folder="$work/$name" --output="$out/$name.tar.gz" --mtime="$commit_time"
  archives+=("$name.tar.gz")
}

archives=()
release cpu none
# The rule that finds the toolkit reports whether there is one.
if [ -n "$(bazel query 'attr(build_setting_default, "1|True", @cuda//:detected)' 2>/dev/null)" ]; then
  release gpu portable
else
  echo 'release.sh: no CUDA toolkit is installed here; no archive for GPUs is made' >&2
fi
(cd -- "$out" && sha256sum "${archives[@]}" >SHA256SUMS)
cp "$work/RELEASE_NOTES.md" "$out/RELEASE_NOTES.md"
cat "$out/SHA256SUMS"
