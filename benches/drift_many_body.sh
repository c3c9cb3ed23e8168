#!/usr/bin/env bash
# Drift of the total energy per atom in 100,000 steps at constant energy, of 256 atoms of copper (eam/alloy, about 600 K) and 216 of silicon (sw,
# about 1,000 K): CLAMPS in mixed precision against LAMMPS in double, some seeds each. A drift is the slope of a straight line through 101 rows, times
# the steps. Both means must lie within 3 standard errors of one another, or CLAMPS's drift be the smaller one.
#   benches/drift_many_body.sh LMP [DEVICE]     SEEDS, STEPS, PRECISION (mixed) and CLAMPS (the program) from the environment
set -euo pipefail
lmp=$(realpath "${1:?usage: drift_many_body.sh LMP [DEVICE]}")
device=${2:-}
here=$(cd "$(dirname "$0")/.." && pwd)
clamps=$(realpath "${CLAMPS:-$here/target/release/clamps}")
steps=${STEPS:-100000} precision=${PRECISION:-mixed}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cp "$here/inputs/Cu.eam.alloy" "$here/inputs/Si.sw" "$work"
cd "$work"

script() { # LATTICE CELLS STYLE FILE MASS KELVIN SEED DT
    cat <<END
units           metal
lattice         $1
region          box block 0 $2 0 $2 0 $2
create_box      1 box
create_atoms    1 box
pair_style      $3
pair_coeff      * * $4 ${4%%.*}
mass            1 $5
velocity        all create $6 $7 loop geom
neighbor        1.0 bin
neigh_modify    every 1 delay 0 check yes
timestep        $8
fix             1 all nve
thermo_style    custom step etotal
thermo_modify   norm yes format float %.12g
run             $((steps / 50))
thermo          $((steps / 100))
run             $steps
END
}

printf '%-4s %-8s %-7s %14s %14s\n' of program seed 'E, eV/atom' 'drift'
for of in Cu Si; do
    for seed in ${SEEDS:-4711 12345 4928459 31415}; do
        if [ $of = Cu ]; then
            script 'fcc 3.615' 4 eam/alloy Cu.eam.alloy 63.55 1200 "$seed" 0.002
        else
            script 'diamond 5.431' 3 sw Si.sw 28.0855 2000 "$seed" 0.001
        fi >in
        for program in CLAMPS LAMMPS; do
            if [ $program = CLAMPS ]; then
                "$clamps" -in in -precision "$precision" ${device:+-device "$device"} -log none >log
            else
                "$lmp" -in in -log none >log
            fi
            awk -v of=$of -v program=$program -v seed="$seed" -v steps="$steps" '
                /^ *Step / { n = x = y = xx = xy = 0; rows = 1; next }
                /^Loop/ { rows = 0 }
                rows { n++; x += $1; y += $2; xx += $1 * $1; if (n == 1) first = $2; xy += $1 * ($2 - first) }
                END { slope = (xy - x * (y - n * first) / n) / (xx - x * x / n)
                      printf "%-4s %-8s %-7s %14.8f %+14.3e\n", of, program, seed, first, slope * steps }' log | tee -a table
        done
    done
done
awk '{ k = $1 " " $2; n[k]++; sum[k] += $5; square[k] += $5 * $5 }
     END { bad = 0
           for (i = 1; i <= 2; i++) {
               of = i == 1 ? "Cu" : "Si"
               for (j = 1; j <= 2; j++) {
                   k = of " " (j == 1 ? "CLAMPS" : "LAMMPS"); mean[j] = sum[k] / n[k]
                   error[j] = n[k] > 1 ? sqrt((square[k] / n[k] - mean[j] ^ 2) / (n[k] - 1)) : 0
                   printf "%s: %+.3e +- %.1e eV/atom\n", k, mean[j], error[j] }
               apart = (mean[1] - mean[2]) ^ 2 / (error[1] ^ 2 + error[2] ^ 2 + 1e-30)
               inside = apart < 9 || mean[1] ^ 2 < mean[2] ^ 2
               printf "%s: %s\n", of, inside ? "no more than in double" : "MORE than in double"
               bad += !inside }
           exit bad > 0 }' table
