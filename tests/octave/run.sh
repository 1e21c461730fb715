#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# usage: run.sh REPOSITORY RUNG
set -eu
command -v octave >/dev/null || { echo "skipped: Octave is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
octave --no-gui --norc --quiet --path "$1/octave" "$1/tests/octave/test_rung.m" "$2" "$1/data/toy/toy.csv" "$scratch"
