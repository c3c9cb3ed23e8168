#!/usr/bin/env bash
# `clamps bench principles` on one device: the table on standard output and in OUT/principles.txt, the record in
# OUT/principles.json. About a minute on an H200, most of it compiling.
#   OUT=FOLDER benches/h200/principles.sh [DEVICE] [OPTIONS...]
# CLAMPS (the program) from the environment.
set -euo pipefail
device=${1:-gpu}
shift || true
out=${OUT:-.}
"${CLAMPS:-clamps}" bench principles --device "$device" --json "$out/principles.json" "$@" | tee "$out/principles.txt"
