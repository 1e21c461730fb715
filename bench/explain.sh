#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Explanations of an auto model of 500 labels and 20 columns: the importance of all columns on 1000 rows with the
# effects of the most important ones, and the contributions to one row. Seconds of the whole commands.
#
#     bench/explain.sh build/rung
set -eu
rung=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# y follows 2 x1 + |x2| + x3 x4 in five classes; the other columns are noise
rows() {
    awk -v n="$1" -v seed="$2" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
        BEGIN {
            srand(seed)
            for (j = 1; j <= 20; j++) printf "x%d,", j
            print "label"
            for (i = 0; i < n; i++) {
                for (j = 1; j <= 20; j++) printf "%.4f,", x[j] = normal()
                y = 2 * x[1] + (x[2] < 0 ? -x[2] : x[2]) + x[3] * x[4] + 0.5 * normal()
                print 1 + (y > -1) + (y > 0.2) + (y > 1.4) + (y > 2.6)
            }
        }'
}
rows 500 1 >train.csv
rows 1000 2 >test.csv
"$rung" fit train.csv -q

exec 2>&1 # the shell writes times to standard error
TIMEFORMAT='%R s (processor %U s)'
printf 'rung explain model.rung test.csv: '
time "$rung" explain model.rung test.csv -q >/dev/null
printf 'rung explain model.rung test.csv --row 1: '
time "$rung" explain model.rung test.csv --row 1 -q >/dev/null
printf 'rung predict model.rung test.csv: '
time "$rung" predict model.rung test.csv -q >/dev/null
