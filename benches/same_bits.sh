#!/usr/bin/env bash
# Whether two programs give the same bits: runs inputs with each, hashes positions and velocities at the end (17 digits) and
# the thermo output.
#   benches/same_bits.sh hash [CLAMPS]        a line per run: hash and name
#   benches/same_bits.sh compare OLD [NEW]    exit status 1 where a run differs
# Programs: target/release/clamps unless named. DEVICE (as for -device), ONLY (a pattern of names) from the environment.
# 29 runs, about two minutes on two cores where kernels are compiled already.
set -euo pipefail
usage() { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit "$1"; }
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || usage 1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

# NAME, input (of inputs/ or tests/lammps/), and more words for the program.
runs() {
    cat <<'LIST'
melt lj -var t 200
melt-single lj -var t 200 -precision single
melt-double lj -var t 200 -precision double
melt-small lj -var t 200 -var x 0.4 -var y 0.4 -var z 0.4
melt-plain lj -var t 100 -kernels plain
melt-types lj.types -var t 50
melt-2d lj.2d -var t 50
mixture lj.mixture -var t 50
melt-check melt.in
thermostats thermostats.in
nose-hoover nose_hoover.in
barostats barostats.in
transport transport.in
chain bonded.in
charges charges.in
friction friction.in
triclinic tilted.in
deform deformed.in
flat flat.in
walls walls.in
minimize relaxed.in
rigid rigid.in
deposit deposited.in
hybrid pairs_hybrid.in
shock shocked.in
averages averages.in
computes computes.in
adapted adapted.in
forces forces.in
LIST
}

# PROGRAM NAME INPUT WORDS...: the hash of a run.
one() {
    local program=$1 name=$2 input=$3 folder
    shift 3
    folder=$work/$name
    rm -rf "$folder"
    mkdir "$folder"
    cp -r "$here"/tests/lammps/* "$folder"
    case $input in
    *.in) ;;
    *) cp "$here/inputs/in.$input" "$folder/$input" ;;
    esac
    [ -e "$folder/$input" ] || { echo "same_bits.sh: no input $input" >&2; return 1; }
    printf '\nwrite_dump all custom end.dump id type x y z vx vy vz modify sort id format float %%.17g\n' >>"$folder/$input"
    (cd "$folder" && "$program" -in "$input" ${DEVICE:+-device "$DEVICE"} -log log -screen none "$@" >out 2>&1) || {
        cat "$folder/out" >&2
        echo failed
        return
    }
    { cat "$folder/end.dump"; grep -E '^ +[0-9]+ ' "$folder/log" | grep -v '%'; } | sha256sum | cut -c1-16
}

all() {
    runs | while read -r name input words; do
        case $name in ${ONLY:-*}) ;; *) continue ;; esac
        # shellcheck disable=SC2086
        echo "$(one "$1" "$name" "$input" $words) $name"
    done
}

case $1 in
hash) all "$(realpath "${2:-${CARGO_TARGET_DIR:-$here/target}/release/clamps}")" ;;
compare)
    [ $# -gt 1 ] || usage 1
    all "$(realpath "$2")" >"$work.old"
    all "$(realpath "${3:-${CARGO_TARGET_DIR:-$here/target}/release/clamps}")" >"$work.new"
    if diff "$work.old" "$work.new"; then echo "the same bits: $(wc -l <"$work.new") runs"; else exit 1; fi
    ;;
*) usage 1 ;;
esac
