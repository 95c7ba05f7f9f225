#!/usr/bin/env bash
# Makes the pictures of README.md again: the card of a report and two of its plots, from records in benchmarks/results.
#
#   bazel build //tools:report //tools:comm_model && docs/pictures.sh
#
# Needs chromium. The records are of one, two and four H200 (benchmarks/results/README.md).
set -euo pipefail
unset CDPATH # cd would look for folders there, and print them
cd "$(dirname "$0")/.."

tools=bazel-bin/tools
results=benchmarks/results
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

scale="$results/2026-11-21-h200x4-fp32/scale.rec"
sweep="$results/2026-11-21-h200x2-fp32/sweep.rec"
"$tools/comm_model" --input="$scale" --sweep="$sweep" --output="$work/comm_model.rec"
"$tools/report" --input="$sweep,$scale,$work/comm_model.rec" --output="$work/lab.html"

# The upper left part of a page, in CSS pixels.
picture() {
  local page="$1" size="$2" out="$3"
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/browser" \
    --window-size="$size" --screenshot="$work/picture.png" "file://$page" >/dev/null 2>&1
  mv "$work/picture.png" "$out"
  echo "pictures.sh: wrote $out, $(stat -c %s "$out") bytes"
}

# A plot is as large as its viewBox says.
plot_size() {
  sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1,\2/p' "$1" | head -n 1
}

picture "$work/lab.html" 1000,655 docs/card.png
for plot in speedup split; do
  picture "$work/lab.plots/$plot.svg" "$(plot_size "$work/lab.plots/$plot.svg")" "docs/$plot.png"
done
