#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages that the build makes: one for rung and one for every command, which man shows without a warning.
# usage: man.sh RUNG
set -eu
rung=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -DRUNG="$rung" -DOUT="$work/man" -P cmake/man.cmake

{
    echo rung.1
    "$rung" complete '' | cut -f1 | grep -vx help | sed 's/.*/rung-&.1/'
} | LC_ALL=C sort >"$work/wanted"
ls "$work/man" | LC_ALL=C sort | diff "$work/wanted" - || {
    echo "FAIL: the pages made (>) are not those of the commands (<)"
    exit 1
}
for page in "$work"/man/*.1; do
    for part in NAME SYNOPSIS; do
        grep -qiE "^\.SH \"?$part\"?\$" "$page" || {
            echo "FAIL: $(basename "$page") has no section $part"
            exit 1
        }
    done
done
if command -v groff >/dev/null; then
    for page in "$work"/man/*.1; do groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null; done >"$work/warnings"
    if [ -s "$work/warnings" ]; then
        cat "$work/warnings"
        echo "FAIL: groff warns"
        exit 1
    fi
else
    echo "no groff: the pages were made, not shown"
fi
