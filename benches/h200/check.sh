#!/usr/bin/env bash
# The melt (inputs/in.lj) with lists rebuilt every 20 steps without a check, with a check and the script's skin, the same at the steps
# at which LAMMPS would rebuild them, and with a check and the tuner's skin (which is found first): medians of REPEATS runs in turns, in
# million atom-steps per second, and how many times the steps without a check take.
#   benches/h200/check.sh [DEVICE] [SIZES]
# SIZES are words ATOMS:F:STEPS, where F multiplies in.lj's 20 fcc cells per axis. REPEATS (3), PRECISION (mixed), PATIENCE (6: seconds
# of tuning per size) and CLAMPS (the program) from the environment.
set -euo pipefail
device=${1:-gpu}
sizes=${2:-"4000:0.5:10000 32000:1:5000 256000:2:1000 2048000:4:300"}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clamps=${CLAMPS:-clamps}

# run NAME PROGRAM WORDS...: its speed goes to NAME's list, its record and log beside it.
run() {
    local name=$1 program=$2
    shift 2
    "$program" "${melt[@]}" -device "$device" -precision "${PRECISION:-mixed}" -log none -json "$work/$name.json" "$@" \
        > "$work/$name.log" 2>&1 || { cat "$work/$name.log"; exit 1; }
    sed -n 's/^Loop time of \([0-9.e+-]*\) .*/\1/p' "$work/$name.log" |
        awk -v n="$atoms" -v s="$steps" '{ printf "%.1f\n", n * s / $1 / 1e6 }' >> "$work/$name.speeds"
}
median() { sort -n "$work/$1.speeds" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
number() { sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$work/$1.json"; }

checked=(-var every 1 -var check yes)
echo "| atoms | every 20 check no | check yes | times | LAMMPS's steps | times | tuned skin | times | skin | steps per rebuild |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for size in $sizes; do
    IFS=: read -r atoms factor steps <<< "$size"
    melt=(-in "$here/inputs/in.lj" -var x "$factor" -var y "$factor" -var z "$factor" -var t "$steps")
    "$clamps" tune --in "$here/inputs/in.lj" -var x "$factor" -var y "$factor" -var z "$factor" "${checked[@]}" --skin \
        --device "$device" --precision "${PRECISION:-mixed}" --patience "${PATIENCE:-6}" > "$work/tune.log" 2>&1 || {
        cat "$work/tune.log"
        exit 1
    }
    rm -f "$work"/*.speeds
    for _ in $(seq "${REPEATS:-3}"); do
        run no "$clamps" -var every 20 -var check no
        run yes "$clamps" "${checked[@]}"
        run lammps "$clamps" "${checked[@]}" -rebuild lammps
        run tuned "$clamps" "${checked[@]}" -skin auto
    done
    cells=""
    intervals=""
    for name in yes lammps tuned; do
        cells+=" $(median "$name") | $(awk -v a="$(median no)" -v b="$(median "$name")" 'BEGIN { printf "%.2f", a / b }') |"
        intervals+=$(awk -v s="$steps" -v b="$(number "$name" builds)" 'BEGIN { printf " %.1f", s / (b ? b : 1) }')
    done
    echo "| $atoms | $(median no) |$cells $(number tuned skin) |$intervals |"
done
