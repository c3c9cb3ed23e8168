#!/usr/bin/env bash
# The roofline of each kernel on one device, at 32,000 and at 2,048,000 atoms of the melt in mixed and in double
# precision: bytes, operations and their shares of the measured ceilings, the tables of docs/notes/roofline.md.
#   benches/h200/roofline.sh [DEVICE]
# CLAMPS (the program) and OUT (for the records; default: here) from the environment. Some seconds on a GPU.
set -euo pipefail
device=${1:-gpu}
out=${OUT:-.}
here=$(cd "$(dirname "$0")/../.." && pwd)
for precision in mixed double; do
    for size in ${SIZES:-1:1000 4:300}; do
        record=$out/roofline.$precision.${size%:*}.json
        "${CLAMPS:-clamps}" -in "$here/inputs/in.lj" -var x "${size%:*}" -var y "${size%:*}" -var z "${size%:*}" \
            -var t "${size#*:}" -device "$device" -precision "$precision" -log none -screen none -json "$record"
        "${CLAMPS:-clamps}" compare "$record" --roofline | sed -n '/the device copies/,$p'
    done
done
