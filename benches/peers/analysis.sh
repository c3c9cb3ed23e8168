#!/usr/bin/env bash
# What analysis costs beside the melt: milliseconds per evaluation, of several programs in turn. See README.md beside this.
#   analysis.sh [NAME ...]      names of the table below
#   CELLS=20                    unit cells per axis: 4 CELLS^3 atoms
#   STEPS=400 EVERY=10          one evaluation in EVERY steps
#   PROGRAMS="clamps|lmp"       commands, each with its options, between bars
set -euo pipefail

cells=${CELLS:-20} steps=${STEPS:-400} every=${EVERY:-10}
IFS='|' read -ra programs <<< "${PROGRAMS:-$(dirname "$0")/../../target/release/clamps}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
average="fix average all ave/time $every 1 $every"
profile="compute layers all chunk/atom bin/1d z lower 0.05 units reduced"
declare -A lines=(
    [msd]="compute c all msd|$average c_c[4] file out"
    [vacf]="compute c all vacf|$average c_c[4] file out"
    [com]="compute c all com|$average c_c[1] file out"
    [gyration]="compute c all gyration|$average c_c file out"
    [momentum]="fix still all momentum $every linear 1 1 1"
    [rdf]="compute c all rdf 100|$average c_c[*] mode vector file out"
    [profile]="$profile|fix average all ave/chunk $every 1 $every layers density/number vx file out"
    [ke]="compute k all ke/atom|compute c all reduce ave c_k|$average c_c file out"
    [stress]="compute s all stress/atom NULL|compute c all reduce sum c_s[1] c_s[2] c_s[3]|$average c_c[*] file out"
    [formula]="variable e atom 0.5*(vx^2+vy^2+vz^2)|compute c all reduce max v_e|$average c_c file out"
    [histogram]="variable e atom vx|fix average all ave/histo $every 1 $every -5 5 100 v_e mode vector file out"
    [chunks]="$profile|compute c all com/chunk layers|$average c_c[3] mode vector file out"
    [region]="region ball sphere 5 5 5 4|variable n equal count(all,ball)|$average v_n file out"
    [flow]="compute c all temp/profile 1 1 1 z 20|$average c_c file out"
    [rescale]="compute c all temp/profile 1 1 1 z 20|fix cool all temp/rescale $every 0.7 0.7 0.0 0.1|fix_modify cool temp c"
    [push]="variable f atom 0.01*sin(x)|fix push all addforce v_f 0 0 every $every"
    [atoms]="compute s all stress/atom NULL|fix mean all ave/atom $every 10 $((10 * every)) c_s[1] vx"
    [dump]="dump d all custom $every out id type x y z"
    [gzip]="dump d all custom $every out.gz id type x y z"
    [thermo]="thermo $every"
)
names=(msd vacf com gyration momentum rdf profile ke stress formula histogram chunks region flow rescale push atoms dump gzip thermo)
[ $# -eq 0 ] || names=("$@")

script() { # the melt with these lines
    cat << END
units lj
lattice fcc 0.8442
region box block 0 $cells 0 $cells 0 $cells
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo $steps
${1//|/$'\n'}
run $steps
END
}
seconds() { # Split into words on purpose: a program with its options.
    # shellcheck disable=SC2086
    (cd "$work" && timeout 300 $1 -in in -log none 2>&1) | awk '/^Loop time of/ { s = $4 } END { print s ? s : "-" }'
}
median() { sort -g "$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

for k in "${!programs[@]}"; do # as this folder sees them
    [ ! -e "${programs[k]%% *}" ] || programs[k]="$(realpath "${programs[k]%% *}")${programs[k]#"${programs[k]%% *}"}"
done
echo "# $(date -u +%Y-%m-%dT%H:%M:%SZ), $((4 * cells ** 3)) atoms, $steps steps, every $every, medians of ${REPEATS:-3} in turn"
echo "# ${programs[*]}"
for name in none "${names[@]}"; do
    script "${lines[$name]:-}" > "$work/in"
    rm -f "$work"/*.list
    for ((repeat = 1; repeat <= ${REPEATS:-3}; repeat++)); do
        for k in "${!programs[@]}"; do seconds "${programs[k]}" >> "$work/$k.list"; done
    done
    printf '| %s |' "$name"
    for k in "${!programs[@]}"; do
        s=$(median "$work/$k.list")
        [ "$name" != none ] || echo "$s" > "$work/$k.none"
        echo "$s $(cat "$work/$k.none") $steps $every" |
            awk '{ printf " %s | %s |", $1, $1 == "-" ? "-" : sprintf("%.3f", 1000 * ($1 - $2) * $4 / $3) }'
    done
    echo
done
