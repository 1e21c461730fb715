#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What is installed: files, versions that agree, exported symbols, headers that stand alone.
# usage: contents.sh BUILD CC
set -eu
# shellcheck source=tests/install/prefix.sh
. "$(dirname "$0")/prefix.sh"
cc=$2

echo "== files"
for file in bin/rung include/rung/rung.h include/rung/experimental.h; do
    [ -f "$prefix/$file" ] || bad "$file is missing"
done
for file in librung.a librung.so cmake/rung/rungConfig.cmake cmake/rung/rungConfigVersion.cmake; do
    [ -f "$lib/$file" ] || bad "$file is missing"
done
for file in completions/rung site-functions/_rung man/man1/rung.1; do
    [ -n "$(find "$prefix/share" -path "*/$file" -size +0)" ] || bad "$file is missing"
done
for command in $("$prefix/bin/rung" complete '' | cut -f1 | grep -vx help); do
    [ -s "$prefix/share/man/man1/rung-$command.1" ] || bad "rung $command has no manual page"
done
[ "$(find "$prefix/include" -type f | wc -l)" = 2 ] || bad "there are more than two headers"
if grep -rlF "$work/first" "$prefix"; then bad "these name the folder they were first installed in"; fi

echo "== versions"
abi=$(sed -n 's/^#define RUNG_ABI \([0-9]*\).*/\1/p' "$header")
[ "$(pkg-config --modversion rung)" = "$version" ] ||
    bad "pkg-config says $(pkg-config --modversion rung), the header $version"
soname=$(readelf -d "$lib/librung.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "librung.so.$abi" ] || bad "the soname is $soname, RUNG_ABI $abi"
"$prefix/bin/rung" --version | grep -qF "$version" || bad "rung --version does not say $version"

echo "== exported symbols"
nm -D --defined-only "$lib/librung.so" | awk '$2 != "A" { print $NF }' >"$work/exported"
if grep -vE "^rung_[a-z_]+@@RUNG_$abi\$" "$work/exported"; then bad "exported, but not as rung_*@@RUNG_$abi"; fi
sed -n 's/^RUNG_API.*[ *]\(rung_[a-z_]*\)(.*/\1/p' "$prefix/include/rung"/*.h | LC_ALL=C sort >"$work/declared"
sed 's/@.*//' "$work/exported" | LC_ALL=C sort | diff "$work/declared" - ||
    bad "declared in the headers (<) and exported (>) differ"

echo "== the headers alone"
for one in rung experimental; do
    printf '#include <rung/%s.h>\n' $one >"$work/alone.c"
    for standard in c99 c11 c17; do
        # shellcheck disable=SC2046 # a list of words
        "$cc" -std=$standard -Wall -Wextra -Wpedantic -Werror $(pkg-config --cflags rung) -fsyntax-only "$work/alone.c"
    done
done
echo "installed files: fine"
