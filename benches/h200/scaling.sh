#!/usr/bin/env bash
# The melt from 864 to 100 million atoms on one device, every 20 check no: a line per size as benches/h200/melt.sh prints them,
# and a chart of speed by size.
#   benches/h200/scaling.sh [DEVICE]
# CLAMPS (the program) and OUT (where speed.svg goes; the working directory) from the environment. A minute on a large GPU.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
RECORDS=$(mktemp -d)
export RECORDS
trap 'rm -rf "$RECORDS"' EXIT
run() {
    REPEATS=1 SCHEDULES=20:no PRECISIONS=$1 "$here/melt.sh" "${device}" "$2"
}
device=${1:-gpu}
sizes="864:0.3:0.3:0.3:10000 4000:0.5:0.5:0.5:10000 16384:0.8:0.8:0.8:5000 32000:1:1:1:4000 62500:1.25:1.25:1.25:2000
131072:1.6:1.6:1.6:1000 256000:2:2:2:1000 1048576:3.2:3.2:3.2:300 4000000:5:5:5:100 16384000:8:8:8:60"
run double "$sizes"
run mixed "$sizes 100615028:14.65:14.65:14.65:20"
"${CLAMPS:-clamps}" compare "$RECORDS"/*.json --scaling "${OUT:-.}/speed.svg" > /dev/null
