#!/usr/bin/env bash
# The droplet of 4,139 particles, 100 steps, on one device and on the host: the tables of docs/droplet.md.
#   benches/h200/droplet.sh [DEVICE]
# REPEATS and CLAMPS (the program) from the environment; the JSON records go to $OUT where it is set.
set -euo pipefail
device=${1:-gpu}
clamps=${CLAMPS:-clamps}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for particles in ${PARTICLES:-4139 32768}; do
    "$clamps" droplet --generate "$particles" "$work/droplet"
    for precision in single double; do
        for repeat in $(seq "${REPEATS:-3}"); do
            # The host takes long: it is compared once, at the document's size.
            compare=()
            [ "$particles" -gt 5000 ] || [ "$repeat" -gt 1 ] || compare=(--compare-host)
            record=${OUT:-$work}/droplet.$particles.$precision.$repeat.json
            "$clamps" droplet "$work/droplet" 100 --device "$device" --precision "$precision" "${compare[@]}" \
                --json "$record" > "$work/text"
            [ "${#compare[@]}" -eq 0 ] || tail -5 "$work/text"
            echo "$particles particles, $precision: $(sed -n 's/^  "seconds": \([0-9.e-]*\).*/\1/p' "$record") s"
        done
    done
done
