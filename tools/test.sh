#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds presets with warnings as errors and runs their tests.
# usage: test.sh PRESET[:LABELS]...      LABELS: a regular expression, only tests with such a label;
# without them all but those labelled long
# The last line is `N passed, N failed`, with `, N skipped` if any were; a preset that does not build is one failure.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} # as many tests as cores: threads that wait must not spin
passed=0 failed=0 skipped=0

attribute() { # of the first element of a JUnit file: attribute FILE NAME
    sed -n "/<testsuite/,/>/s/.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

for run in "$@"; do
    preset=${run%%:*} labels=
    [ "$preset" = "$run" ] || labels=${run#*:}
    choice=(-LE '^long$')
    [ -z "$labels" ] || choice=(-L "$labels")
    folder=build/$preset
    [ "$preset" = release ] && folder=build
    report=$PWD/$folder/tests.xml
    echo "== $preset"
    rm -f "$report"
    bench=() # no test needs them; make test-long compiles them (preset debug)
    [ "$preset" = release ] && bench=(-DRUNG_BENCH=OFF)
    if ! cmake --preset "$preset" -DBUILD_TESTING=ON -DRUNG_WERROR=ON "${bench[@]}" ||
        ! cmake --build --preset "$preset" -j "$jobs"; then
        echo "== $preset does not build"
        failed=$((failed + 1))
        continue
    fi
    status=0
    ctest --preset "$preset" "${choice[@]}" -j "$jobs" --no-tests=error --output-junit "$report" || status=$?
    if [ ! -s "$report" ]; then
        echo "== $preset: the tests did not run"
        failed=$((failed + 1))
        continue
    fi
    grep -o 'skipped: .*' "$report" | sort -u # why, in the words of the tests
    all=$(attribute "$report" tests) bad=$(attribute "$report" failures)
    away=$(($(attribute "$report" skipped) + $(attribute "$report" disabled)))
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1 away=$((away - 1)) # a test that could not start is not just skipped
    passed=$((passed + all - bad - away)) failed=$((failed + bad)) skipped=$((skipped + away))
done

line="$passed passed, $failed failed"
[ "$skipped" = 0 ] || line="$line, $skipped skipped"
echo "$line"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
