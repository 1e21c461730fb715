#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Expects params.py to name the functions, declarations, pointers to functions and macros with too many parameters, and
# nothing else. Usage: params-test.sh PYTHON
set -eu
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cat >"$copy/long.c" <<'C'
#define EIGHT(a, b, c, d, e, f, g, h) call(a, b, c, d, e, f, g, h, 1)
#define NINE(a, b, c, d, e, f, g, h, i) 0
int eight(int a, int b, int c, int d, int e, int f, int g, int (*h)(int, int));
int declared(int a, int b, int c, int d, int e, int f, int g, int h, int i);
static const char *written(int a, int b, int c, int d, int e,
                           int f, int g, int h, int i)
{
    /* int comment(int a, int b, int c, int d, int e, int f, int g, int h, int i); */
    call(a, b, c, d, e, f, g, h, i, "static int text(a, b, c, d, e, f, g, h, i) {");
    return call(a, b, c, d, e, f, g, h, i);
}
struct hooks {
    int (*pointed)(int a, int b, int c, int d, int e, int f, int g, int h, int i);
};
C
found=$("$1" "$here/params.py" "$copy" |
    sed -n 's/.*long.c:\([0-9]*\): \([a-zA-Z]*\) has \([0-9]*\) .*/\1 \2 \3/p' | sort -n)
expected='2 NINE 9
4 declared 9
5 written 9
13 pointed 9'
if [ "$found" != "$expected" ]; then
    printf 'expected:\n%s\nfound:\n%s\n' "$expected" "$found"
    exit 1
fi
if "$1" "$here/params.py" "$copy" >"$copy/out"; then echo "too many parameters were let through"; exit 1; fi
echo "params.py finds what it should"
