#!/usr/bin/env bash
# Processor time of each kernel per step of the melt on PoCL, in ms on one core, by samples of `perf`: what can be trusted on
# a machine that others use, where wall times cannot. The programs take turns; of several rounds the medians are printed.
#   benches/cpu_kernels.sh NAME=COMMAND...
# CELLS (the edge, in 20 fcc cells: 1), STEPS (400), ROUNDS (3), PRECISION (mixed) from the environment.
set -euo pipefail
cd "$(dirname "$0")/.."
cells=${CELLS:-1} steps=${STEPS:-400} work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export POCL_AFFINITY=0 POCL_MAX_PTHREAD_COUNT=1 # of newer PoCL: POCL_CPU_MAX_CU_COUNT

for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
    for contestant; do
        # Split into words on purpose: COMMAND is a program with its options.
        # shellcheck disable=SC2086
        perf record -q -e cpu-clock -F 1000 -o "$work/samples" ${contestant#*=} -in inputs/in.lj -var x "$cells" \
            -var y "$cells" -var z "$cells" -var t "$steps" -device portable -precision "${PRECISION:-mixed}" \
            -log none -screen none > "$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
        # Functions that a kernel calls are in the file of the kernel.
        perf report -q -i "$work/samples" --stdio -F sample,dso 2> /dev/null |
            awk -v name="${contestant%%=*}" -v round="$round" -v steps="$steps" \
                '$2 ~ /\.so$/ && $2 !~ /^lib/ { sub(/\.so$/, "", $2); ms = $1 / steps; sum += ms; print name, round, $2, ms }
                 END { print name, round, "all", sum }' >> "$work/rows"
    done
done
printf '| kernel |'; for contestant; do printf ' %s |' "${contestant%%=*}"; done
printf '\n|---|'; for contestant; do printf -- '---|'; done; echo
for kernel in all fused_step pair_force build_list permute_atoms bin_atoms initial_integrate; do
    printf '| %s |' "$kernel"
    for contestant; do
        awk -v n="${contestant%%=*}" -v k="$kernel" '$1 == n && $3 == k { print $4 }' "$work/rows" | sort -g |
            awk '{ x[NR] = $1 } END { printf " %.2f |", NR ? x[int((NR + 1) / 2)] : 0 }'
    done
    echo
done
