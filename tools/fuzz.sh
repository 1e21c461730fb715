#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the fuzz targets with clang, ASan and UBSan and runs each for its share of the time.
# usage: fuzz.sh [SECONDS [TARGET...]]      default 600, all of them
# What was found stays in build/fuzz/corpus, inputs that fail in build/fuzz/failed; exit 1 if there are any.
set -uo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- csv libsvm arff spss stata sas xlsx ini journal model
targets=()
for name in "$@"; do targets+=("fuzz_$name"); done
cmake --preset fuzz -DRUNG_WERROR=ON && cmake --build --preset fuzz -j "$(nproc)" --target "${targets[@]}" || exit
mkdir -p build/fuzz/failed
status=0
export ASAN_OPTIONS=allocator_may_return_null=1 LSAN_OPTIONS=suppressions=$PWD/tools/lsan.txt:print_suppressions=0
for name in "$@"; do
    found=build/fuzz/corpus/$name
    mkdir -p "$found"
    longest=8192
    case $name in model | sas | xlsx) longest=32768 ;; esac # models of many members; pages of SAS
    # The messages of the readers go to stderr: closed. The limit of memory catches what grows without bound.
    build/fuzz/tests/fuzz/fuzz_"$name" -max_total_time=$((seconds / $#)) -max_len=$longest -timeout=10 \
        -rss_limit_mb=2048 -close_fd_mask=2 -print_final_stats=1 -artifact_prefix=build/fuzz/failed/"$name"- \
        "$found" tests/fuzz/corpus/"$name" >build/fuzz/"$name".log 2>&1 || status=1
    grep -E 'ERROR|SUMMARY|Test unit written' build/fuzz/"$name".log
    printf '%-8s %9s executions, %s features\n' "$name" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' build/fuzz/"$name".log)" \
        "$(grep -o 'ft: [0-9]*' build/fuzz/"$name".log | tail -n 1 | cut -c5-)"
done
exit $status
