#!/usr/bin/env bash
# Spheres of ten sizes (benches/peers/in.lj.polydisperse): seconds of the run behind the minimization, which the first contestant makes, so that
# all go on from one data file. Medians and ranges of REPEATS (3) runs of each contestant in turns; the first turn does not count.
#   polydisperse.sh NAME=COMMAND [NAME=COMMAND ...]     for example "now=clamps -device cpu -log none" "multi=lmp -sf omp -log none -var style multi"
# From the environment: CASES ("3:2.5 3:1.122462 0:2.5", p : cutoff), SPHERES (20000), STEPS (100), REPEATS.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 1; }
script=$(cd "$(dirname "$0")" && pwd)/peers/in.lj.polydisperse
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
{ sed '/^velocity/,$d' "$script"; echo "write_data spheres.data"; } >in.make
{
    grep -E '^variable +(k|d|rc|t|style) index|^variable +size ' "$script"
    printf 'units lj\natom_style atomic\npair_style lj/cut 1.0\nread_data spheres.data\n'
    # shellcheck disable=SC2016 # the variable is the script's
    printf 'neighbor 0.3 ${style}\nneigh_modify every 1 delay 0 check yes\n'
    sed -n '/^velocity/,$p' "$script"
} >in.go
for case in ${CASES:-3:2.5 3:1.122462 0:2.5}; do
    IFS=: read -r p cutoff <<<"$case"
    # shellcheck disable=SC2086 # words are to be split
    ${1#*=} -in in.make -var n "${SPHERES:-20000}" -var p "$p" >out 2>&1 || { tail -5 out >&2; exit 1; }
    : >seconds
    for ((turn = 0; turn <= ${REPEATS:-3}; turn++)); do
        for contestant; do
            # shellcheck disable=SC2086
            ${contestant#*=} -in in.go -var rc "$cutoff" -var t "${STEPS:-100}" >out 2>&1 || { tail -5 out >&2; exit 1; }
            [ "$turn" = 0 ] || awk -v k="${contestant%%=*}" '/^Loop time/ { print k, $4 }' out >>seconds
        done
    done
    for contestant; do
        awk -v k="${contestant%%=*}" '$1 == k { print $2 }' seconds | sort -g |
            awk -v k="${contestant%%=*}" -v c="p = $p, cutoff $cutoff" '{ s[NR] = $1 } END { print c ", " k ":", s[int((NR + 1) / 2)], "(" s[1] " to " s[NR] ")" }'
    done
done
