#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Plants violations into a copy of the sources, one at a time, and expects layers.sh to name the very line.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
failed=0

fresh() {
    rm -rf "${copy:?}"/*
    mkdir -p "$copy/src/base" "$copy/src/linalg" "$copy/src/eval" "$copy/src/model" "$copy/cli/plot" "$copy/cli/processes"
    echo '#include "rung/rung.h"' >"$copy/src/base/pool.h"
    printf '#include "base/pool.h"\n#include <cblas.h>\n#include <lapacke.h>\n' >"$copy/src/linalg/la.h"
    printf '#include "eval/metrics.h"\n#include "base/pool.h"\n' >"$copy/src/eval/metrics.c"
    echo '#include "base/pool.h"' >"$copy/src/eval/metrics.h"
    printf '#include "eval/metrics.h"\n' >"$copy/src/model/model.h"
    printf '#include "model/model.h"\n#include "linalg/la.h"\n' >"$copy/src/methods.c"
    printf '#include <rung/rung.h>\n#include <stdio.h>\n#include "cli.h"\n' >"$copy/cli/main.c"
    printf '#include "rung/rung.h"\n' >"$copy/cli/cli.h"
    printf '#include "cli.h"\n' >"$copy/cli/plot/axes.c"
    printf '#include <mpi.h>\n' >"$copy/cli/processes/processes.c"
}

# expect FILE LINE INCLUDE: adding it to FILE is caught, at LINE, and nothing else is
expect() {
    fresh
    mkdir -p "$copy/$(dirname "$1")"
    printf '%s\n' "$3" >>"$copy/$1"
    if out=$("$here/layers.sh" "$copy"); then
        echo "not caught: $3 in $1"
        failed=1
    elif [ "${out%%: *}" != "$1:$2" ] || [ "$(printf '%s\n' "$out" | wc -l)" != 1 ]; then
        echo "$3 in $1: expected one line $1:$2: ..., got: $out"
        failed=1
    fi
}

fresh
"$here/layers.sh" "$copy" || { echo "a clean tree was refused"; failed=1; }

expect src/base/pool.h 2 '#include "linalg/la.h"'
expect src/eval/metrics.c 3 '#include "model/model.h"'
expect src/eval/metrics.c 3 '  #  include "model/model.h"'
expect src/eval/metrics.c 3 '#include "metrics.h"'
expect src/eval/metrics.c 3 'static char *room(void) { return malloc(3); }'
expect src/eval/metrics.c 3 '#include "../base/pool.h"'
expect src/eval/metrics.c 3 '#include "base/../model/model.h"'
expect src/eval/metrics.c 3 '#include <cblas.h>'
expect src/eval/metrics.c 3 '#include <openblas/lapacke.h>'
expect src/methods.c 3 '#include <cblas.h>'
expect src/methods.c 3 '#include <mpi.h>'
expect src/model/model.h 2 '#include <cuda_runtime.h>'
expect src/model/model.h 2 '#include <cublas_v2.h>'
expect src/methods.c 3 '#include "cli.h"'
expect cli/main.c 4 '#include "base/pool.h"'
expect cli/main.c 4 '#include "../src/base/pool.h"'
expect cli/plot/axes.c 2 '#include "model/model.h"'
expect cli/plot/axes.c 2 '#include <cblas.h>'
expect cli/plot/axes.c 2 '#include <mpi.h>'
expect src/model/model.h 2 'const char *why = "too many values; cut them with --bins";'
expect src/eval/metrics.c 3 'const char *why = "fit with -p calibrate=5";'
expect src/base/pool.h 2 'const char *why = "unknown (rung methods lists them)";'
expect src/misc/odd.c 1 'int odd;'
expect src/method/spread/plp.c 1 '#include "method/svm/smo.h"'
expect src/method/oddities/odd.c 1 '#include "base/pool.h"'

[ "$failed" = 0 ] && echo "layers.sh catches what it should"
exit "$failed"
