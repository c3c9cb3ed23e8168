#!/usr/bin/env bash
# Drift of the total energy per atom from step 100 to 10,000 in the melt of inputs/in.lj at check yes: some seeds
# in double precision, the same in mixed. The potential is cut off without a shift, so the energy drifts in
# double precision too (LAMMPS, 32,000 atoms: from -4.6223 to -4.6201). The drift of the run as published (the first seed)
# in mixed must lie within 3 standard deviations of the seeds in double, and the means within 3 standard errors.
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
awk '$2 == "double" { n++; sum += $5; square += $5 * $5; if (n == 1 || $5 < low) low = $5; if (n == 1 || $5 > high) high = $5 }
     $2 == "mixed" { m++; if (m == 1) published = $5; mixed += $5; mixed_square += $5 * $5 }
     END { mean = sum / n; deviation = sqrt((square / n - mean ^ 2) * n / (n - 1)); error = deviation / sqrt(n)
           mixed /= m; mixed_error = sqrt((mixed_square / m - mixed ^ 2) / (m - 1))
           apart = (mixed - mean) / sqrt(error ^ 2 + mixed_error ^ 2)
           off = (published - mean) / deviation
           inside = off ^ 2 < 9 && apart ^ 2 < 9
           printf "double: mean %+.8f +- %.8f, from %+.8f to %+.8f\n", mean, error, low, high
           printf "mixed:  mean %+.8f +- %.8f, %.1f standard errors apart; as published %+.8f, %.1f deviations off: %s\n",
                  mixed, mixed_error, apart, published, off, inside ? "as in double" : "NOT as in double"
           exit !inside }' "$work/table"
