#!/usr/bin/env bash
# Processor time per step of the droplet and of all pairs, on CPU devices and by the host twins: what a figure can
# be trusted in on a machine that others use, where wall times cannot. Summed over the cores; on idle cores the
# wall time is this over their number.
#   benches/processor_time.sh DEVICE...
# CLAMPS (the program) from the environment.
set -euo pipefail
clamps=${CLAMPS:-clamps}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The least processor time of three runs, in ms.
cost() {
    local TIMEFORMAT='%U %S'
    for _ in 1 2 3; do
        { time "$clamps" "$@" > "$work/out" 2>&1; } 2>&1 | awk '{ print ($1 + $2) * 1000 }'
    done | sort -n | head -1
}
# NAME STEPS MANY FEW: by the difference of two runs, so that start and compilation do not count.
row() {
    awk -v name="$1" -v steps="$2" -v many="$3" -v few="$4" 'BEGIN { printf "| %s | %.2f |\n", name, (many - few) / steps }'
}

"$clamps" droplet --generate 4139 "$work/droplet"
echo "| what | ms per step |"
echo "|---|---|"
for device in "$@"; do
    for precision in single double; do
        run=(droplet "$work/droplet" --device "$device" --precision "$precision")
        row "droplet, 4,139, $device, $precision" 100 "$(cost "${run[@]}" 101)" "$(cost "${run[@]}" 1)"
    done
    for precision in single double; do
        for block in 32 64 128 256; do
            run=(allpairs --atoms 4000 --host-steps 0 --device "$device" --precision "$precision" --block "$block")
            row "all pairs, 4,000, $device, $precision, block $block" 40 \
                "$(cost "${run[@]}" --steps 41)" "$(cost "${run[@]}" --steps 1)"
        done
    done
done
# The twin runs on one core, and then on all: two evaluations per step.
run=(droplet "$work/droplet" 10 --device "$1")
row "droplet, 4,139, host" 20 "$(cost "${run[@]}" --compare-host)" "$(cost "${run[@]}")"
run=(allpairs --atoms 4000 --device "$1" --precision single --steps 1)
row "all pairs, 4,000, host" 20 "$(cost "${run[@]}" --host-steps 11)" "$(cost "${run[@]}" --host-steps 1)"
