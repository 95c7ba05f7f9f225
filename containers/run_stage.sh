#!/bin/bash
# The run stage of the container images: installs what the portable folder needs at run time.
#
#   containers/run_stage.sh VENV      VENV: where to make the virtual environment that has torch
#
# Reads third_party/versions.sh, which reads third_party/libtorch/versions.bzl. Must run as root on Debian or Ubuntu.
set -euo pipefail
venv="$1"
# shellcheck source=third_party/versions.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../third_party/versions.sh"

apt-get update
apt-get install -y --no-install-recommends ca-certificates gnuplot-nox python3 python3-venv
rm -rf /var/lib/apt/lists/*
python3 -m venv "$venv"
"$venv/bin/python3" -m pip install --no-cache-dir "$LOCKSTEP_TORCH_PIN" "$LOCKSTEP_NUMPY_PIN"
