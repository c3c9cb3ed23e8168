#!/usr/bin/env bash
# Scripts that LAMMPS ships with several programs in turn: seconds of their loops, medians and ratios. See README.md beside this.
#   examples.sh BENCH EXAMPLES [SCRIPT ...]
set -euo pipefail

bench=$1 examples=$2
shift 2
if [ $# -eq 0 ]; then
    set -- melt/in.melt crack/in.crack obstacle/in.obstacle flow/in.flow.couette friction/in.friction indent/in.indent min/in.min \
        nemd/in.nemd micelle/in.micelle rerun/in.first wall/in.wall.diffusive hugoniostat/in.hugoniostat KAPPA/in.mp \
        VISCOSITY/in.nemd.2d in.chain in.lj
fi
lmp=${LMP:-lmp}
threads=${THREADS:-$(nproc)}
clamps=$(realpath "${CLAMPS:-$(dirname "$0")/../../target/release/clamps}")
names=(clamps-mixed clamps-double lammps lammps-omp)
commands=("$clamps --allow-shell -precision mixed" "$clamps --allow-shell -precision double" "$lmp"
    "env OMP_NUM_THREADS=$threads $lmp -sf omp -pk omp $threads")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# In a copy of the script's folder, as scripts write files; - where it fails or takes too long.
seconds() {
    rm -rf "$work/run"
    cp -rL "$(dirname "$2")" "$work/run" 2> "$work/lost" || true # some link to files that are not there
    # Split into words on purpose: a program with its options.
    # shellcheck disable=SC2086
    (cd "$work/run" && timeout "${SECONDS_MOST:-100}" $1 -in "$(basename "$2")" -log none > "$work/out" 2>&1) || { echo -; return; }
    awk '/^Loop time of/ { sum += $4; atoms = $12 } END { printf "%.3f\n", sum; print atoms + 0 > "'"$work/atoms"'" }' "$work/out"
}
median() { sort -g "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ), $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)," \
    "load $(cut -d' ' -f1-3 /proc/loadavg), medians of ${REPEATS:-3} in turn"
echo "| script | atoms | ${names[0]} | ${names[1]} | ${names[2]} | ${names[3]} | ${names[2]} / ${names[0]} | ${names[3]} / ${names[0]} |"
echo "|---|---|---|---|---|---|---|---|"
for script; do
    path=$examples/$script
    [ -e "$path" ] || path=$bench/$script
    rm -f "$work"/*.list
    for ((repeat = 1; repeat <= ${REPEATS:-3}; repeat++)); do
        for k in "${!names[@]}"; do seconds "${commands[k]}" "$path" >> "$work/${names[k]}.list"; done
    done
    for name in "${names[@]}"; do median "$work/$name.list"; done | paste -s | awk -v s="$script" -v n="$(cat "$work/atoms")" '
        function ratio(a) { return a + 0 && $1 + 0 ? sprintf("%.2f", a / $1) : "-" }
        { printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", s, n, $1, $2, $3, $4, ratio($3), ratio($4) }'
done
