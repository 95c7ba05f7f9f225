#!/usr/bin/env bash
# Makes the manual pages and the shell completion of the six tools and the doctor from their flags (tools/manual.py).
#
#   tools/manual.sh SHARE     builds the tools, then writes below SHARE
#
# SHARE/man/man1                       pages:      man -l SHARE/man/man1/train_sweep.1
# SHARE/bash-completion/completions    bash:       for file in SHARE/bash-completion/completions/*; do . "$file"; done
# SHARE/zsh/site-functions             zsh:        fpath=(SHARE/zsh/site-functions $fpath); compinit
# SHARE/fish/vendor_completions.d      fish:       for file in SHARE/fish/vendor_completions.d/*; source $file; end
#
# tools/package.sh puts them into the share folder of the portable folder. Works from any folder.
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them

if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
  sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0"
  [ "${1:-}" = --help ] && exit 0 || exit 2
fi
mkdir -p -- "$1"
share="$(cd -- "$1" && pwd)"
cd -- "$(dirname -- "$(readlink -f -- "$0")")/.."

bazel build //tools //tools:doctor //tools:lab >&2
bin="$(bazel info bazel-bin 2>/dev/null)"
# The pages have the date of the commit, so that a commit always gives the same pages.
python3 tools/manual.py --tools="$bin/tools" --output="$share" --date="$(git log -1 --format=%cs 2>/dev/null || true)"
printf 'manual pages and completion: %s\n' "$share" >&2
