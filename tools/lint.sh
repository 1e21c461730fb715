#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: lint.sh check|format      check: everything without changing a file; format: rewrite the C files
set -eu
cd "$(dirname "$0")/.."
sources=$(find include src cli tests bench examples -name '*.[ch]' | LC_ALL=C sort)

# shellcheck disable=SC2086 # file names here have no spaces
if [ "$1" = format ]; then
    clang-format -i $sources
    exit
fi

echo "== clang-format"
# shellcheck disable=SC2086
clang-format --dry-run -Werror $sources

echo "== include order"
tools/layers.sh

echo "== clang"
cmake --preset clang -DRUNG_TESTS=ON -DRUNG_BENCH=ON -DRUNG_WERROR=ON >/dev/null
cmake --build --preset clang -j "$(nproc)"

echo "== clang-tidy"
run-clang-tidy -p build/clang -quiet -j "$(nproc)" >build/clang/tidy.txt 2>build/clang/tidy.err || {
    grep -E 'warning:|error:' build/clang/tidy.txt | LC_ALL=C sort -u
    exit 1
}

echo "== cppcheck"
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
    --suppressions-list=tools/cppcheck.txt -j "$(nproc)" -Iinclude -Isrc -Icli src cli examples bench
echo "lint: clean"
