#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: lint.sh check|format      check: everything without changing a file; format: rewrite the C files
set -eu
cd "$(dirname "$0")/.."
sources=$(find include src cli tests bench examples \( -name '*.[ch]' -o -name '*.cpp' \) | LC_ALL=C sort)

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
cmake --preset clang -DBUILD_TESTING=ON -DRUNG_BENCH=ON -DRUNG_WERROR=ON >/dev/null
cmake --build --preset clang -j "$(nproc)"

echo "== clang-tidy"
run-clang-tidy -p build/clang -quiet -j "$(nproc)" "$PWD/(src|cli)/" >build/clang/tidy.txt 2>build/clang/tidy.err || {
    sed 's/\x1b\[[0-9;]*m//g' build/clang/tidy.txt | grep -E 'warning:|error:' | LC_ALL=C sort -u
    exit 1
}

echo "== cppcheck"
# The loops of Jansson are macros that cppcheck does not know.
cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 -j "$(nproc)" \
    --suppressions-list=tools/cppcheck.txt -D'json_array_foreach(a, i, v)=while (next(a, &i, &v))' \
    -D'json_object_foreach(o, k, v)=while (next(o, &k, &v))' -Iinclude -Isrc -Icli src cli examples
echo "lint: clean"
