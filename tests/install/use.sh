#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds an example with the installed library as a stranger would: by find_package and by pkg-config, each with the
# shared and the static library. All programs must give the same answers.
# usage: use.sh BUILD COMPILER c|c++ EXAMPLE
set -eu
command -v "$2" >/dev/null || { echo "there is no $2 here"; exit 77; }
# shellcheck source=tests/install/prefix.sh
. "$(dirname "$0")/prefix.sh"
compiler=$2 language=$3 example=$4
case $language in
c) code=C strict="-std=c99 -Wall -Wextra -Wpedantic -Werror" ;;
c++) code=CXX strict="-std=c++17 -Wall -Wextra -Wpedantic -Werror" ;;
esac

awk 'BEGIN {
    print "a,b,label"
    for (i = 0; i < 60; i++) printf "%.3f,%.3f,%s\n", i / 10 + (i * 7 % 5) / 10, (i * 13 % 17) / 10,
                                    i % 10 == 9 ? "" : 1 + int(i / 20) # every tenth row has no label
}' >"$work/train.csv"

# try PROGRAM shared|static: it is linked so, runs, and answers as the first one did
try() {
    echo "== $(basename "$1"), $2"
    case $2 in
    shared) ldd "$1" | grep -qF "$prefix" || bad "$1 is not linked with the installed library" ;;
    static) if ldd "$1" | grep librung; then bad "$1 needs the shared library"; fi ;;
    esac
    rm -f "$work/model.rung"
    "$1" "$work/train.csv" "$work/model.rung" >"$work/out" || bad "$1 failed"
    if [ ! -f "$work/answers" ]; then
        cat "$work/out"
        cp "$work/out" "$work/answers"
        cp "$work/model.rung" "$work/first.rung"
    fi
    diff "$work/answers" "$work/out" || bad "$1 answers differently"
    cmp "$work/first.rung" "$work/model.rung" || bad "$1 saves another model"
}

# pkg-config; the linker prefers a shared library, so the static one is tried where it stands alone
# shellcheck disable=SC2086,SC2046 # lists of words
{
    "$compiler" $strict "$example" $(pkg-config --cflags --libs rung) -Wl,-rpath,"$lib" -o "$work/pkg-config"
    try "$work/pkg-config" shared
    mkdir "$work/shared"
    mv "$lib"/librung.so* "$work/shared"
    "$compiler" $strict "$example" $(pkg-config --static --cflags --libs rung) -o "$work/pkg-config-static"
    try "$work/pkg-config-static" static
    mv "$work/shared"/* "$lib"
    # without any shared library, by the words of docs/install.md, where all are there as archives
    docs=$(dirname "$0")/../../docs/install.md
    # shellcheck disable=SC2016 # the words themselves
    words=$(sed -n 's/^cc fit.c $(pkg-config --static --cflags --libs rung) //p' "$docs")
    [ -n "$words" ] || bad "docs/install.md has no words for a static program"
    echo 'int main(void) { return 0; }' >"$work/empty.$language"
    if "$compiler" -x "$language" "$work/empty.$language" -x none $(pkg-config --static --libs rung) $words \
        -o "$work/archives" 2>"$work/log"; then
        "$compiler" $strict "$example" $(pkg-config --static --cflags --libs rung) $words -o "$work/all-static" ||
            bad "the words of docs/install.md"
        try "$work/all-static" static
    elif grep -qv 'cannot find -l\|ld returned' "$work/log"; then
        cat "$work/log"
        bad "the words of docs/install.md"
    fi
}

# CMake
project=$work/project
cmake -S "$(dirname "$0")/project" -B "$project" -DCMAKE_PREFIX_PATH="$prefix" -DVERSION="$version" -DLANGUAGE="$code" \
    -DCMAKE_"$code"_COMPILER="$compiler" -DEXAMPLE="$example" >"$work/log" 2>&1 ||
    { cat "$work/log"; bad "find_package"; }
cmake --build "$project" >"$work/log" 2>&1 || { cat "$work/log"; bad "the CMake project does not build"; }
try "$project/cmake" shared
try "$project/cmake-shared" shared
try "$project/cmake-static" static

echo "== the answers"
grep -qE '^out-of-fold MAE 0\.[01][0-9]* on 54 rows$' "$work/out" ||
    bad "no out-of-fold MAE below 0.2 over the 54 labels"
for row in 1 2 3 4 5; do
    grep -qE "^row $row: 1 \(score -?[0-9.]+\)\$" "$work/out" || bad "row $row is not of class 1"
done
[ "$(wc -l <"$work/out")" = 6 ] || bad "not six lines"
"$prefix/bin/rung" predict "$work/model.rung" "$work/train.csv" >"$work/predicted.csv"
[ "$(wc -l <"$work/predicted.csv")" = 61 ] || bad "the command does not predict a header and 60 rows from that model"

echo "== a failure"
if "$work/pkg-config" "$work/absent.csv" "$work/model.rung" 2>"$work/err"; then bad "an absent file was accepted"; fi
grep -qF 'absent.csv' "$work/err" || bad "the message does not name the file: $(cat "$work/err")"
echo "installed library in $language: fine"
