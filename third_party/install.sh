#!/usr/bin/env bash
# Installs what Lockstep needs and this machine lacks: Debian or Ubuntu packages, and LibTorch into .venv.
#
#   third_party/install.sh           install what is missing; asks for root only when a package is
#   third_party/install.sh --check   list what is missing, install nothing; exit 1 when something is
#   third_party/install.sh --help    this text
#
# Run it again at any time: it installs nothing that is there. third_party/versions.sh lists names, versions
# and reasons. Exit codes: 0 ready, 1 something is missing or could not be installed, 2 wrong usage.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(dirname "$here")"
venv="$root/.venv"
# shellcheck source=third_party/versions.sh
source "$here/versions.sh"

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }

# version_at_least HAVE MINIMUM: compares dotted versions; MINIMUM may be "-".
version_at_least() {
  [ "$2" = "-" ] || [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# Reads one line of LOCKSTEP_PACKAGES into names, minimum, overrides and why.
split_need() {
  IFS='|' read -r names minimum overrides why <<<"$1"
  read -r minimum <<<"$minimum"
  read -r why <<<"$why"
}

overridden() {
  local override
  for override in $overrides; do
    case "$override" in
      command:*) if command -v "${override#command:}" >/dev/null; then return 0; fi ;;
      *) if [ -n "${!override:-}" ]; then return 0; fi ;;
    esac
  done
  return 1
}

# Sets `missing_needs` to the lines of LOCKSTEP_PACKAGES that are not met. One dpkg-query for all.
find_missing_packages() {
  local need name all=() installed
  for need in "${LOCKSTEP_PACKAGES[@]}"; do
    split_need "$need"
    for name in $names; do all+=("$name"); done
  done
  # It fails for names that this distribution does not know; those are not installed.
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${all[@]}" 2>/dev/null || true)"
  missing_needs=()
  for need in "${LOCKSTEP_PACKAGES[@]}"; do
    split_need "$need"
    for name in $names; do # the first that is installed meets the need
      if [[ "$installed" == *" installed:$name "* ]]; then continue 2; fi
    done
    overridden || missing_needs+=("$need")
  done
}

# torch_version_in FOLDER: the release of the LibTorch in FOLDER, from a wheel's version.py or the archive's build-version;
# empty where neither tells it.
torch_version_in() {
  local version
  version="$(sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$1/version.py" 2>/dev/null || true)"
  [ -n "$version" ] || version="$(sed -n '1s/^\([0-9.]*\).*/\1/p' "$1/build-version" 2>/dev/null || true)"
  printf '%s' "$version"
}

# elsewhere PYTHON ARGUMENTS...: runs PYTHON in the root folder. With -c or -m it imports modules of its working folder
# first, and the caller's may hold anything.
elsewhere() { (cd / && "$@"); }

# Sets `torch_found` to where LibTorch is, or to nothing, and `torch_warning` to a line about a version that was not tried.
# Importing torch would take seconds: reads its version.
find_torch() {
  local folder version
  torch_found="" torch_warning=""
  if [ -n "${LIBTORCH:-}" ]; then
    torch_found="LIBTORCH=$LIBTORCH"
    version="$(torch_version_in "$LIBTORCH")"
    if [ -n "$version" ]; then
      version_at_least "$version" "$LOCKSTEP_TORCH_MINIMUM" ||
        die "LIBTORCH=$LIBTORCH: expected LibTorch $LOCKSTEP_TORCH_MINIMUM to $LOCKSTEP_TORCH_MAXIMUM, found $version. Set LIBTORCH to another one, or unset it and run install.sh again."
      warn_of_new_torch "$version" "$LIBTORCH" "unset LIBTORCH and run install.sh again"
    fi
    return
  fi
  folder="$(elsewhere python3 -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')" 2>/dev/null || true)"
  for folder in "$venv"/lib/python3*/site-packages/torch "$folder"; do
    version="$(torch_version_in "$folder")"
    if [ -n "$version" ] && version_at_least "$version" "$LOCKSTEP_TORCH_MINIMUM"; then
      torch_found="torch $version in $folder"
      local python=python3
      case "$folder" in "$venv"/*) python="$venv/bin/python3" ;; esac
      warn_of_new_torch "$version" "$folder" "$python -m pip install $LOCKSTEP_TORCH_PIN"
      return
    fi
  done
}

# warn_of_new_torch VERSION FOLDER REMEDY: sets `torch_warning` if VERSION is newer than the newest that was tried. Patch
# releases of one minor version count as one.
warn_of_new_torch() {
  local minor="${1%"${1#*.*.}"}"
  version_at_least "$LOCKSTEP_TORCH_MAXIMUM" "${minor%.}" ||
    torch_warning="torch $1 in $2 is newer than $LOCKSTEP_TORCH_MAXIMUM, the newest that was tried. If the build or a test fails: $3"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    say "root is needed for: $*"
    sudo "$@"
  else
    die "root is needed for: $*. Run that as root, then run install.sh again."
  fi
}

# candidate PACKAGE: the version that apt would install, or nothing.
candidate() {
  local version
  version="$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^  Candidate: //p')"
  if [ "$version" != "(none)" ]; then printf '%s' "$version"; fi
}

# choose NAMES...: prints the first that apt can install, with its version.
choose() {
  local name version
  for name in "$@"; do
    version="$(candidate "$name")"
    if [ -n "$version" ]; then
      printf '%s %s' "$name" "$version"
      return
    fi
  done
}

# upstream_version DEBIAN_VERSION: without epoch, and without the leading 0.~ of snapshots such as 0~20210324.
upstream_version() {
  local version="${1#*:}"
  version="${version#0~}"
  printf '%s' "${version%%[-+~]*}"
}

# remedy: how to meet the need of the last split_need without its package.
remedy() {
  local override text=""
  for override in $overrides; do
    case "$override" in
      command:*) text+="${text:+ or }put ${override#command:} on PATH" ;;
      *) text+="${text:+ or }install it by hand and set $override to its prefix" ;;
    esac
  done
  printf '%s' "$text"
}

# Sets `packages` to what is to be installed for missing_needs, and prints each with its reason. Prints to standard
# error what apt cannot give, and then fails, before anything is installed.
choose_packages() {
  local need name version impossible=""
  packages=()
  for need in "${missing_needs[@]}"; do
    split_need "$need"
    # shellcheck disable=SC2086  # names is a list
    read -r name version <<<"$(choose $names)" || true
    if [ -z "$name" ]; then
      say "install.sh: $why: expected a package ${names% }, but apt knows none: $(remedy)" >&2
      impossible=yes
    elif ! version_at_least "$(upstream_version "$version")" "$minimum"; then
      say "install.sh: $why: expected $name $minimum or newer, but apt has $version: $(remedy)" >&2
      impossible=yes
    else
      say "to install: $name $version: $why"
      packages+=("$name")
    fi
  done
  [ -z "$impossible" ] || die "nothing was installed; mend the above first."
}

# Whether apt's lists name every missing package.
lists_are_complete() {
  local need names minimum overrides why
  for need in "${missing_needs[@]}"; do
    split_need "$need"
    # shellcheck disable=SC2086  # names is a list
    if [ -z "$(choose $names)" ]; then return 1; fi
  done
}

install_packages() {
  command -v apt-get >/dev/null || die "expected Debian or Ubuntu, but there is no apt-get. Install by hand what --check lists."
  if ! lists_are_complete; then
    say "updating apt's package lists: they do not name all that is missing"
    as_root apt-get update -qq
  fi
  choose_packages
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" ||
    die "apt-get failed, see above."
}

check_python() {
  local version
  command -v python3 >/dev/null || die "expected python3 $LOCKSTEP_PYTHON_MINIMUM or newer for LibTorch's wheel, found none. Install python3, or set LIBTORCH to an unpacked LibTorch."
  version="$(elsewhere python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  version_at_least "$version" "$LOCKSTEP_PYTHON_MINIMUM" ||
    die "expected python3 $LOCKSTEP_PYTHON_MINIMUM or newer for $LOCKSTEP_TORCH_PIN, found $version ($(command -v python3)). Put a newer python3 first on PATH, or set LIBTORCH to an unpacked LibTorch."
  if ! elsewhere python3 -c 'import ensurepip, venv' 2>/dev/null; then
    say "installing python3-venv: python3 cannot make a virtual environment without it"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv
    elsewhere python3 -c 'import ensurepip, venv' 2>/dev/null ||
      die "$(command -v python3) has no ensurepip, even with python3-venv installed: it is not the distribution's Python. Put /usr/bin first on PATH, or set LIBTORCH to an unpacked LibTorch."
  fi
}

install_torch() {
  check_python
  say "installing $LOCKSTEP_TORCH_PIN and $LOCKSTEP_NUMPY_PIN into $venv: LibTorch and the tests' Python oracle (5 GB)"
  elsewhere python3 -m venv "$venv"
  elsewhere "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check "$LOCKSTEP_TORCH_PIN" "$LOCKSTEP_NUMPY_PIN" ||
    die "pip failed, see above. Run install.sh again, or set LIBTORCH to an unpacked LibTorch."
}

# Whether .venv has ONNX Runtime, or is not there to hold it.
onnxruntime_is_settled() {
  [ ! -x "$venv/bin/python3" ] || compgen -G "$venv/lib/python3*/site-packages/onnxruntime" >/dev/null
}

# One test asks for it, which is skipped without: a failure is told, and is none of install.sh.
install_onnxruntime() {
  say "installing $LOCKSTEP_ONNXRUNTIME_PIN and $LOCKSTEP_ONNX_PIN into $venv: the tests' oracle of int8 networks (100 MB)"
  elsewhere "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check "$LOCKSTEP_NUMPY_PIN" "$LOCKSTEP_ONNX_PIN" \
    "$LOCKSTEP_ONNXRUNTIME_PIN" || say "no ONNX Runtime, see above: //tests/peers:onnx_test will be skipped"
}

report_missing() {
  local need
  for need in ${missing_needs[@]+"${missing_needs[@]}"}; do
    split_need "$need"
    say "missing: ${names%% *}: $why"
  done
  if [ -z "$torch_found" ]; then
    say "missing: torch $LOCKSTEP_TORCH_MINIMUM to $LOCKSTEP_TORCH_MAXIMUM: LibTorch (would install $LOCKSTEP_TORCH_PIN into $venv)"
  fi
}

cuda_summary() {
  local home="${CUDA_HOME:-/usr/local/cuda}"
  if [ -z "${CUDA_HOME:-}" ] && command -v nvcc >/dev/null; then
    home="$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")"
  fi
  if [ -x "$home/bin/nvcc" ]; then say "CUDA toolkit in $home"; else say "no CUDA toolkit, GPU targets are skipped"; fi
}

main() {
  local check_only=""
  case "$#:${1:-}" in
    0:) ;;
    1:--check) check_only=yes ;;
    1:--help | 1:-h) usage; exit 0 ;;
    *) printf 'install.sh: expected --check, --help or nothing, found: %s\n' "$*" >&2; exit 2 ;;
  esac

  find_missing_packages
  find_torch
  if [ "${#missing_needs[@]}" -gt 0 ] || [ -z "$torch_found" ]; then
    if [ -n "$check_only" ]; then
      report_missing
      exit 1
    fi
    if [ "${#missing_needs[@]}" -gt 0 ]; then install_packages; fi
    if [ -z "$torch_found" ]; then
      find_torch # python3 may have come with the packages
      [ -n "$torch_found" ] || install_torch
    fi
    find_missing_packages
    find_torch
    if [ "${#missing_needs[@]}" -gt 0 ] || [ -z "$torch_found" ]; then
      report_missing
      die "still missing after the installation, see above."
    fi
  elif onnxruntime_is_settled; then
    say "nothing to install"
  fi
  if [ -z "$check_only" ] && ! onnxruntime_is_settled; then install_onnxruntime; fi
  [ -z "$torch_warning" ] || say "warning: $torch_warning"
  say "ready: ${#LOCKSTEP_PACKAGES[@]} packages or their overrides; $torch_found; $(cuda_summary)"
}

main "$@"
