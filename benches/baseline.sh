#!/usr/bin/env bash
# Whether a change has made the step slower, on this machine: keeps a program aside, and later runs it and the current
# one in turns on the melt of inputs/in.lj.
#   benches/baseline.sh save [CLAMPS]     keeps the program, target/release/clamps unless another is named
#   benches/baseline.sh check [CLAMPS]    medians and ratios; exit status 1 where the current one is more than 10 % slower
# DEVICE (as for -device), REPEATS (7), SIZES ("0.5:400 1:100": X of `-var x X` and number of steps; 4,000 and 32,000
# atoms) and BASELINE (the folder, target/baseline) from the environment. About a minute on two cores.
set -euo pipefail
usage() { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit "$1"; }
here=$(cd "$(dirname "$0")/.." && pwd)
current=${2:-${CARGO_TARGET_DIR:-$here/target}/release/clamps}
kept=${BASELINE:-$here/target/baseline}
[ $# -gt 0 ] || usage 1
[ "$1" = -h ] || [ "$1" = --help ] && usage 0
[ -x "$current" ] || { echo "baseline.sh: no program $current: cargo build --release makes it" >&2; exit 1; }

case $1 in
save)
    mkdir -p "$kept"
    cp "$current" "$kept/clamps.new"
    mv "$kept/clamps.new" "$kept/clamps"
    echo "kept $("$kept/clamps" --version) in $kept"
    ;;
check)
    [ -x "$kept/clamps" ] || { echo "baseline.sh: nothing in $kept: benches/baseline.sh save first" >&2; exit 1; }
    work=$(mktemp -d)
    trap 'rm -r "$work"' EXIT
    # PROGRAM CELLS STEPS: seconds of the loop.
    loop() {
        # Shipped shapes on either side; an older program that has no records takes no notice of the variable.
        CLAMPS_TUNE=off "$1" -in "$here/inputs/in.lj" -var x "$2" -var y "$2" -var z "$2" -var t "$3" \
            ${DEVICE:+-device "$DEVICE"} -log none -screen none -json "$work/json"
        sed -n 's/^ *"loop_seconds": \([0-9.e-]*\),\{0,1\}$/\1/p' "$work/json" | head -1
    }
    echo "baseline: $("$kept/clamps" --version)"
    echo "current:  $("$current" --version)"
    echo
    echo "| atoms | steps | baseline, s | current, s | current / baseline |"
    echo "|---|---|---|---|---|"
    slower=0
    for size in ${SIZES:-0.5:400 1:100}; do
        cells=${size%:*} steps=${size#*:}
        : >"$work/times"
        # The first turn compiles, and does not count.
        for turn in $(seq 0 "${REPEATS:-7}"); do
            before=$(loop "$kept/clamps" "$cells" "$steps")
            now=$(loop "$current" "$cells" "$steps")
            [ "$turn" = 0 ] || echo "$before $now" >>"$work/times"
        done
        # Of the ratios too the median counts: those who took a turn together found the machine alike.
        awk -v cells="$cells" -v steps="$steps" '
            function median(values, n, i, j, v) {
                for (i = 2; i <= n; i++) {
                    v = values[i]
                    for (j = i - 1; j > 0 && values[j] > v; j--) values[j + 1] = values[j]
                    values[j + 1] = v
                }
                return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
            }
            { before[NR] = $1; now[NR] = $2; ratio[NR] = $2 / $1 }
            END {
                r = median(ratio, NR)
                printf "| %d | %d | %.4f | %.4f | %.3f |\n", 32000 * cells ^ 3, steps, median(before, NR), median(now, NR), r
                exit r > 1.10
            }' "$work/times" || slower=1
    done
    [ "$slower" = 0 ] || { echo; echo "baseline.sh: more than 10 % slower" >&2; exit 1; }
    ;;
*) usage 1 ;;
esac
