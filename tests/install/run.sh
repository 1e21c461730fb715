#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs into a temporary prefix and uses the library from there as a stranger would.
# usage: run.sh BUILD SOURCE CC
set -eu
build=$1 source=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad() { echo "FAIL: $*"; exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; bad "cmake --install"; }
mv "$work/first" "$work/prefix" # an installation can be moved
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name rung.pc)")
header=$work/prefix/include/rung/rung.h
lib=$(dirname "$PKG_CONFIG_PATH")
strict="-Wall -Wextra -Wpedantic -Werror"

echo "== what is installed"
for file in bin/rung include/rung/rung.h; do [ -f "$work/prefix/$file" ] || bad "$file is missing"; done
[ "$(find "$work/prefix/include" -type f | wc -l)" = 1 ] || bad "there is more than one header"

echo "== versions"
version=$(sed -n 's/^#define RUNG_VERSION "\(.*\)".*/\1/p' "$header")
abi=$(sed -n 's/^#define RUNG_ABI \([0-9]*\).*/\1/p' "$header")
[ "$(pkg-config --modversion rung)" = "$version" ] ||
    bad "pkg-config says $(pkg-config --modversion rung), the header $version"
soname=$(readelf -d "$lib/librung.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = "librung.so.$abi" ] || bad "the soname is $soname, RUNG_ABI $abi"
"$work/prefix/bin/rung" --version | grep -qF "$version" || bad "rung --version does not say $version"

echo "== exported symbols"
nm -D --defined-only "$lib/librung.so" | awk '{ print $NF }' >"$work/exported"
if grep -v '^rung_' "$work/exported"; then bad "exported, but not rung_*"; fi
sed -n 's/^RUNG_API.*[ *]\(rung_[a-z_]*\)(.*/\1/p' "$header" | LC_ALL=C sort >"$work/declared"
LC_ALL=C sort "$work/exported" | diff "$work/declared" - || bad "declared in rung.h (<) and exported (>) differ"

echo "== the header alone"
printf '#include <rung/rung.h>\n' >"$work/alone.c"
# shellcheck disable=SC2086,SC2046 # lists of words
{
    for standard in c99 c11 c17; do
        "$cc" -std=$standard $strict $(pkg-config --cflags rung) -fsyntax-only "$work/alone.c"
    done
    if command -v g++ >/dev/null; then
        g++ -x c++ -std=c++11 $strict $(pkg-config --cflags rung) -fsyntax-only "$work/alone.c"
    else
        echo "no g++: not tried as C++"
    fi

    echo "== examples/fit.c"
    "$cc" -std=c17 $strict "$source/examples/fit.c" $(pkg-config --cflags --libs rung) -Wl,-rpath,"$lib" -o "$work/fit"
}
ldd "$work/fit" | grep -qF "$work/prefix" || bad "the example is not linked with the installed library"
awk 'BEGIN {
    print "a,b,label"
    for (i = 0; i < 60; i++) printf "%.3f,%.3f,%s\n", i / 10 + (i * 7 % 5) / 10, (i * 13 % 17) / 10,
                                    i % 10 == 9 ? "" : 1 + int(i / 20) # every tenth row has no label
}' >"$work/train.csv"
"$work/fit" "$work/train.csv" "$work/model.rung" >"$work/out" || bad "the example failed"
cat "$work/out"
grep -qE '^out-of-fold MAE 0\.[01][0-9]* on 54 rows$' "$work/out" || bad "no out-of-fold MAE below 0.2 over the 54 labels"
for row in 1 2 3 4 5; do
    grep -qE "^row $row: 1 \(score -?[0-9.]+\)\$" "$work/out" || bad "row $row is not of class 1"
done
[ "$(wc -l <"$work/out")" = 6 ] || bad "not six lines"

echo "== the model it saved, by the installed command"
"$work/prefix/bin/rung" predict "$work/model.rung" "$work/train.csv" >"$work/predicted.csv"
[ "$(wc -l <"$work/predicted.csv")" = 61 ] || bad "not a header and 60 rows"

echo "== what goes wrong is told"
if "$work/fit" "$work/absent.csv" "$work/model.rung" 2>"$work/err"; then bad "an absent file was accepted"; fi
grep -qF 'absent.csv' "$work/err" || bad "the message does not name the file: $(cat "$work/err")"
echo "installed library: fine"
