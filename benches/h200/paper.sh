#!/usr/bin/env bash
# `clamps bench paper` on one device, and `clamps bench amdahl` for the same system: 200 steps on one thread of
# PoCL, where there is PoCL, against 200 steps on the device. Tables to standard output, records to OUT
# (default: here).
#   benches/h200/paper.sh [DEVICE]
# CLAMPS (the program) and OUT from the environment. Some seconds on a GPU, and ten on PoCL.
set -euo pipefail
device=${1:-gpu}
out=${OUT:-.}
here=$(cd "$(dirname "$0")/../.." && pwd)
clamps=${CLAMPS:-clamps}
"$clamps" bench paper --device "$device" --json "$out/paper.json"
"$clamps" devices | grep -q "Portable Computing Language" || { echo "No PoCL: no host-only record."; exit 0; }
record() { "$clamps" -in "$here/inputs/in.lj.262144" -var t 200 -timing full -log none -screen none "$@"; }
POCL_MAX_PTHREAD_COUNT=1 record -device portable -json "$out/host.json"
record -device portable -json "$out/pocl.json"
record -device "$device" -json "$out/device.json"
clamps=$(command -v "$clamps" | xargs realpath)
cd "$out"
"$clamps" bench amdahl host.json pocl.json device.json --json amdahl.json
