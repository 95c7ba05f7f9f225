#!/usr/bin/env bash
# Installs the packages that Lockstep needs and this machine lacks: Debian or Ubuntu packages, and LibTorch into .venv.
#
#   third_party/install.sh           install what is missing; asks for root only if a package is missing
#   third_party/install.sh --check   list what is missing, and whether it needs disk space and root; install nothing
#   third_party/install.sh --help    this text
#
# It first prints the disk space that it needs, and whether it needs root. It may be run again at any time: it installs
# only what is missing. A package that apt does not have is named, and all others are installed. third_party/versions.sh
# lists names, versions and reasons, and which packages are optional.
#
# Exit codes: 0 ready, 1 something required is missing or could not be installed, 2 wrong usage.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(dirname "$here")"
venv="$root/.venv"
# shellcheck source=third_party/versions.sh
source "$here/versions.sh"

# Lines that name a required package which apt does not have.
refused=()
# apt's candidate version of each package that it knows.
declare -A candidates=()

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }

# version_at_least HAVE MINIMUM: compares dotted versions, number by number; MINIMUM may be "-".
version_at_least() {
  local have minimum i a b
  [ "$2" != "-" ] || return 0
  IFS=. read -ra have <<<"$1"
  IFS=. read -ra minimum <<<"$2"
  for i in "${!minimum[@]}"; do
    a="${have[i]:-0}" b="${minimum[i]}"
    a="${a%%[!0-9]*}" b="${b%%[!0-9]*}"
    if ((10#${a:-0} != 10#${b:-0})); then
      ((10#${a:-0} > 10#${b:-0}))
      return
    fi
  done
}

# Reads one line of LOCKSTEP_PACKAGES into names, minimum, kind, overrides and why.
split_need() {
  IFS='|' read -r names minimum kind overrides why <<<"$1"
  read -r names <<<"$names"
  read -r minimum <<<"$minimum"
  read -r kind <<<"$kind"
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

# Sets `missing_needs` to the lines of LOCKSTEP_PACKAGES that are not met, and `missing_required` to their number without
# the optional ones. Runs one dpkg-query for all.
find_missing_packages() {
  local need name all=() installed names minimum kind overrides why
  for need in "${LOCKSTEP_PACKAGES[@]}"; do
    split_need "$need"
    for name in $names; do all+=("$name"); done
  done
  # dpkg-query fails for names that this distribution does not have; those are not installed.
  installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${all[@]}" 2>/dev/null || true)"
  missing_needs=()
  missing_required=0
  for need in "${LOCKSTEP_PACKAGES[@]}"; do
    split_need "$need"
    for name in $names; do # the first that is installed meets the need
      if [[ "$installed" == *" installed:$name "* ]]; then continue 2; fi
    done
    if overridden; then continue; fi
    missing_needs+=("$need")
    if [ "$kind" = required ]; then missing_required=$((missing_required + 1)); fi
  done
}

# torch_version_in FOLDER: prints the release of the LibTorch in FOLDER, from a wheel's version.py or the archive's
# build-version; empty if neither file has it.
torch_version_in() {
  local version
  version="$(sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$1/version.py" 2>/dev/null || true)"
  [ -n "$version" ] || version="$(sed -n '1s/^\([0-9.]*\).*/\1/p' "$1/build-version" 2>/dev/null || true)"
  printf '%s' "$version"
}

# elsewhere PYTHON ARGUMENTS...: runs PYTHON in the root folder. With -c or -m, Python first imports modules of its
# working folder, and the caller's folder may hold any file.
elsewhere() { (cd / && "$@"); }

# Sets `torch_found` to the place of LibTorch, or to nothing, and `torch_warning` to a line about a version that was not
# tested. Reads the version from files, because importing torch would take seconds.
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

# warn_of_new_torch VERSION FOLDER REMEDY: sets `torch_warning` if VERSION is newer than the newest tested one. Patch
# releases of one minor version count as one.
warn_of_new_torch() {
  local minor="${1%"${1#*.*.}"}"
  version_at_least "$LOCKSTEP_TORCH_MAXIMUM" "${minor%.}" ||
    torch_warning="torch $1 in $2 is newer than $LOCKSTEP_TORCH_MAXIMUM, the newest that was tried. If the build or a test fails: $3"
}

can_be_root() { [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null; }

# as_root COMMAND...: runs COMMAND as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# require_root COMMAND...: ends unless as_root can run COMMAND.
require_root() {
  can_be_root || die "root is needed for: $*. Run that as root, then run install.sh again."
}

# logged COMMAND...: runs COMMAND with its output in a log file, which a failure names.
logged() {
  if [ -z "${log:-}" ]; then log="$(mktemp "${TMPDIR:-/tmp}/lockstep_install.XXXXXX")"; fi
  "$@" >>"$log" 2>&1
}

# step TEXT COMMAND...: runs COMMAND, logged; prints one line, which ends with the seconds.
step() {
  local text="$1" start="$SECONDS" code=0
  shift
  printf '%s: ' "$text"
  logged "$@" || code=$?
  if [ "$code" -eq 0 ]; then
    say "$((SECONDS - start)) s"
  else
    say "failed after $((SECONDS - start)) s; the end of its output:"
    tail -n 5 "$log"
  fi
  return "$code"
}

# Reads apt's candidate versions of the missing packages into `candidates`. Runs one apt-cache for all.
read_candidates() {
  local need name="" line names minimum kind overrides why all=(python3-venv)
  for need in "${missing_needs[@]}"; do
    split_need "$need"
    for name in $names; do all+=("$name"); done
  done
  candidates=()
  while IFS= read -r line; do
    case "$line" in
      "  Candidate: (none)") ;;
      "  Candidate: "*) candidates["$name"]="${line#  Candidate: }" ;;
      [a-z]*:) name="${line%:}" ;;
    esac
  done < <(LC_ALL=C apt-cache policy "${all[@]}" 2>/dev/null)
}

# choose NAMES...: sets `chosen` to the first name that apt has, and `version` to its version; both are empty if there
# is none.
choose() {
  for chosen in "$@"; do
    version="${candidates[$chosen]:-}"
    if [ -n "$version" ]; then return; fi
  done
  chosen="" version=""
}

# Sets `upstream` to `version` without epoch, and without the leading 0.~ of snapshots such as 0~20210324.
find_upstream() {
  upstream="${version#*:}"
  upstream="${upstream#0~}"
  upstream="${upstream%%[-+~]*}"
}

# remedy: prints how to meet the need of the last split_need without its package.
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

# megabytes NUMBER UNIT: prints apt's "77.4 MB" as whole megabytes, rounded up.
megabytes() {
  local whole="${1%%.*}" tenths=0
  if [[ "$1" == *.* ]]; then tenths="${1#*.}"; fi
  case "$2" in
    GB) say $((whole * 1000 + (${tenths:0:1} + 1) * 100)) ;;
    MB) say $((whole + 1)) ;;
    *) say 1 ;;
  esac
}

# ask_apt NAMES...: sets packages_count, download_mb and unpacked_mb to apt's figures for these packages and their
# dependencies. Fails if apt cannot install them. Changes nothing, and needs no root.
ask_apt() {
  local answer
  packages_count=0 download_mb=0 unpacked_mb=0
  answer="$(LC_ALL=C apt-get install --assume-no -o Debug::NoLocking=true --no-install-recommends "$@" 2>&1)" || true
  [[ "$answer" =~ ([0-9]+)\ newly\ installed ]] || return 1
  packages_count="${BASH_REMATCH[1]}"
  if [[ "$answer" =~ Need\ to\ get\ ([0-9.]+)\ ([kMG]?B)[/\ ] ]]; then
    download_mb="$(megabytes "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")"
  fi
  if [[ "$answer" =~ After\ this\ operation,\ ([0-9.]+)\ ([kMG]?B)\ of\ additional ]]; then
    unpacked_mb="$(megabytes "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")"
  fi
}

# refuse TROUBLE: names the need of the last split_need, which cannot be met by a package.
refuse() {
  local help
  help="$(remedy)"
  if [ "$kind" = optional ]; then
    say "left out, optional: $why: $1${help:+: $help}"
  else
    refused+=("$why: $1${help:+: $help}")
  fi
}

# Succeeds if python3 cannot make the virtual environment that torch needs.
lacks_venv() { [ -z "$torch_found" ] && ! elsewhere python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Sets `packages` to the names to install for missing_needs, `planned` to a line about each, and `refused` to lines about
# required ones that apt does not have. Asks apt for the figures of all.
choose_packages() {
  local need chosen version upstream names minimum kind overrides why possible=()
  packages=() planned=() refused=()
  for need in ${missing_needs[@]+"${missing_needs[@]}"}; do
    split_need "$need"
    # shellcheck disable=SC2086  # names is a list
    choose $names
    find_upstream
    if [ -z "$chosen" ]; then
      refuse "expected a package $names, but apt knows none"
    elif ! version_at_least "$upstream" "$minimum"; then
      refuse "expected $chosen $minimum or newer, but apt has $version"
    else
      possible+=("$need")
      packages+=("$chosen")
    fi
  done
  if [ "${#packages[@]}" -gt 0 ] && ! ask_apt "${packages[@]}"; then
    # At least one of them depends on a package that apt does not have: each is tried alone.
    packages=()
    for need in "${possible[@]}"; do
      split_need "$need"
      # shellcheck disable=SC2086  # names is a list
      choose $names
      if ask_apt "$chosen"; then
        packages+=("$chosen")
      else
        refuse "expected $chosen $version, but apt cannot install it ('apt-get install $chosen' says why)"
      fi
    done
  fi
  for need in ${possible[@]+"${possible[@]}"}; do
    split_need "$need"
    # shellcheck disable=SC2086  # names is a list
    choose $names
    if [[ " ${packages[*]} " == *" $chosen "* ]]; then planned+=("to install: $chosen $version: $why"); fi
  done
  if lacks_venv && [ -n "${candidates[python3-venv]:-}" ]; then
    packages+=(python3-venv)
    planned+=("to install: python3-venv ${candidates[python3-venv]}: the virtual environment of torch")
  fi
  packages_count=0 download_mb=0 unpacked_mb=0
  if [ "${#packages[@]}" -gt 0 ] && ! ask_apt "${packages[@]}"; then
    refused+=("apt cannot install these together, 'apt-get install ${packages[*]}' says why")
    packages=() planned=()
  fi
}

# size MEGABYTES: prints "512 MB" or "4.6 GB".
size() {
  if [ "$1" -lt 1000 ]; then say "$1 MB"; else say "$(($1 / 1000)).$(($1 % 1000 / 100)) GB"; fi
}

# Prints what cannot and what will be installed, the disk space for it, and whether it needs root.
say_plan() {
  local disk=() root=no line
  for line in ${refused[@]+"${refused[@]}"}; do say "will be missing: $line"; done
  if [ "${#packages[@]}" -gt 0 ]; then
    printf '%s\n' "${planned[@]}"
    disk+=("$(size $((download_mb + unpacked_mb))) for $packages_count packages ($(size "$download_mb") of it to download)")
    root="for the packages, not for torch"
    if [ "$(id -u)" -ne 0 ]; then root+="; sudo will be called"; fi
  fi
  if [ -z "$torch_found" ]; then
    say "to install: $LOCKSTEP_TORCH_PIN and $LOCKSTEP_NUMPY_PIN into $venv: LibTorch and the tests' Python oracle"
    disk+=("$(size "$LOCKSTEP_TORCH_MB") for torch, $(size "$LOCKSTEP_TORCH_DOWNLOAD_MB") while pip downloads it, and as much in pip's cache")
  fi
  if [ "${#disk[@]}" -gt 0 ]; then
    say "needs: disk $(printf '%s; ' "${disk[@]}")root: $root"
  fi
}

# Ends if a file system has too little space for the plan that say_plan prints.
check_free_space() {
  local folder free mount amounts folders i
  local -A needed=() available=()
  folders=(/usr /var/cache/apt/archives)
  amounts=("$unpacked_mb" "$download_mb")
  if [ -z "$torch_found" ]; then
    folders+=("$root" "${TMPDIR:-/tmp}")
    amounts+=("$LOCKSTEP_TORCH_MB" "$LOCKSTEP_TORCH_DOWNLOAD_MB")
    if [ -z "${PIP_NO_CACHE_DIR:-}" ]; then
      folders+=("${PIP_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/}/.cache}/pip}")
      amounts+=("$LOCKSTEP_TORCH_DOWNLOAD_MB")
    fi
  fi
  for i in "${!folders[@]}"; do
    if [ "${amounts[i]}" -eq 0 ]; then continue; fi
    folder="${folders[i]}"
    while [ ! -e "$folder" ]; do folder="$(dirname "$folder")"; done
    { read -r _; read -r free mount; } < <(df --output=avail,target --block-size=1000000 "$folder") || continue
    needed["$mount"]=$((${needed["$mount"]:-0} + amounts[i]))
    available["$mount"]="$free"
  done
  for mount in "${!needed[@]}"; do
    [ "${needed[$mount]}" -le "${available[$mount]}" ] ||
      die "expected $(size "${needed[$mount]}") free in $mount, found $(size "${available[$mount]}"); nothing was installed. Free some space there, or set LIBTORCH to an unpacked LibTorch, then run install.sh again."
  done
}

# Succeeds if apt's lists name every missing required package.
lists_are_complete() {
  local need chosen version names minimum kind overrides why
  for need in "${missing_needs[@]}"; do
    split_need "$need"
    # shellcheck disable=SC2086  # names is a list
    choose $names
    if [ "$kind" = required ] && [ -z "$chosen" ]; then return 1; fi
  done
}

# Determines what is to be installed, and prints it. Updates apt's lists first if they lack a required package and $1 is
# not "check".
plan() {
  if [ "${#missing_needs[@]}" -gt 0 ] || lacks_venv; then
    if ! command -v apt-get >/dev/null; then
      [ "$1" != check ] || return 0
      die "expected Debian or Ubuntu, but there is no apt-get. Install by hand what --check lists."
    fi
    read_candidates
    if [ "$1" != check ] && ! lists_are_complete; then
      require_root apt-get update
      step "updating apt's package lists, which do not name all that is missing" as_root apt-get update -q ||
        die "apt-get update failed; its output is in $log"
      read_candidates
    fi
    choose_packages
  fi
  say_plan
}

install_packages() {
  local command=(env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}")
  if [ "$missing_required" -eq 0 ] && ! lacks_venv && ! can_be_root; then
    say "left out, optional: ${packages[*]}: root is needed for: apt-get install ${packages[*]}"
    return
  fi
  require_root "apt-get install -y --no-install-recommends ${packages[*]}"
  step "downloading $packages_count packages, $(size "$download_mb")" as_root "${command[@]}" --download-only ||
    die "apt-get failed; its output is in $log"
  step "installing $packages_count packages, $(size "$unpacked_mb")" as_root "${command[@]}" ||
    die "apt-get failed; its output is in $log"
}

check_python() {
  local version
  command -v python3 >/dev/null || die "expected python3 $LOCKSTEP_PYTHON_MINIMUM or newer for LibTorch's wheel, found none. Install python3, or set LIBTORCH to an unpacked LibTorch."
  version="$(elsewhere python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  version_at_least "$version" "$LOCKSTEP_PYTHON_MINIMUM" ||
    die "expected python3 $LOCKSTEP_PYTHON_MINIMUM or newer for $LOCKSTEP_TORCH_PIN, found $version ($(command -v python3)). Put a newer python3 first on PATH, or set LIBTORCH to an unpacked LibTorch."
  if lacks_venv; then
    die "$(command -v python3) has no ensurepip, even with python3-venv installed: it is not the distribution's Python. Put /usr/bin first on PATH, or set LIBTORCH to an unpacked LibTorch."
  fi
}

make_venv() {
  elsewhere python3 -m venv "$venv" &&
    elsewhere "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check "$LOCKSTEP_TORCH_PIN" "$LOCKSTEP_NUMPY_PIN"
}

install_torch() {
  check_python
  step "installing $LOCKSTEP_TORCH_PIN and $LOCKSTEP_NUMPY_PIN, $(size "$LOCKSTEP_TORCH_MB")" make_venv ||
    die "pip failed; its output is in $log. Run install.sh again, or set LIBTORCH to an unpacked LibTorch."
}

# bazel_version: prints the version of the bazel on PATH; empty if it has none. Debian 12's version is known only to
# dpkg. Runs in the checkout, where Bazelisk reads the version that it must start.
bazel_version() {
  local version upstream
  version="$(cd "$root" && bazel --version 2>/dev/null | sed -n 's/^bazel \([0-9][0-9.]*\).*/\1/p')" || true
  if [ -z "$version" ]; then
    # shellcheck disable=SC2016  # ${Version} is dpkg-query's
    version="$(dpkg-query -W -f='${Version}' bazel-bootstrap 2>/dev/null)" || true
  fi
  find_upstream
  printf '%s' "$upstream"
}

# Ends if the bazel on PATH is older than the oldest tested one, and prints a line if it is newer than the newest.
check_bazel() {
  local version remedy="install Bazelisk as bazel, which takes the version in .bazeliskrc"
  command -v bazel >/dev/null || return 0 # Bazelisk alone uses the version in .bazeliskrc
  version="$(bazel_version)"
  [ -n "$version" ] || return 0
  version_at_least "$version" "$LOCKSTEP_BAZEL_MINIMUM" ||
    die "expected Bazel $LOCKSTEP_BAZEL_MINIMUM to $LOCKSTEP_BAZEL_MAXIMUM, found $version ($(command -v bazel)), which is too old: $remedy"
  [[ "$version" =~ ^[0-9]+(\.[0-9]+)? ]] # major and minor
  if ! version_at_least "$LOCKSTEP_BAZEL_MAXIMUM" "${BASH_REMATCH[0]}"; then
    say "warning: Bazel $version ($(command -v bazel)) is newer than $LOCKSTEP_BAZEL_MAXIMUM, the newest that was tried: if a build fails, $remedy"
  fi
}

# Succeeds if .venv has ONNX Runtime, or does not exist.
onnxruntime_is_settled() {
  [ ! -x "$venv/bin/python3" ] || compgen -G "$venv/lib/python3*/site-packages/onnxruntime" >/dev/null
}

# Only one test uses it, and is skipped without it: a failure is reported, but install.sh does not fail.
install_onnxruntime() {
  step "installing $LOCKSTEP_ONNXRUNTIME_PIN and $LOCKSTEP_ONNX_PIN, the tests' oracle of int8 networks, 100 MB" \
    elsewhere "$venv/bin/python3" -m pip install --quiet --disable-pip-version-check "$LOCKSTEP_NUMPY_PIN" "$LOCKSTEP_ONNX_PIN" \
    "$LOCKSTEP_ONNXRUNTIME_PIN" || say "no ONNX Runtime, see $log: //tests/peers:onnx_test will be skipped"
}

report_missing() {
  local need names minimum kind overrides why
  for need in ${missing_needs[@]+"${missing_needs[@]}"}; do
    split_need "$need"
    if [ "$kind" = optional ]; then say "missing, optional: ${names%% *}: $why"; else say "missing: ${names%% *}: $why"; fi
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
  local check_only="" line
  case "$#:${1:-}" in
    0:) ;;
    1:--check) check_only=yes ;;
    1:--help | 1:-h) usage; exit 0 ;;
    *) printf 'install.sh: expected --check, --help or nothing, found: %s\n' "$*" >&2; exit 2 ;;
  esac

  packages=() planned=() unpacked_mb=0 download_mb=0
  find_missing_packages
  find_torch
  if [ "${#missing_needs[@]}" -gt 0 ] || [ -z "$torch_found" ]; then
    if [ -n "$check_only" ]; then
      report_missing
      plan check
      if [ "$missing_required" -gt 0 ] || [ -z "$torch_found" ]; then exit 1; fi
    else
      plan install
      check_free_space
      if [ "${#packages[@]}" -gt 0 ]; then install_packages; fi
      if [ -z "$torch_found" ]; then
        find_torch # python3 may have come with the packages
        [ -n "$torch_found" ] || install_torch
      fi
      find_missing_packages
      find_torch
    fi
  elif onnxruntime_is_settled; then
    say "nothing to install"
  fi
  check_bazel
  if [ -z "$check_only" ] && ! onnxruntime_is_settled; then install_onnxruntime; fi
  if [ "$missing_required" -gt 0 ] || [ -z "$torch_found" ]; then
    report_missing
    for line in ${refused[@]+"${refused[@]}"}; do say "install.sh: $line" >&2; done
    die "something required is still missing, see above; the rest is installed."
  fi
  if [ -n "${log:-}" ] && onnxruntime_is_settled; then rm -f "$log"; fi
  [ -z "$torch_warning" ] || say "warning: $torch_warning"
  say "ready: $((${#LOCKSTEP_PACKAGES[@]} - ${#missing_needs[@]})) of ${#LOCKSTEP_PACKAGES[@]} packages or their overrides; $torch_found; $(cuda_summary)"
}

main "$@"
