#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rung with the reference BLAS and LAPACK in place of OpenBLAS: it builds, and gives the golden numbers.
# usage: blas.sh SOURCE CC
# Where Debian's alternatives choose another BLAS, the reference is still there, in folders of its own.
set -eu
source=$1 cc=$2
folders=$(find /usr/lib /usr/lib64 \( -path '*/blas/libblas.so.3' -o -path '*/lapack/liblapack.so.3' \) \
    -exec dirname {} + 2>/dev/null || true)
[ -n "$folders" ] || { echo "there is no reference BLAS here (Debian: libblas-dev liblapack-dev)"; exit 77; }
LD_LIBRARY_PATH=$(echo "$folders" | paste -s -d :)
export LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$source" -B "$work" -DCMAKE_C_COMPILER="$cc" -DBLA_VENDOR=Generic -DBUILD_TESTING=OFF
cmake --build "$work" --target rung_command -j "$(nproc)"
if ldd "$work/rung" | grep -i openblas; then echo "FAIL: still linked with OpenBLAS"; exit 1; fi
python3 "$source/tests/golden/run.py" "$work/rung"
