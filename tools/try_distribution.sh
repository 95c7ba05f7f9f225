#!/usr/bin/env bash
# Tries the README's first command on a fresh distribution: bootstraps a bare system into FOLDER/root, clones this
# checkout's HEAD there, installs, builds, runs the lab and some tests. Needs root and debootstrap; changes nothing
# outside of FOLDER.
#
#   tools/try_distribution.sh [FLAGS] RELEASE FOLDER
#
#   RELEASE          bookworm, trixie or sid of Debian; jammy or noble of Ubuntu
#   FOLDER           takes 25 GB; it must not exist, except with --from
#   --mirror=URL     archive of packages, instead of the distribution's own
#   --bazelrc=FILE   becomes user.bazelrc of the clone
#   --from=STEP      continue in the FOLDER of an earlier call, with this HEAD, at prepare, install, build, lab or test
#   --until=STEP     last step: prepare, install, build, lab or test (the default)
#   --tests=TARGETS  tests to run, separated by spaces
#   --help           this text
#
# FOLDER/logs keeps the output of each step, and summary.txt the commit and the time of each step. The name servers,
# proxy variables, pip's settings and local certificates of this machine are copied into FOLDER/root. The steps run in
# separate mount and process namespaces, so that nothing stays mounted or running afterwards.
#
# Exit codes: 0 all steps passed, 1 a step failed or something is missing, 2 wrong usage.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

die() { printf 'try_distribution.sh: %s\n' "$1" >&2; exit "${2:-1}"; }
usage() { sed -n '2,/^set -e/{/^set -e/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; }

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
mirror="" bazelrc="" from="" until=test tests="//third_party/... //lib/base/... //lib/record/..."
arguments=()
for argument in "$@"; do
  case "$argument" in
    --mirror=*) mirror="${argument#*=}" ;;
    --bazelrc=*) bazelrc="${argument#*=}" ;;
    --from=prepare | --from=install | --from=build | --from=lab | --from=test) from="${argument#*=}" ;;
    --until=prepare | --until=install | --until=build | --until=lab | --until=test) until="${argument#*=}" ;;
    --tests=*) tests="${argument#*=}" ;;
    --help | -h) usage; exit 0 ;;
    -*) die "expected --mirror=, --bazelrc=, --from= or --until= with prepare, install, build, lab or test, --tests= or --help, found: $argument" 2 ;;
    *) arguments+=("$argument") ;;
  esac
done
[ "${#arguments[@]}" -eq 2 ] || die "expected RELEASE and FOLDER, found ${#arguments[@]} arguments; see --help" 2
release="${arguments[0]}"
folder="$(realpath -m "${arguments[1]}")"
bootstrap=(debootstrap --variant=minbase)
script=""
case "$release" in
  bookworm | trixie | sid) ;;
  jammy | noble)
    bootstrap+=("--components=main,universe")
    # Every Ubuntu release has the same script; an older debootstrap knows it by older names only.
    script=/usr/share/debootstrap/scripts/gutsy
    ;;
  *) die "expected bookworm, trixie, sid, jammy or noble, found: $release" 2 ;;
esac
if [ -z "$from" ]; then
  [ ! -e "$folder" ] || die "expected a folder that does not exist, found $folder; remove it, name another, or add --from" 2
else
  [ -d "$folder/root/lockstep" ] || die "expected the folder of an earlier call for --from, found no $folder/root/lockstep" 2
fi
[ -z "$bazelrc" ] || [ -f "$bazelrc" ] || die "expected a file for --bazelrc, found none at $bazelrc" 2
[ "$(id -u)" -eq 0 ] || die "expected to be root, which debootstrap and mounts need; run it with sudo"
for program in debootstrap unshare pivot_root git; do
  command -v "$program" >/dev/null || die "expected $program on PATH, found none; apt-get install debootstrap util-linux git"
done

root="$folder/root"
logs="$folder/logs"
summary="$logs/summary.txt"
mkdir -p "$logs"

# note TEXT: prints TEXT, and appends it to the summary.
note() { printf '%s\n' "$1" | tee -a "$summary"; }

note "$release${mirror:+ from $mirror}, commit $(git -C "$repository" rev-parse --short HEAD), $(nproc) cores"
if [ -z "$from" ]; then
  SECONDS=0
  "${bootstrap[@]}" "$release" "$root" "$mirror" ${script:+"$script"} >"$logs/debootstrap.log" 2>&1 ||
    die "debootstrap failed; its output is in $logs/debootstrap.log: $(tail -n 1 "$logs/debootstrap.log")"
  note "debootstrap: $SECONDS s"
  git clone --quiet --no-hardlinks "$repository" "$root/lockstep"
else
  git -C "$root/lockstep" fetch --quiet origin HEAD
  git -C "$root/lockstep" reset --quiet --hard FETCH_HEAD
fi
[ -z "$bazelrc" ] || cp "$bazelrc" "$root/lockstep/user.bazelrc"
cp /etc/resolv.conf "$root/etc/resolv.conf"
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/pip.conf"
mkdir -p "$root/usr/local/share/ca-certificates" "$root/lockstep_logs"
for certificate in /usr/local/share/ca-certificates/*.crt; do
  [ ! -f "$certificate" ] || cp "$certificate" "$root/usr/local/share/ca-certificates/"
done
environment=(HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
environment+=("TESTS=$tests" "FROM=$from" "UNTIL=$until")
for variable in http_proxy https_proxy no_proxy PIP_INDEX_URL PIP_CERT PIP_DEFAULT_TIMEOUT; do
  [ -z "${!variable:-}" ] || environment+=("$variable=${!variable}")
done

# Writes the steps that run inside. The output of each step is a log; the first step that fails ends the script.
cat >"$root/steps.sh" <<'STEPS'
step() {
  local name="$1" code=0
  shift
  if [ "$name" = "$FROM" ]; then FROM=""; fi
  if [ -n "$FROM" ]; then return; fi
  SECONDS=0
  "$@" >"/lockstep_logs/$name.log" 2>&1 || code=$?
  printf '%s: %d min %d s, exit code %d\n' "$name" $((SECONDS / 60)) $((SECONDS % 60)) "$code" | tee -a /lockstep_logs/summary.txt
  if [ "$code" -ne 0 ]; then
    tail -n 20 "/lockstep_logs/$name.log"
    exit 1
  fi
  if [ "$name" = "$UNTIL" ]; then exit 0; fi
}
prepare() {
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends git ca-certificates
}
cd /lockstep
step prepare prepare
step install third_party/install.sh
step build bazel build //:lab --keep_going --noshow_progress --color=no
step lab bazel run //:lab --noshow_progress --color=no
# shellcheck disable=SC2086  # a list of targets
step test bazel test --keep_going --noshow_progress --color=no $TESTS
STEPS

# pivot_root instead of chroot: a process in a chroot may make no user namespace, and Bazel's sandbox is one.
# shellcheck disable=SC2016  # the inner shell expands
unshare --mount --pid --fork --kill-child bash -c '
  set -e
  root="$1" logs="$2"
  shift 2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount --bind "$logs" "$root/lockstep_logs"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  cd "$root"
  pivot_root . mnt
  umount --lazy /mnt
  exec env -i "$@" bash /steps.sh
' enter "$root" "$logs" "${environment[@]}" || die "a step failed; its output is in $logs"
note "passed; the logs are in $logs"
