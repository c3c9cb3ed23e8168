#!/bin/sh
# Wall time of first runs (cold: empty caches) and later ones (warm), in turns:
#   benches/startup.sh [PROGRAM...]        medians of REPEATS (5) pairs of runs of SCRIPT (inputs/in.lj) per program
#   benches/startup.sh -j N [PROGRAM...]   N first runs at once that share one cache, once per program
# It needs a quiet machine. The default program is target/release/clamps.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
script=$(realpath "${SCRIPT:-$root/inputs/in.lj}")
together=0
if [ "${1:-}" = -j ]; then together=$2; shift 2; fi
[ $# -gt 0 ] || set -- "$root/target/release/clamps"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
now() { date +%s.%N; }
once() { # PROGRAM CACHE
    CLAMPS_CACHE_DIR=$2/clamps POCL_CACHE_DIR=$2/pocl "$1" -in "$script" -log none -screen none
}
seconds() { # PROGRAM CACHE
    begin=$(now); once "$1" "$2"; end=$(now)
    echo "$begin $end" | awk '{ printf "%.3f\n", $2 - $1 }'
}
if [ "$together" -gt 0 ]; then
    number=0
    for program; do
        number=$((number + 1)); begin=$(now)
        for _ in $(seq "$together"); do once "$program" "$folder/$number" & done
        wait
        end=$(now)
        echo "$begin $end" | awk -v p="$program" -v n="$together" '{ printf "%s: %d first runs at once take %.2f s\n", p, n, $2 - $1 }'
    done
    exit
fi
for repeat in $(seq "${REPEATS:-5}"); do
    number=0
    for program; do
        number=$((number + 1)); cache=$folder/$number.$repeat
        seconds "$program" "$cache" >> "$folder/cold$number"
        seconds "$program" "$cache" >> "$folder/warm$number"
        rm -rf "$cache"
    done
done
number=0
for program; do
    number=$((number + 1))
    for state in cold warm; do
        sort -n "$folder/$state$number" | awk -v p="$program" -v s="$state" \
            '{ t[NR] = $1 } END { printf "%s %s: %.2f s (%.2f to %.2f)\n", p, s, t[int((NR + 1) / 2)], t[1], t[NR] }'
    done
done
