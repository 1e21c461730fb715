#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Draws the figures of the README and the docs: the data are made by formula, or printed in a paper.
# usage: figures.sh RUNG [FOLDER]      default FOLDER: docs/figures
set -eu
rung=$(realpath "$1")
cd "$(dirname "$0")/.."
export SOURCE="$PWD"
folder=$(realpath -m "${2-docs/figures}")
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# The data of `rung demo`: 40 labels among 300 rows, 1000 rows to test on.
"$rung" demo -q >/dev/null
"$rung" tune rung-demo/train.csv -m kdlor -q >/dev/null
"$rung" plot projection model.rung rung-demo/test.csv -o "$folder/projection.svg"
"$rung" plot confusion model.rung rung-demo/test.csv -o "$folder/confusion.svg"
"$rung" plot boundary model.rung rung-demo/train.csv -o "$folder/boundary.svg"
"$rung" plot reliability model.rung rung-demo/test.csv -o "$folder/reliability.svg"

# Mean MAE of six methods on 30 data sets, as printed in Table 2 of Perez-Ortiz et al., Neural Networks 84 (2016).
"$SOURCE/tests/cli/bin/experiment-db" table2 table2.db
"$rung" plot ranks table2.db -o "$folder/ranks.svg"

# Error against labels, with and without the unlabelled rows.
"$rung" generate toy --rows 240 >toy.csv
"$rung" curve toy.csv -m es-dl,kdlor --sizes 2,4,8,16 --repeats 5 -q -o curve.csv
"$rung" plot curve curve.csv -o "$folder/curve.svg"
