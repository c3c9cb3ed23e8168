#!/usr/bin/env bash
# How fast one run is on several ranks (docs/mpi.md): million atom-steps/s, share of Comm, medians of REPEATS runs in turns.
#   benches/ranks.sh [CLAMPS]
# From the environment: RANKS ("1 2"), DEVICE (as for -device), CASES (names below), REPEATS (3), STEPS (100), LAUNCHER (mpirun, with words).
# Rows of thermo output must be the same on any number of ranks.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${1:-$here/target/release/clamps}")
ranks=${RANKS:-1 2} repeats=${REPEATS:-3} steps=${STEPS:-100} launcher=${LAUNCHER:-mpirun}
cases=${CASES:-melt-256k melt-2m check-256k}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CLAMPS_TUNE=off
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

words() {
    case $1 in
        melt-32k) echo "-in $here/inputs/in.lj" ;;
        melt-256k) echo "-in $here/inputs/in.lj -var x 2 -var y 2 -var z 2" ;;
        melt-2m) echo "-in $here/inputs/in.lj -var x 4 -var y 4 -var z 4" ;;
        melt-4m) echo "-in $here/inputs/in.lj -var x 8 -var y 4 -var z 4" ;;
        check-256k) echo "-in $here/inputs/in.lj -var x 2 -var y 2 -var z 2 -var every 1 -var check yes" ;;
        *) echo "no case $1" >&2; return 1 ;;
    esac
}

for name in $cases; do
    for turn in $(seq "$repeats"); do
        for n in $ranks; do
            case $n in 1) start=() ;; *) read -ra start <<<"$launcher -np $n" ;; esac
            # shellcheck disable=SC2046 # words are to be split
            (cd "$work" && "${start[@]}" "$program" $(words "$name") -var t "$steps" ${DEVICE:+-device "$DEVICE"} -log "log.$name.$n.$turn" \
                -screen none < /dev/null)
            log=$work/log.$name.$n.$turn
            speed=$(sed -n 's/.*timesteps\/s, \([0-9.]*\) \([GMk]*\)atom-step\/s/\1 \2/p' "$log" | tail -1)
            comm=$(awk '$1 == "Comm" { print $NF }' "$log" | tail -1)
            awk -v s="$speed" -v c="$comm" 'BEGIN { split(s, p, " "); f = p[2] == "G" ? 1000 : p[2] == "k" ? 0.001 : 1; print p[1] * f, c }' \
                >> "$work/$name.$n"
            awk '/^ *Step/ { on = 1 } /^Loop/ { on = 0 } on' "$log" > "$work/rows.$name.$n"
            cmp -s "$work/rows.$name.${ranks%% *}" "$work/rows.$name.$n" || echo "$name: other rows on $n ranks" >&2
        done
    done
    for n in $ranks; do
        sort -n "$work/$name.$n" | awk -v what="$name, $n ranks" '{ line[NR] = $0 } END { split(line[int((NR + 1) / 2)], p, " ");
            printf "%-24s %10.2f million atom-steps/s, Comm %5.1f %%\n", what, p[1], p[2] }'
    done
done
