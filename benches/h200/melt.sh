#!/usr/bin/env bash
# The melt (inputs/in.lj) at several sizes on one device: the median of REPEATS runs in million
# atom-steps per second, with the least and the most, and the shares of the median run's sections.
#   benches/h200/melt.sh [DEVICE] [SIZES]
# SIZES are words ATOMS:x:y:z:STEPS, where x y z multiply in.lj's 20 fcc cells per axis.
# PRECISIONS, SCHEDULES ("20:no 1:yes": every and check), REPEATS, CLAMPS (the program) and RECORDS (a folder that is there, to
# keep the runs' records in, for `clamps compare`) from the environment.
set -euo pipefail
device=${1:-gpu}
sizes=${2:-"4000:0.5:0.5:0.5:10000 32000:1:1:1:5000 256000:2:2:2:1000 2048000:4:4:4:300 16384000:8:8:8:100"}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "precision every:check atoms  Matom-steps/s (least most)  Pair Neigh Comm Output Modify Other %"
for precision in ${PRECISIONS:-mixed double}; do
    for schedule in ${SCHEDULES:-20:no 1:yes}; do
        for size in $sizes; do
            IFS=: read -r atoms x y z steps <<< "$size"
            for repeat in $(seq "${REPEATS:-3}"); do
                "${CLAMPS:-clamps}" -in "$here/inputs/in.lj" -var x "$x" -var y "$y" -var z "$z" -var t "$steps" \
                    -var every "${schedule%:*}" -var check "${schedule#*:}" -device "$device" \
                    -precision "$precision" -log none \
                    ${RECORDS:+-json "$RECORDS/$precision-${schedule/:/-}-$atoms-$repeat.json"} > "$work/$repeat.log" 2>&1 || { cat "$work/$repeat.log"; exit 1; }
                loop=$(sed -n 's/^Loop time of \([0-9.e+-]*\) .*/\1/p' "$work/$repeat.log")
                awk -v t="$loop" -v n="$atoms" -v s="$steps" -v r="$repeat" \
                    'BEGIN { printf "%.1f %d\n", n * s / t / 1e6, r }'
            done | sort -n > "$work/speeds"
            middle=$(awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }' "$work/speeds")
            shares=$(awk -F'|' '/^(Pair|Neigh|Comm|Output|Modify|Other) +\|/ { printf "%s ", $6 + 0 }' "$work/${middle#* }.log")
            echo "$precision $schedule $atoms  ${middle% *} ($(head -1 "$work/speeds" | cut -d' ' -f1)" \
                "$(tail -1 "$work/speeds" | cut -d' ' -f1))  $shares"
        done
    done
done
