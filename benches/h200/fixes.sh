#!/usr/bin/env bash
# What fixes cost beside nve: microseconds and kernel launches per step of the melt, every 20 check no.
#   benches/h200/fixes.sh [DEVICE]
# CELLS per axis (20, 32,000 atoms), STEPS, PRECISION (mixed) and CLAMPS (the program) from the environment. Some seconds on a GPU.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
steps=${STEPS:-2000}
cells=${CELLS:-20}
run() {
    cat > "$work/in.fixes" <<SCRIPT
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 $cells 0 $cells 0 $cells
create_box 1 box
create_atoms 1 box
mass 1 1
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1 1 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
$2
run $steps
SCRIPT
    "${CLAMPS:-clamps}" -in "$work/in.fixes" -device "${device}" -precision "${PRECISION:-mixed}" -log none > "$work/log" || { cat "$work/log"; exit 1; }
    awk -v name="$1" '/^Loop time/ { us = 1e6 * $4 / $9 } /^Kernel launches/ { launches = $5 }
        END { printf "%-12s %8.1f us/step %6s launches per step\n", name, us, launches }' "$work/log"
}
device=${1:-gpu}
run nve "fix 1 all nve"
run langevin $'fix 1 all nve\nfix 2 all langevin 1 1 1 5'
run nvt "fix 1 all nvt temp 1.2 1.2 0.5"
run npt "fix 1 all npt temp 1.2 1.2 0.5 iso 0 0 5"
run nph "fix 1 all nph iso 0 0 5"
run rescale $'fix 1 all nve\nfix 2 all temp/rescale 1 1 1 0.01 1'
run tberendsen $'fix 1 all nve\nfix 2 all temp/berendsen 1.2 1.2 0.5'
run pberendsen $'fix 1 all nve\nfix 2 all press/berendsen iso 0 0 5'
