#!/usr/bin/env bash
# The host's memory per atom beside the device's: how much the largest resident set of a process grows from one size of the melt to four times as
# many atoms, less what buffers on the device grow by (on CPUs these are memory of the same process).
#   memory.sh [CASE ...]      default: all of them; plain, velocity, sorted (a dump), data, restart
# From the environment: CLAMPS (target/release/clamps), OPTIONS (more words for it, as -device cpu), ATOMS (1,000,000: the smaller system),
# RANKS (1; of several the figures are those of each, for every atom of all: the mean of what hosts take, and rank 0's buffers), LAUNCHER (mpirun, with words).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
clamps=$(realpath "${CLAMPS:-$here/target/release/clamps}")
[ $# -gt 0 ] || set -- plain velocity sorted data restart
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks=${RANKS:-1} start=()
[ "$ranks" -eq 1 ] || read -ra start <<<"${LAUNCHER:-mpirun} -np $ranks"
cd "$work"
edge=$(awk -v n="${ATOMS:-1000000}" 'BEGIN { print int((n / 4)^(1 / 3) + 0.5) }')

commands() {
    case $1 in
        plain) ;;
        velocity) echo "velocity all create 1.0 4928 loop all" ;;
        sorted) echo "dump 1 all custom 1 dump id type x y z vx vy vz"; echo "dump_modify 1 sort id" ;;
        data) echo "write_data data" ;;
        restart) echo "write_restart restart" ;;
        *) echo "memory.sh: there is no case $1" >&2; exit 1 ;;
    esac
}

for name; do
    { sed -e "/^variable  *xx /d" -e "s/^region .*/region box block 0 \${xx} 0 $edge 0 $edge/" "$here/inputs/in.lj"; commands "$name"; echo "run 2"; } >in
    for times in 1 4; do
        rm -f resident
        # shellcheck disable=SC2086 # words are to be split
        "${start[@]}" /usr/bin/time -f %M -a -o resident "$clamps" ${OPTIONS:-} -in in -log none -screen none -json json \
            -var xx $((times * edge)) -var t 2
        grep -o '"memory_bytes": *[0-9]*' json | awk -v k=$((4 * times * edge ** 3)) -v host="$(awk '{ sum += $1 } END { print sum / NR }' resident)" '
            { if ($2 > device) device = $2 } END { print k, 1024 * host, device }'
    done | awk -v name="$name" '{ n[NR] = $1; all[NR] = $2; device[NR] = $3 } END {
        atoms = n[2] - n[1]; buffers = device[2] - device[1]
        printf "%s: %.0f bytes per atom on the host, %.0f on the device\n", name, (all[2] - all[1] - buffers) / atoms, buffers / atoms }'
    rm -f dump data restart
done
