#!/usr/bin/env bash
# Runs install.sh in a copy of the checkout, on a simulated machine: dpkg-query, apt-get, apt-cache and python3
# are small scripts that keep the machine's state in files. Needs no network and changes nothing outside of
# the test's temporary folder.
set -euo pipefail

scratch="$(mktemp -d "${TEST_TMPDIR:-/tmp}/install_test.XXXXXX")"
trap 'rm -rf "$scratch"' EXIT
checkout="$scratch/checkout"
bin="$scratch/bin"
export STATE="$scratch/state"
# Packages that versions.sh lists.
needs="$(source third_party/versions.sh && echo "${#LOCKSTEP_PACKAGES[@]}")"

fail() { printf 'FAIL %s: %s\n' "$case" "$*" >&2; cat "$scratch/output" >&2; exit 1; }

# write_program NAME: standard input becomes a program of the simulated machine. Removes an existing file first, so that
# it can never write through a link to a real program.
write_program() {
  rm -f "$bin/$1"
  { echo '#!/bin/bash'; cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

pretend_user_id() { write_program id <<<"echo $1"; }

pretend_packages() {
  write_program dpkg-query <<'END'
if [ "$*" = '-W -f=${Version} bazel-bootstrap' ]; then exec cat "$STATE/bazel_package"; fi
echo dpkg-query >>"$STATE/log"
installed=$'\n'"$(cat "$STATE/installed")"$'\n'
for name in "${@:3}"; do
  if [[ "$installed" == *$'\n'"$name"$'\n'* ]]; then printf 'installed:%s ' "$name"; else status=1; fi
done
exit "${status:-0}"
END
  write_program apt-cache <<'END'
known="$(cat "$STATE/candidate")"
unknown=$'\n'"$(cat "$STATE/unknown")"$'\n'
for name in "${@:2}"; do
  candidate="$known"
  if [[ "$unknown" == *$'\n'"$name"$'\n'* ]]; then candidate="(none)"; fi
  printf '%s:\n  Installed: (none)\n  Candidate: %s\n  Version table:\n' "$name" "$candidate"
done
END
  write_program apt-get <<'END'
echo "apt-get $*" >>"$STATE/log"
[ "$1" = install ] || exit 0
broken=$'\n'"$(cat "$STATE/broken")"$'\n'
for name in "$@"; do
  if [[ "$broken" == *$'\n'"$name"$'\n'* ]]; then echo "E: Unable to correct problems"; exit 100; fi
done
if [ "$2" = --assume-no ]; then
  printf '0 upgraded, 60 newly installed, 0 to remove and 3 not upgraded.\nNeed to get %s of archives.\n' "77.4 MB"
  printf 'After this operation, 321 MB of additional disk space will be used.\nDo you want to continue? [Y/n] N\nAbort.\n'
  exit 1
fi
echo "Unpacking hundreds of lines"
if [ -e "$STATE/apt_fails" ]; then echo "E: no space left"; exit 100; fi
case "$*" in *--download-only*) exit 0 ;; esac
for name in "$@"; do [[ "$name" == -* ]] || echo "$name" >>"$STATE/installed"; done
if grep -qx python3-venv "$STATE/installed"; then touch "$STATE/ensurepip"; fi
END
}

pretend_python() {
  write_program python3 <<'END'
echo "python3 $*" >>"$STATE/log"
pwd >>"$STATE/python_folders"
case "$*" in
  *find_spec*) ;;
  *version_info*) cat "$STATE/python_version" ;;
  *ensurepip*) [ -e "$STATE/ensurepip" ] ;;
  "-m venv "*) mkdir -p "$3/bin" && cat "$0" >"$3/bin/python3" && chmod +x "$3/bin/python3" ;;
  "-m pip install"*)
    packages="${0%/bin/python3}/lib/python3.11/site-packages"
    case "$*" in
      *torch==*) mkdir -p "$packages/torch" && echo "__version__ = '2.11.0+cu130'" >"$packages/torch/version.py" ;;
      *onnxruntime==*) [ ! -e "$STATE/no_onnxruntime" ] && mkdir -p "$packages/onnxruntime" ;;
    esac ;;
esac
END
}

# Makes a machine with nothing installed, on which apt has every package in version 1:20240101-1, and with 20 GB free.
new_machine() {
  local program
  rm -rf "$checkout" "$bin" "$STATE"
  mkdir -p "$checkout/third_party" "$bin" "$STATE"
  cp third_party/install.sh third_party/versions.sh "$checkout/third_party/"
  touch "$STATE/installed" "$STATE/log" "$STATE/ensurepip" "$STATE/unknown" "$STATE/broken"
  echo 20000 >"$STATE/free_mb"
  echo '1:20240101-1' >"$STATE/candidate"
  echo '3.11' >"$STATE/python_version"
  for program in bash cat chmod dirname env grep head mkdir mktemp readlink rm sed sort tail touch; do
    ln -s "$(command -v "$program")" "$bin/$program"
  done
  pretend_user_id 0
  write_program df <<'END'
printf 'Avail Mounted on\n%s /\n' "$(cat "$STATE/free_mb")"
END
  pretend_packages
  pretend_python
}

# run EXPECTED_EXIT_CODE ARGUMENTS...: runs install.sh on the simulated machine, from another folder.
run() {
  local expected="$1" code=0
  shift
  (cd "${folder:-/}" && env -i PATH="$bin" STATE="$STATE" TMPDIR="$scratch" ${LIBTORCH:+LIBTORCH="$LIBTORCH"} "$checkout/third_party/install.sh" "$@") >"$scratch/output" 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || fail "expected exit code $expected, found $code"
}
expect() { grep -qe "$1" "$scratch/output" || fail "expected output with: $1"; }
expect_not() { if grep -qe "$1" "$scratch/output"; then fail "expected no output with: $1"; fi; }
expect_log() { grep -qe "$1" "$STATE/log" || fail "expected a call: $1"; }
expect_no_log() { if grep -qe "$1" "$STATE/log"; then fail "expected no call: $1"; fi; }

case="unknown flag"
new_machine
run 2 --bogus
expect 'found: --bogus'

case="help"
run 0 --help
expect 'third_party/install.sh --check'

case="check lists what is missing and installs nothing"
run 1 --check
expect 'missing: libprotobuf-dev: Protocol Buffers'
expect 'missing: torch'
expect 'missing, optional: gnuplot-nox: gnuplot'
expect 'missing, optional: libwebp-dev: libwebp'
expect '^needs: disk 400 MB for 60 packages (78 MB of it to download); 5.0 GB for torch, .*; root: for the packages, not for torch$'
expect_no_log 'apt-get update'
expect_no_log 'apt-get install .*-y'
expect_no_log 'pip install'

case="installs all that is missing and says why"
run 0
expect 'to install: libabsl-dev 1:20240101-1: Abseil'
expect '^ready: .*torch 2.11.0 in .*/checkout/.venv'
expect_log 'apt-get install .*libgloo-dev'
expect_log 'apt-get install .*libwebp-dev'
expect_log 'pip install .*torch==2.11.0'
expect_log 'pip install .*onnxruntime=='
expect_not 'clang-format'

case="a step is one line with its size and seconds, and the output of apt is not shown"
expect '^downloading 60 packages, 78 MB: [0-9]* s$'
expect '^installing 60 packages, 322 MB: [0-9]* s$'
expect '^installing torch==.*, 5.0 GB: [0-9]* s$'
expect_not 'Unpacking'
if compgen -G "$scratch/lockstep_install.*" >/dev/null; then fail "the log was left behind"; fi

case="a second run installs nothing, with one dpkg-query"
: >"$STATE/log"
run 0
expect 'nothing to install'
expect_no_log 'apt-get'
expect_no_log 'pip install'
[ "$(grep -c dpkg-query "$STATE/log")" -eq 1 ] || fail "more than one dpkg-query"
run 0 --check
expect '^ready: '

case="installs only what is missing"
: >"$STATE/log"
sed -i '/^libpng-dev$/d' "$STATE/installed"
run 0
expect_log 'apt-get install .*recommends libpng-dev$'
expect_no_log 'pip install'

case="without ONNX Runtime all else is ready, and the next run tries again"
rm -r "$checkout"/.venv/lib/python3.11/site-packages/onnxruntime
touch "$STATE/no_onnxruntime"
run 0
expect 'onnx_test will be skipped'
expect '^ready: '
run 0 --check
expect '^ready: '
rm "$STATE/no_onnxruntime"
run 0
expect_not 'onnx_test will be skipped'
run 0
expect 'nothing to install'

case="install_runs_no_python_of_the_working_folder"
new_machine
mkdir -p "$scratch/theirs"
folder="$scratch/theirs" run 0
[ "$(sort -u "$STATE/python_folders")" = / ] || fail "python3 ran in $(sort -u "$STATE/python_folders")"

case="install_with_CDPATH"
new_machine
mkdir -p "$scratch/decoy/third_party"
(cd "$checkout" && env -i PATH="$bin" STATE="$STATE" TMPDIR="$scratch" CDPATH="$scratch/decoy" bash third_party/install.sh) >"$scratch/output" 2>&1 ||
  fail "expected exit code 0"
expect '^ready: .*/checkout/.venv'

case="keeps an existing bazelisk"
new_machine
write_program bazelisk </dev/null
run 0
expect_not 'bazel-bootstrap'

# pretend_bazel TEXT: makes a bazel whose --version prints TEXT.
pretend_bazel() { write_program bazel <<<"echo '$1'"; }

case="a Bazel that is too new is named, and all else is ready"
new_machine
pretend_bazel 'bazel 8.0.0'
run 0
expect '^warning: Bazel 8.0.0 (.*/bin/bazel) is newer than 7.7, the newest that was tried: .* install Bazelisk'
expect '^ready: '

case="a Bazel that is too old is refused by name"
pretend_bazel 'bazel 3.7.2'
run 1 --check
expect 'expected Bazel 4.2 to 7.7, found 3.7.2 (.*/bin/bazel), which is too old: install Bazelisk'
expect_not '^ready: '

case="the version of a Bazel that does not tell it is that of its package"
pretend_bazel 'bazel no_version'
echo '3.5.1+ds-2' >"$STATE/bazel_package"
run 1 --check
expect 'found 3.5.1 '

case="the oldest and the newest Bazel that were tried are named by no line"
echo '4.2.3+ds-9' >"$STATE/bazel_package"
for version in no_version 7.7.1; do
  pretend_bazel "bazel $version"
  run 0 --check
  expect_not 'Bazel'
done

case="LIBTORCH replaces the wheel"
new_machine
LIBTORCH=/opt/libtorch run 0
expect 'LIBTORCH=/opt/libtorch'
expect_no_log 'pip install'

# torch_in FOLDER VERSION: makes an installed torch, with the parts that install.sh reads.
torch_in() { mkdir -p "$1" && echo "__version__ = '$2'" >"$1/version.py"; }
minimum="$(source third_party/versions.sh && echo "$LOCKSTEP_TORCH_MINIMUM")"
maximum="$(source third_party/versions.sh && echo "$LOCKSTEP_TORCH_MAXIMUM")"
pin="$(source third_party/versions.sh && echo "$LOCKSTEP_TORCH_PIN")"

case="a LIBTORCH older than the oldest that was tried is refused"
new_machine
torch_in "$scratch/torch" 1.13.1+cu118
LIBTORCH="$scratch/torch" run 1
expect "LIBTORCH=$scratch/torch: expected LibTorch $minimum to $maximum, found 1.13.1. Set LIBTORCH to another one, or unset it"
expect_no_log 'install'
rm "$scratch/torch/version.py"
echo 1.9.1+cpu >"$scratch/torch/build-version"
LIBTORCH="$scratch/torch" run 1
expect 'found 1.9.1'

case="a LIBTORCH newer than the newest that was tried is taken with a warning"
rm "$scratch/torch/build-version"
torch_in "$scratch/torch" "$maximum.7"
LIBTORCH="$scratch/torch" run 0
expect_not 'warning'
torch_in "$scratch/torch" 99.1.0+cu132
LIBTORCH="$scratch/torch" run 0
expect "^warning: torch 99.1.0 in $scratch/torch is newer than $maximum, the newest that was tried. If the build or a test fails: unset LIBTORCH"
expect '^ready: '
new_machine
torch_in "$checkout/.venv/lib/python3.11/site-packages/torch" "${maximum}9.0+cu140"
run 0
expect "^warning: torch ${maximum}9.0 .*: .*/checkout/.venv/bin/python3 -m pip install $pin$"
expect_no_log 'pip install .*torch=='

case="an older torch in .venv is replaced"
new_machine
torch_in "$checkout/.venv/lib/python3.11/site-packages/torch" 1.13.1
run 1 --check
expect "missing: torch $minimum to $maximum: LibTorch (would install $pin"
run 0
expect '^ready: .*torch 2.11.0 in .*/checkout/.venv'

case="a Python without ensurepip gets python3-venv"
new_machine
rm "$STATE/ensurepip"
run 0
expect 'to install: python3-venv'
expect_log 'apt-get install .*python3-venv'

case="an old Python is refused by name"
new_machine
echo 3.8 >"$STATE/python_version"
run 1
expect 'expected python3 3.10 or newer .*found 3.8'

case="a required package that is too old is named, and the rest is installed"
new_machine
echo '1:3.5.1-1' >"$STATE/candidate"
run 1
expect 'expected bazel-bootstrap 4.2 or newer, but apt has 1:3.5.1-1: put bazel on PATH or put bazelisk on PATH'
expect_log 'apt-get install .*zlib1g-dev'
expect_no_log 'apt-get install .*bazel-bootstrap'

case="a required package that apt does not know is looked for once more, then named, and the rest is installed"
new_machine
echo libabsl-dev >"$STATE/unknown"
run 1
[ "$(grep -c 'apt-get update' "$STATE/log")" -eq 1 ] || fail "expected one apt-get update"
expect 'Abseil, flags and Status: expected a package libabsl-dev, but apt knows none: install it by hand and set LOCKSTEP_ABSEIL_ROOT'
expect '^will be missing: Abseil'
expect '^missing: libabsl-dev'
expect_log 'apt-get install .*libgloo-dev'
expect_log 'pip install .*torch=='
run 1 --check
expect '^missing: libabsl-dev'

case="an optional package that apt does not know is named and left out"
new_machine
printf '%s\n' libdnnl-dev openmpi-bin >"$STATE/unknown"
run 0
expect 'left out, optional: oneDNN .*: expected a package libdnnl-dev, but apt knows none'
expect 'left out, optional: Open MPI'
expect "^ready: $((needs - 2)) of $needs packages"
expect_no_log 'apt-get update'
expect_log 'apt-get install .*gnuplot-nox'
: >"$STATE/log"
run 0
expect "^ready: $((needs - 2)) of $needs"
expect_no_log 'apt-get'
run 0 --check
expect 'missing, optional: libdnnl-dev'

case="a package whose dependencies apt cannot give is named, and the rest is installed"
new_machine
echo libdnnl-dev >"$STATE/broken"
run 0
expect 'left out, optional: oneDNN .*: expected libdnnl-dev 1:20240101-1, but apt cannot install it'
expect "^ready: $((needs - 1)) of $needs"

case="a failure of apt names the log"
new_machine
touch "$STATE/apt_fails"
run 1
expect '^downloading 60 packages, 78 MB: failed after'
expect 'E: no space left'
log="$(sed -n 's/.*apt-get failed; its output is in //p' "$scratch/output")"
grep -q 'E: no space left' "$log" || fail "expected apt's output in $log"

case="too little disk is refused in one line, before anything is installed"
new_machine
echo 5200 >"$STATE/free_mb"
run 1
expect '^install.sh: expected 11.4 GB free in /, found 5.2 GB; nothing was installed'
expect_no_log 'apt-get install -y'
expect_no_log 'pip install'

case="without root and sudo, optional packages are left out"
new_machine
run 0
: >"$STATE/log"
sed -i '/^gnuplot-nox$/d' "$STATE/installed"
pretend_user_id 1000
run 0
expect 'left out, optional: gnuplot-nox: root is needed for: apt-get install gnuplot-nox'
expect "^ready: $((needs - 1)) of $needs"

case="without root and sudo it says what to run"
new_machine
pretend_user_id 1000
run 1
expect 'root is needed for: .*apt-get install'

echo PASS
