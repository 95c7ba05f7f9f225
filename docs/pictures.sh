#!/usr/bin/env bash
# Makes the picture of README.md again: the first screen of the example page, docs/example/report.html. Needs chromium.
#
#   docs/pictures.sh
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/browser" \
  --window-size=1200,800 --screenshot="$work/card.png" "file://$PWD/docs/example/report.html" >/dev/null 2>&1
mv "$work/card.png" docs/card.png
echo "pictures.sh: wrote docs/card.png, $(stat -c %s docs/card.png) bytes"
