#!/usr/bin/env bash
# Kinds of interactions and systems beside the melt (benches/peers/in.kinds, inputs/in.lj.types): million atom-steps per second, medians of
# REPEATS (3) runs of each contestant in turns, and the speed per list entry as a share of the melt's by the same contestant.
#   kinds.sh [NAME=COMMAND ...]      default: clamps=target/release/clamps
# From the environment: CASES (names below), SIZES ("1:100 2:50", times as long along each axis as 32,000 atoms : steps), REPEATS.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "clamps=$here/target/release/clamps -log none"
cases=${CASES:-lj cutoff3.5 cutoff5 cutoff7 types12 table charges hybrid five dpd mixture langevin coulcut}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

words() {
    case $1 in
        cutoff*) echo "-in $here/benches/peers/in.kinds -var cutoff ${1#cutoff}" ;;
        types*) echo "-in $here/inputs/in.lj.types -var n ${1#types}" ;;
        *) echo "-in $here/benches/peers/in.kinds -var kind $1" ;;
    esac
}

echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ), $(nproc) cores, ${REPEATS:-3} repeats in turns"
for size in ${SIZES:-1:100 2:50}; do
    IFS=: read -r x steps <<<"$size"
    for name in $cases; do
        # The first turn compiles kernels and does not count.
        for ((turn = 0; turn <= ${REPEATS:-3}; turn++)); do
            for contestant; do
                rm -f lj.table
                # shellcheck disable=SC2046,SC2086 # words are to be split
                ${contestant#*=} $(words "$name") -var x "$x" -var y "$x" -var z "$x" -var t "$steps" >out 2>&1 </dev/null || { tail -3 out >&2; echo "$name: ${contestant%%=*} failed" >&2; continue; }
                [ "$turn" = 0 ] || awk -v k="${contestant%%=*} $x $name" '/^Loop time/ { rate = $9 * $12 / $4 * 1e-6 }
                    /^Ave neighs\/atom/ { entries = $4 } END { print k, rate, entries }' out >>rates
            done
        done
        for contestant; do
            awk -v k="${contestant%%=*}" -v x="$x" -v n="$name" '$1 == k && $2 == x && $3 == n { print $4, $5 }' rates | sort -g |
                awk -v k="${contestant%%=*}" -v x="$x" -v n="$name" '{ r[NR] = $1; e = $2 } END { m = r[int((NR + 1) / 2)];
                    printf "%s %d %s %.2f %.2f %.2f %.2f\n", k, 32000 * x^3, n, m, r[1], r[NR], e }' >>medians
        done
    done
done
printf '%-10s %9s %-10s %9s %19s %8s %6s\n' program atoms case rate range entries share
awk '$3 == "lj" { melt[$1, $2] = $4 * $7 }
    { printf "%-10s %9d %-10s %9.2f %9.2f-%9.2f %8.1f %6.2f\n", $1, $2, $3, $4, $5, $6, $7, melt[$1, $2] ? $4 * $7 / melt[$1, $2] : 0 }' medians
