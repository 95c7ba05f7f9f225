#!/bin/bash
# The build stage of the container images: installs what the build needs, and makes the portable folder.
#
#   containers/build_stage.sh CHECKOUT OUT
#
# Must run as root on Debian or Ubuntu. The checkout may belong to another user, whose git settings are unknown here.
set -euo pipefail
checkout="$1" out="$2"

apt-get update
apt-get install -y --no-install-recommends ca-certificates git python3 python3-venv
git config --system --add safe.directory "$checkout"
"$checkout/third_party/install.sh"
"$checkout/tools/package.sh" "$out"
