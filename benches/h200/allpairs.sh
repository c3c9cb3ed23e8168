#!/usr/bin/env bash
# All pairs in a periodic box on one device: first the block sizes, then the speed-up over the host from 1,000
# to 18,000 atoms with the best of them: the tables and the plot of docs/allpairs.md.
#   benches/h200/allpairs.sh [DEVICE] [BLOCK]
# CLAMPS (the program) from the environment; records and plot go to $OUT, or here.
set -euo pipefail
device=${1:-gpu}
block=${2:-}
clamps=${CLAMPS:-clamps}
out=${OUT:-.}
"$clamps" allpairs --device "$device" --block 32,64,128,256 --atoms 1000,4000,18000 --host-steps 0 \
    --json "$out/allpairs.blocks.json" | tee "$out/allpairs.blocks.txt"
# That of most rows, unless one is given.
block=${block:-$(sed -n 's/^Fastest block in single precision: //p' "$out/allpairs.blocks.txt" |
    grep -o '[0-9]* at' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')}
"$clamps" allpairs --device "$device" --block "$block" --host-steps 2 \
    --json "$out/allpairs.json" --svg "$out/allpairs.svg"
