#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two functions of one name in the archive of the command: the linker would silently take the first.
# usage: symbols.sh ARCHIVE      Prints the names; exit 1 if there is one.
set -eu
twice=$(nm -g --defined-only "$1" | awk '$2 ~ /^[TDRB]$/ { print $3 }' | LC_ALL=C sort | uniq -d)
[ -z "$twice" ] || { echo "defined twice in $1:"; echo "$twice"; exit 1; }
