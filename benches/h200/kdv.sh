#!/usr/bin/env bash
# clamps kdv on one device against the host twin: the document's table, in single precision, many runs in
# one launch, and periods of more than one work-group. Under a minute of device time on an H200; most of
# the wall time is the host's.
#   benches/h200/kdv.sh [DEVICE]
# CLAMPS (the program), REPEATS (of the rows with dt 1e-5; default 10) and LONG (of those with 1e-6; default 2)
# from the environment. With OUT set, the JSON records go there.
set -euo pipefail
kdv() {
    "${CLAMPS:-clamps}" kdv --device "$device" --compare-host ${OUT:+--json "$OUT/kdv.$((++number)).json"} "$@"
}
device=${1:-gpu}
number=0
repeats=${REPEATS:-10}
kdv --n 256,512,1024 --repeats "$repeats"
kdv --n 256,512,1024 --dt 1e-6 --repeats "${LONG:-2}"
kdv --n 256,512,1024 --precision single --repeats 3
for batch in 16 132 1056; do
    kdv --n 256 --dt 1e-4 --t-end 1 --batch "$batch" --repeats 3
done
kdv --n 1024 --t-end 0.02 --batch 1056 --repeats 3
kdv --n 16384 --delta 4e-4 --dt 1e-5 --t-end 0.1 --repeats 5
kdv --n 65536 --delta 1e-4 --dt 2e-6 --t-end 0.02 --repeats 5
kdv --n 1048576 --delta 6e-6 --dt 1e-7 --t-end 1e-4 --repeats 3
