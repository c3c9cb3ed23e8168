#!/usr/bin/env bash
# `clamps bench force` at its full size on one device: tables on standard output, the record in OUT/force.json.
#   OUT=FOLDER benches/h200/force.sh [DEVICE] [OPTIONS...]
# CLAMPS (the program) from the environment.
set -euo pipefail
device=${1:-gpu}
shift || true
out=${OUT:-.}
"${CLAMPS:-clamps}" bench force --device "$device" --json "$out/force.json" --svg "$out/force.svg" --seconds 0.5 "$@" \
    | tee "$out/force.txt"
