#!/usr/bin/env bash
# How far CLAMPS's thermo rows are from LAMMPS's on the LJ melt: 32,000 atoms, a row every 10 of 100 steps.
#   agree.sh              LMP=lmp CLAMPS=target/release/clamps
# Prints, per precision and rebuild schedule, the largest relative difference of each column.
set -euo pipefail
cd "$(dirname "$0")/../.."

lmp=${LMP:-lmp}
clamps=${CLAMPS:-target/release/clamps}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rows() { awk '/^ *Step /{ on = 1; next } /^Loop time/{ on = 0 } on' "$1"; }

sed -e '/^run/i thermo 10\nthermo_style custom step temp epair etotal press' \
    -e '/^run/i thermo_modify format float %.15g' inputs/in.lj >"$work/in"
printf '%-8s %-22s %-10s %-10s %-10s %-10s\n' precision schedule Temp E_pair TotEng Press
for schedule in "20 no" "1 yes"; do
    read -r every check <<<"$schedule"
    variables="-var every $every -var check $check"
    # Words on purpose.
    # shellcheck disable=SC2086
    "$lmp" -in "$work/in" $variables -log "$work/lammps" -screen none >/dev/null
    for precision in double mixed single; do
        # shellcheck disable=SC2086
        "$clamps" -in "$work/in" $variables -precision "$precision" -log "$work/clamps" -screen none ${OPTIONS:-}
        paste <(rows "$work/clamps") <(rows "$work/lammps") |
            awk -v p="$precision" -v s="every $every check $check" '
            $1 != $6 { exit 1 }
            { for (k = 2; k <= 5; k++) { d = ($k - $(k + 5)) / $(k + 5); if (d < 0) d = -d; if (d > most[k]) most[k] = d } }
            END {
                if (NR != 11) { print "expected 11 rows" > "/dev/stderr"; exit 1 }
                printf "%-8s %-22s %-10.1e %-10.1e %-10.1e %-10.1e\n", p, s, most[2], most[3], most[4], most[5]
            }'
    done
done
