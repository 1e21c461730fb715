#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fits in passes to two million rows of 20 columns: processor time and peak of the resident set, beside those of a fit
# of the constant median, which loads the file and does little else. One thread.
#
#     bench/stream.sh build/rung [FILE]          default: the rows are made, in a temporary file
set -eu
rung=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
data=${2:+$(realpath "$2")}
cd "$work"

# y follows 2 x1 + |x2| + x3 x4 in five classes; the other columns are noise
if [ -z "$data" ]; then
    data=rows.csv
    awk -v n=2000000 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN {
            srand(1)
            for (j = 1; j <= 20; j++) printf "x%d,", j
            print "label"
            for (i = 0; i < n; i++) {
                for (j = 1; j <= 20; j++) printf "%.5f,", x[j] = normal()
                y = 2 * x[1] + (x[2] < 0 ? -x[2] : x[2]) + x[3] * x[4] + 0.5 * normal()
                print 1 + (y > -1) + (y > 0.2) + (y > 1.4) + (y > 2.6)
            }
        }' >rows.csv
fi

# shellcheck disable=SC2016
echo '| `rung fit` | processor time | memory |'
echo '|---|---|---|'
while read -r options; do
    # shellcheck disable=SC2086
    OMP_NUM_THREADS=1 /usr/bin/time -o used -f '%U %S %M' "$rung" fit "$data" $options --threads 1 -q
    awk -v what="$options" '{ printf "| `-m %s` | %.0f s | %.0f MB |\n", substr(what, 4), $1 + $2, $3 * 1.024e-3 }' used
done <<'FITS'
-m median
-m pom --passes --memory 1G
-m boost -p rounds=20 --passes --memory 1G
-m kdlor -p landmarks=1000 --passes --memory 1G
FITS
