#!/usr/bin/env bash
# How the melt, or another script with variables x, y, z and t, scales over ranks, one device each (docs/scaling.md): rows of atoms, ranks, million atom-steps/s, efficiency, shares of the
# loop; and below, for each of several ranks, Neigh, Comm and waiting for other ranks (part of Comm) in percent of its loop. Thermo rows must be the same bytes on any
# number of ranks.
#   benches/scaling.sh weak|strong [CLAMPS]
# From the environment: SCRIPT (inputs/in.lj), RANKS ("1 2 4"), SIZES (sizes below; of weak scaling per rank), WORDS (more words for clamps), STEPS (100),
# REPEATS (1), DEVICE (gpu), LAUNCHER (mpirun, with words).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
kind=${1:?weak or strong}
program=$(realpath "${2:-$here/target/release/clamps}")
script=$(realpath "${SCRIPT:-$here/inputs/in.lj}") ranks=${RANKS:-1 2 4} steps=${STEPS:-100} repeats=${REPEATS:-1} launcher=${LAUNCHER:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CLAMPS_TUNE=off
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# Boxes of inputs/in.lj, of 32,000 atoms, along x, y and z.
boxes() {
    case $1 in
        32k) echo 1 1 1 ;; 256k) echo 2 2 2 ;; 512k) echo 4 2 2 ;; 1m) echo 4 4 2 ;; 2m) echo 4 4 4 ;; 4m) echo 8 4 4 ;; 7m) echo 6 6 6 ;; 8m) echo 8 8 4 ;;
        16m) echo 8 8 8 ;; 64m) echo 16 16 8 ;;
        *) echo "no size $1" >&2; return 1 ;;
    esac
}

printf '%8s %6s %12s %10s %6s %6s %6s %6s %6s\n' size ranks M/s efficiency Pair Neigh Comm Modify Other
for size in ${SIZES:-2m}; do
    read -r x y z <<<"$(boxes "$size")"
    one=
    for n in $ranks; do
        case $n in 1) start=() ;; *) read -ra start <<<"$launcher -np $n" ;; esac
        long=$z
        if [ "$kind" = weak ]; then long=$((z * n)); fi
        : > "$work/speeds"
        for turn in $(seq "$repeats"); do
            log=$work/log.$n.$turn
            # shellcheck disable=SC2086 # words are to be split
            (cd "$work" && "${start[@]}" "$program" -in "$script" -var x "$x" -var y "$y" -var z "$long" -var t "$steps" \
                ${WORDS:-} -device "${DEVICE:-gpu}" -log "$log" -screen none -json "$work/json.$n" < /dev/null)
            awk '/atom-step\/s/ { f = $NF ~ /^G/ ? 1000 : $NF ~ /^k/ ? 0.001 : 1; print $(NF - 1) * f }' "$log" >> "$work/speeds"
            awk '/^ *Step/ { on = 1 } /^Loop/ { on = 0 } on' "$log" > "$work/rows.$n"
        done
        speed=$(sort -n "$work/speeds" | awk '{ s[NR] = $1 } END { print s[int((NR + 1) / 2)] }')
        one=${one:-$(awk -v s="$speed" -v n="$n" 'BEGIN { print s / n }')}
        if [ "$kind" = strong ]; then cmp -s "$work/rows.${ranks%% *}" "$work/rows.$n" || echo "$size: other rows on $n ranks" >&2; fi
        awk -v size="$size" -v n="$n" -v s="$speed" -v one="$one" '
            $1 ~ /^(Pair|Neigh|Comm|Modify|Other)$/ && $2 == "|" { share[$1] = $NF }
            END { printf "%8s %6d %12.0f %10.2f %6s %6s %6s %6s %6s\n", size, n, s, s / n / one, share["Pair"], share["Neigh"], share["Comm"],
                share["Modify"], share["Other"] }' "$log"
        [ "$n" = 1 ] || awk '
            /^ *"ranks": \[$/ { on = 1 }
            on && /"(loop_seconds|Neigh|Comm|waiting_seconds)":/ { gsub(/[",:]/, ""); of[$1] = $2 }
            on && /"neighbors":/ { # the last of a rank
                s = of["loop_seconds"] / 100
                printf "%15s %23s %6s %6.1f %6.1f, waiting %.1f\n", "rank " rank++, "", "", of["Neigh"] / s, of["Comm"] / s, of["waiting_seconds"] / s }
            on && /^ *\],?$/ { on = 0 }' "$work/json.$n"
    done
done
