#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The loop of work on one method: builds, then runs what depends on it. usage: check.sh METHOD
# The unit tests of its family and the contract for the method alone, its golden cases, its stored answers.
set -uo pipefail
cd "$(dirname "$0")/.."
method=${1:?usage: check.sh METHOD}
file=$(grep -rlE "\.name = \"$method\"" src/method | head -n 1)
[ -n "$file" ] || { echo "check: no method $method in src/method; build/rung methods lists them" >&2; exit 2; }
family=$(basename "$(dirname "$file")")
cmake --preset release -DBUILD_TESTING=ON -DRUNG_WERROR=ON >/dev/null &&
    cmake --build --preset release -j "$(nproc)" --target unit rung_command >build/check.log 2>&1 ||
    { cat build/check.log; exit 1; }
passed=0 failed=0
try() { # WORDS...: a command that fails is shown with what it printed
    local said
    if said=$("$@" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s\nFAILED: %s\n' "$said" "$*"
    fi
}
export RUNG_METHOD=$method
for name in contract $(build/tests/unit | grep "^method/$family/"); do try build/tests/unit "$name"; done
cases=$(grep -lE "\"method\": \"$method\"" tests/golden/cases/*/case.json | xargs -rn 1 dirname)
# shellcheck disable=SC2086 # a list of folders
[ -z "$cases" ] || try tests/golden/run.py build/rung $cases
try tests/golden/stored.py build/rung "$method"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
