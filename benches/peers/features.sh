#!/usr/bin/env bash
# A melt of 500 atoms with one feature each: seconds of processor time of 2,000 steps on one core each, CLAMPS in double precision and LAMMPS, the
# lesser of two in turns, and LAMMPS's over CLAMPS's; the least first.
#   LMP=lmp features.sh [NAME ...]
set -euo pipefail
clamps=$(realpath "${CLAMPS:-$(dirname "$0")/../../target/release/clamps}")
lmp=${LMP:-lmp}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# NAME and the lines that come behind `fix 1 all nve`, with ; between them.
features() {
    cat <<'END'
plain
thermo1 thermo 1
thermo10 thermo 10
nvt unfix 1; fix 1 all nvt temp 1 1 0.5
npt unfix 1; fix 1 all npt temp 1 1 0.5 iso 1 1 5
nph unfix 1; fix 1 all nph iso 1 1 5
langevin fix 2 all langevin 1 1 1 1234
rescale fix 2 all temp/rescale 1 1 1 0.1 1
csvr fix 2 all temp/csvr 1 1 0.1 54324
rigid group r id 1 2 3 4; unfix 1; fix 1 r rigid single; group nr subtract all r; fix 2 nr nve
temperature compute t all temp; fix 2 all ave/time 1 100 100 c_t
pressure compute t all pressure thermo_temp; fix 2 all ave/time 1 100 100 c_t
profile compute c all chunk/atom bin/1d z lower 0.5; fix 2 all ave/chunk 1 100 100 c density/number temp
msd compute m all msd; fix 2 all ave/time 1 100 100 c_m[4]
rdf compute r all rdf 50; fix 2 all ave/time 10 10 100 c_r[*] mode vector
correlate variable pxy equal pxy; fix 2 all ave/correlate 1 20 200 v_pxy type auto
histogram variable v atom vx; fix 2 all ave/histo 10 10 100 -5 5 50 v_v mode vector
average fix 2 all ave/atom 1 100 100 vx vy vz
equal variable fx equal 0.1*sin(step*0.01); fix 2 all addforce v_fx 0 0
atoms variable fx atom 0.1*sin(x); fix 2 all addforce v_fx 0 0
spring fix 2 all spring/self 1.0
momentum fix 2 all momentum 1 linear 1 1 1
print fix 2 all print 1 "$(step) $(temp)" file p.txt screen no
dump dump 1 all custom 10 d.txt id type x y z
heat fix 2 all heat 1 0.1
viscosity fix 2 all viscosity 10 x z 10
deform fix 2 all deform 1 x erate 0.001
adapt variable a equal ramp(1,1.1); fix 2 all adapt 1 pair lj/cut epsilon 1 1 v_a
coordination compute p all coord/atom cutoff 1.5; compute s all reduce ave c_p; fix 2 all ave/time 10 10 100 c_s
stress compute p all stress/atom NULL; compute s all reduce sum c_p[1]; fix 2 all ave/time 10 10 100 c_s
END
}

cpu() { awk '/^Loop time/ { t = $4 } /% CPU use/ { print t * $1 / 100 }'; }
features | while read -r name lines; do
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    cat > in <<END
units lj
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 1000
$(tr ';' '\n' <<<"$lines")
run 2000
END
    for turn in 1 2; do
        taskset -c 0 "$clamps" -in in -device cpu -precision double -log none 2> /dev/null | cpu >> "$name.clamps"
        taskset -c 0 "$lmp" -in in -log none 2> /dev/null | cpu >> "$name.lammps"
    done
    echo "$name $(sort -g "$name.clamps" | head -1) $(sort -g "$name.lammps" | head -1)" |
        awk '{ printf "%-14s %.3f %.3f %.2f\n", $1, $2, $3, $2 ? $3 / $2 : 0 }'
done | sort -k4 -g
