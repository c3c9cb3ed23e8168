#!/usr/bin/env bash
# The LJ melt (inputs/in.lj, or SCRIPT) with several programs in turn: medians and ratios. See README.md beside this.
#   run.sh [NAME=COMMAND ...]
set -euo pipefail
cd "$(dirname "$0")/../.."

repeats=${REPEATS:-5}
sizes=${SIZES:-"4000:0.5:4000 32000:1:1000 256000:2:100"} # atoms:cells per edge / 20:steps
lmp=${LMP:-lmp}
threads=${THREADS:-$(nproc)}
clamps=${CLAMPS:-target/release/clamps}
script=${SCRIPT:-inputs/in.lj}

if [ $# -eq 0 ]; then
    set -- "clamps-mixed=$clamps -precision mixed" "clamps-double=$clamps -precision double" \
        "lammps=$lmp" "lammps-omp=env OMP_NUM_THREADS=$threads $lmp -sf omp -pk omp $threads"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every contestant takes LAMMPS's options and writes LAMMPS's closing lines; the rate is the loop's.
measure() {
    local command=$1 cells=$2 steps=$3
    # Split into words on purpose: COMMAND is a program with its options.
    # shellcheck disable=SC2086
    $command -in "$script" -var x "$cells" -var y "$cells" -var z "$cells" -var t "$steps" \
        -log "$work/log" -screen none >"$work/out" 2>&1 || { cat "$work/out" >&2; return 1; }
    awk '/^Loop time of/ { rate = $9 * $12 / $4 * 1e-6 } END { if (!rate) exit 1; printf "%.3f\n", rate }' "$work/log"
}

echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ), $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)," \
    "load $(cut -d' ' -f1-3 /proc/loadavg), $repeats repeats in turn"
for contestant; do echo "# ${contestant%%=*}: ${contestant#*=}"; done
for size in $sizes; do
    IFS=: read -r atoms cells steps <<<"$size"
    for ((repeat = 1; repeat <= repeats; repeat++)); do
        for contestant; do
            rate=$(measure "${contestant#*=}" "$cells" "$steps")
            echo "${contestant%%=*} $atoms $rate" | tee -a "$work/rates" >&2
        done
    done
done

echo
echo "Million atom-steps per second: median (least to most), and the first contestant's median over this one's"
echo
printf '| atoms | program | median | range | ratio |\n|---|---|---|---|---|\n'
for size in $sizes; do
    atoms=${size%%:*}
    first=
    for contestant; do
        name=${contestant%%=*}
        sorted=$(awk -v n="$name" -v a="$atoms" '$1 == n && $2 == a { print $3 }' "$work/rates" | sort -g)
        median=$(awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }' <<<"$sorted")
        first=${first:-$median}
        range="$(head -1 <<<"$sorted") to $(tail -1 <<<"$sorted")"
        awk -v a="$atoms" -v n="$name" -v m="$median" -v r="$range" -v f="$first" \
            'BEGIN { printf "| %s | %s | %.2f | %s | %.2f |\n", a, n, m, r, f / m }'
    done
done
