#!/usr/bin/env bash
# Writes what LAMMPS says to every script here into expected/: the part of its log that tests/lammps.rs compares,
# and its other files. The numbers in the repository come from LAMMPS 22 Jul 2025, built with double precision.
#   tests/lammps/generate.sh LMP [NAME...]
set -euo pipefail
lmp=${1:?usage: generate.sh LMP [NAME...]}
shift
here=$(cd "$(dirname "$0")" && pwd)
# Without names all but grains, whose templates come from OVITO (by_ovito.py).
[ $# -gt 0 ] || set -- $(cd "$here" && basename -s .in -- *.in | grep -vx grains)
for name in "$@"; do
    script=$here/$name.in
    rm -rf "${here:?}/expected/$name"
    work=$(mktemp -d)
    cp "$here"/*.part "$script" "$work"
    (cd "$work" && "$lmp" -in "$name.in" -log log.lammps -screen none >screen 2>&1) || echo "$name ends with an error"
    mkdir -p "$here/expected/$name"
    # Rows from the header on, counts, lines that scripts print; no warnings in between.
    sed 's/ CPU = .* (sec).*//' "$work/log.lammps" | awk '/^(Loop time|ERROR)/ { rows = 0 }
         /^WARNING/ { next }
         rows || /^(step |Created [0-9]+ atoms|[0-9]+ atoms in group|Total # of neighbors|Neighbor list builds)/ ||
             /^(Dangerous builds|ERROR)/
         /^Per MPI rank memory/ { rows = 1 }' >"$here/expected/$name/log"
    for file in "$work"/*; do
        case $file in
            *.part | *.in | */log.lammps | */screen) ;;
            *) cp "$file" "$here/expected/$name" ;;
        esac
    done
    rm -r "$work"
done
