#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the R package: R CMD check --as-cran on a library built from this tree, with the golden cases. The last line is
# `N passed, N failed`, with `, N skipped` if any were. R CMD check counts as one test, those of testthat as one each.
# Where R cannot be installed all of it is skipped.
set -uo pipefail
cd "$(dirname "$0")/.."
skip() {
    echo "R: skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}
fail() {
    echo "R: $1"
    echo "0 passed, 1 failed"
    exit 1
}
tools/setup install build || exit
tools/setup install r || skip "R or one of its packages is not installed and could not be"
cmake --preset release -DBUILD_TESTING=OFF -DRUNG_BENCH=OFF >/dev/null &&
    cmake --build --preset release -j "$(nproc)" --target rung_command rung_static rung_shared man ||
    fail "the library does not build"
folder=$PWD/build/r
rm -rf "$folder"
mkdir -p "$folder"
cmake --install build --prefix "$folder/prefix" >/dev/null || fail "the library cannot be installed"
PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name rung.pc)")
export PKG_CONFIG_PATH RUNG_COMMAND=$PWD/build/rung RUNG_GOLDEN=$PWD/tests/golden/cases OMP_WAIT_POLICY=passive
# R loads OpenBLAS before the package, so that its kernels stay those of OpenBLAS's own choice (src/linalg/processor.c).
# Models are compared with those of the command bit by bit: both get the kernels of the command.
kernels=$(build/rung --version | sed -n 's/^ *blas *OpenBLAS, //p')
[ -z "$kernels" ] || export OPENBLAS_CORETYPE=$kernels

# No network: nothing is asked of CRAN or of a time server. A manual in PDF would need LaTeX.
export _R_CHECK_CRAN_INCOMING_=false _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_=true
cd "$folder"
R CMD build "$OLDPWD/r" || fail "R CMD build failed"
R CMD check --as-cran --no-manual --no-vignettes rung_*.tar.gz # the build has run them
log=rung.Rcheck
passed=0 failed=0 skipped=0
if counts=$(grep -h '^tests: ' $log/tests/testthat.Rout* 2>/dev/null); then
    read -r _ passed _ failed _ skipped _ <<<"$counts"
    [ "$failed" = 0 ] || cat $log/tests/testthat.Rout*
else
    cat $log/tests/testthat.Rout* $log/00install.out 2>/dev/null
fi
if grep -q '^Status: OK' $log/00check.log; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
line="$passed passed, $failed failed"
[ "$skipped" = 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" = 0 ]
