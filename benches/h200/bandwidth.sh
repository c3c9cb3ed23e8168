#!/usr/bin/env bash
# `clamps bench bandwidth` on one device: table to standard output, plot and record to OUT (default: here).
#   benches/h200/bandwidth.sh [DEVICE]
# CLAMPS (the program) and OUT from the environment. About 20 s.
set -euo pipefail
out=${OUT:-.}
"${CLAMPS:-clamps}" bench bandwidth --device "${1:-gpu}" --svg "$out/bandwidth.svg" --json "$out/bandwidth.json"
