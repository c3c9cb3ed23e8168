#!/usr/bin/env bash
# Every command behind the figures for CPUs in docs/, one page after the other, on the OpenCL devices named: to be run
# on a machine that does nothing else. Tables to standard output, records and plots to OUT (default: here).
#   benches/studies.sh DEVICE...        for example: benches/studies.sh portable intel
# CLAMPS (the program), ONLY (pages, such as "bandwidth kdv") and LMP (LAMMPS, for peers) from the environment. Some
# 20 minutes a device on two cores. The scripts in benches/h200/ are for GPUs.
set -euo pipefail
[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/../inputs
export CLAMPS=${CLAMPS:-clamps}
out=$(realpath "${OUT:-.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

page() { # NAME COMMAND...: unless ONLY leaves it out
    [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $1 "* ]] || return 0
    printf '\n## docs/%s.md\n\n    %s\n\n' "$1" "${*:2}"
    "${@:2}"
}

lscpu | sed -n 's/^Model name: *//p;s/^CPU(s): */CPUs: /p'
uptime
for device in "$@"; do
    record=$out/$device
    page bandwidth "$CLAMPS" bench bandwidth --device "$device" --svg "$record.bandwidth.svg" --json "$record.bandwidth.json"
    page force "$CLAMPS" bench force --device "$device" --json "$record.force.json" --svg "$record.force.svg"
    page principles "$CLAMPS" bench principles --device "$device" --json "$record.principles.json"
    page paper "$CLAMPS" bench paper --device "$device" --steps 100 --json "$record.paper.json"
    page allpairs "$CLAMPS" allpairs --device "$device" --atoms 4000 --block 32,64,128,256 --json "$record.allpairs.json"
    "$CLAMPS" droplet --generate 4139 "$work/droplet"
    for precision in single double; do
        page droplet "$CLAMPS" droplet "$work/droplet" 100 --device "$device" --precision "$precision" \
            --compare-host --json "$record.droplet.$precision.json" | sed '/^ *-\{0,1\}[0-9.]/d; /^Energy/d'
    done
    page kdv "$CLAMPS" kdv --device "$device" --n 256,512,1024 --repeats 10 --compare-host --json "$record.kdv.json"
    page performance env OUT="$out" SIZES=1:100 "$here/h200/roofline.sh" "$device"
    page compare "$CLAMPS" -in "$inputs/in.lj" -device "$device" -log none -screen none -json "$record.compare.json"
done
page droplet "$here/processor_time.sh" "$@" # and docs/allpairs.md
records=()
for device in "$@"; do
    [ ! -e "$out/$device.compare.json" ] || records+=("$out/$device.compare.json")
done
[ ${#records[@]} -eq 0 ] || page compare "$CLAMPS" compare "${records[@]}" --html "$out/compare.html"
[ -z "${LMP:-}" ] || page performance "$here/peers/run.sh"
