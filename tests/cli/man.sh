#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages in docs/man are what the command says of itself, and man shows them without a warning.
# usage: man.sh RUNG [--update]
set -eu
rung=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$rung" help --man >"$work/rung.1"
for command in $("$rung" complete '' | cut -f1); do
    [ "$command" = help ] || "$rung" help --man "$command" >"$work/rung-$command.1"
done
if [ "${2-}" = --update ]; then
    mkdir -p docs/man
    rm -f docs/man/*.1
    cp "$work"/*.1 docs/man/
fi
diff -ru docs/man "$work" || {
    echo "FAIL: docs/man is not what the command says; write it again with: tests/cli/man.sh RUNG --update"
    exit 1
}
if command -v groff >/dev/null; then
    for page in docs/man/*.1; do groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null; done >"$work/warnings"
    if [ -s "$work/warnings" ]; then
        cat "$work/warnings"
        echo "FAIL: groff warns"
        exit 1
    fi
else
    echo "no groff: the pages were compared, not shown"
fi
