#!/usr/bin/env bash
# What timing costs, and what it tells: the melt (inputs/in.lj) with -timing off, sampled and full in turns. Seconds of the loop
# (medians of REPEATS runs), what sampling adds to it, and the shares of Pair, Neigh, Comm and Modify in their sum.
#   benches/h200/timing.sh [DEVICE] [SIZES]
# SIZES are words ATOMS:F:STEPS, where F multiplies in.lj's 20 fcc cells per axis. REPEATS (5), PRECISION (mixed), SCHEDULE (20:no, every and
# check) and CLAMPS (the program) from the environment.
set -euo pipefail
device=${1:-gpu}
sizes=${2:-"4000:0.5:20000 32000:1:10000 256000:2:2000 2048000:4:300"}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clamps=${CLAMPS:-clamps}
schedule=${SCHEDULE:-20:no}

median() { sort -g "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
shares() {
    awk -F'|' '/^(Pair|Neigh|Comm|Modify) +\|/ { gsub(/ /, "", $1); part[$1] = $3; sum += $3 }
        END { printf "%.1f %.1f %.1f %.1f", 100 * part["Pair"] / sum, 100 * part["Neigh"] / sum, 100 * part["Comm"] / sum,
              100 * part["Modify"] / sum }' "$1"
}

echo "| atoms | off, s | sampled, s | adds | full, s | sampled: Pair Neigh Comm Modify % | full |"
echo "|---|---|---|---|---|---|---|"
for size in $sizes; do
    IFS=: read -r atoms f steps <<< "$size"
    rm -f "$work"/*.seconds
    for _ in $(seq "${REPEATS:-5}"); do
        for timing in off sampled full; do
            "$clamps" -in "$here/inputs/in.lj" -var x "$f" -var y "$f" -var z "$f" -var t "$steps" -device "$device" \
                -var every "${schedule%:*}" -var check "${schedule#*:}" \
                -precision "${PRECISION:-mixed}" -log none -timing "$timing" > "$work/$timing.log" 2>&1 ||
                { cat "$work/$timing.log"; exit 1; }
            sed -n 's/^Loop time of \([0-9.e+-]*\) .*/\1/p' "$work/$timing.log" >> "$work/$timing.seconds"
        done
    done
    off=$(median "$work/off.seconds") sampled=$(median "$work/sampled.seconds")
    echo "| $atoms | $off | $sampled | $(awk -v a="$off" -v b="$sampled" 'BEGIN { printf "%.1f %%", 100 * (b / a - 1) }') |" \
        "$(median "$work/full.seconds") | $(shares "$work/sampled.log") | $(shares "$work/full.log") |"
done
