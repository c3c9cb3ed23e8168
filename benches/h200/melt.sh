#!/usr/bin/env bash
# The melt at several sizes on one device: atoms, precision, schedule, million atom-steps per second.
#   benches/h200/melt.sh DEVICE "4000:10:10:10:5000 ..."   sizes as name:x:y:z:steps in fcc cells
set -u
device=${1:-gpu}
sizes=${2:-"4000:0.5:0.5:0.5:4000 32000:1:1:1:4000 256000:2:2:2:1000 2048000:4:4:4:300"}
here=$(cd "$(dirname "$0")/../.." && pwd)
clamps=${CLAMPS:-clamps}
out=${OUT:-/tmp}
for precision in ${PRECISIONS:-mixed double}; do
    for size in $sizes; do
        IFS=: read -r atoms x y z steps <<< "$size"
        for repeat in 1 2 3; do
            "$clamps" -in "$here/inputs/in.lj" -var x "$x" -var y "$y" -var z "$z" -var t "$steps" \
                -device "$device" -precision "$precision" -log none -json "$out/melt-$precision-$atoms.json" \
                ${EXTRA:-} > "$out/last.log" 2>&1 || { tail -5 "$out/last.log"; break; }
            echo "$precision $atoms $(grep Performance "$out/last.log" | sed 's/.*day, //')" \
                "$(grep -E '^(Pair|Neigh|Comm|Modify|Other)' "$out/last.log" | awk -F'|' '{printf "%s %s; ", $1, $6}')"
        done
    done
done
