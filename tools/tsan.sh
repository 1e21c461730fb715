#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A search and an experiment under ThreadSanitizer: tsan.sh BUILD. libomp tells it of OpenMP's own synchronisation
# through archer (libarcher), without which every barrier looks like a race; OpenBLAS is not instrumented and runs one
# thread.
set -euo pipefail
cd "$(dirname "$0")/.."
rung=$PWD/$1/rung
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
archer=$(find /usr/lib/llvm-* -name libarcher.so 2>/dev/null | head -n 1)
[ -n "$archer" ] || { echo "skipped: there is no libarcher.so"; exit 77; }
export OMP_TOOL_LIBRARIES=$archer ARCHER_OPTIONS="verbose=0" OMP_NUM_THREADS=2
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 ignore_noninstrumented_modules=1"
cp tests/cli/data/train.csv "$folder"
cd "$folder"
for method in kdlor s-dl svorim lapsvm krr gpor; do
    echo "== tune $method"
    "$rung" tune train.csv -m "$method" --folds 3 --repeats 1 --threads 2 -q -o model.rung
    "$rung" predict model.rung train.csv --threads 2 -q >/dev/null
done
mkdir -p data/toy
"$rung" generate toy --rows 60 -q >data/toy/toy.csv
cat >plan.ini <<'END'
[experiment]
name = races
folder = data
datasets = toy
partitions = random
runs = 4
test = 0.25
folds = 3
repeats = 1

[method kdlor]

[method svorim]
END
echo "== experiment"
"$rung" experiment run plan.ini --db plan.db --threads 2 -q
echo "no data race"
