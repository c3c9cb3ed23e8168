#!/usr/bin/env bash
# Drift of the total energy per atom from step 100 to 10,000 in the melt of inputs/in.lj at check yes: five seeds
# in double precision, the same in mixed. The potential is cut off without a shift, so the energy drifts in
# double precision too (LAMMPS, 32,000 atoms: from -4.6223 to -4.6201); the drift in mixed must lie within
# the spread of the seeds.
#   benches/drift.sh [CELLS] [DEVICE]     CELLS per edge (10: 4,000 atoms); SEEDS and CLAMPS (the program) from the environment
set -euo pipefail
cells=${1:-10}
device=${2:-}
here=$(cd "$(dirname "$0")/.." && pwd)
clamps=${CLAMPS:-$here/target/release/clamps}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

size=$(awk "BEGIN { print $cells / 20 }")
echo "seed    precision  E(100)        E(10000)      drift"
for precision in double mixed; do
    for seed in ${SEEDS:-87287 12345 4928459 31415 2718281}; do
        sed -e "s/87287/$seed/" -e 's/^neigh_modify.*/neigh_modify delay 0 every 1 check yes\nthermo 100/' \
            -e 's/^run .*/thermo_modify format float %.10f\n&/' "$here/inputs/in.lj" >"$work/in"
        "$clamps" -in "$work/in" -var x "$size" -var y "$size" -var z "$size" -var t 10000 \
            -precision "$precision" ${device:+-device "$device"} -log none >"$work/log"
        # Columns: Step Temp E_pair E_mol TotEng Press
        awk -v seed="$seed" -v precision="$precision" '
            /^ *100 / { first = $5 } /^ *10000 / { last = $5 }
            END { printf "%-7s %-10s %.8f   %.8f   %+.8f\n", seed, precision, first, last, last - first }
        ' "$work/log" | tee -a "$work/table"
    done
done
awk '$2 == "double" { n++; sum += $5; if (n == 1 || $5 < low) low = $5; if (n == 1 || $5 > high) high = $5 }
     $2 == "mixed" { m++; mixed += $5 }
     END { mixed /= m
           printf "double: mean %+.8f, from %+.8f to %+.8f\n", sum / n, low, high
           inside = mixed >= low && mixed <= high
           printf "mixed:  mean %+.8f, %s that spread\n", mixed, inside ? "within" : "OUTSIDE"
           exit !inside }' "$work/table"
