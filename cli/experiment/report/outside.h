// SPDX-License-Identifier: BSD-3-Clause
/* Results of other programs, to be compared with those of an experiment. A CSV file with the columns dataset, method,
 * partition (from 0) and one per metric; or metric and value instead, as report --format csv --table cells writes them.
 * A column part says which rows they are of (test without it). */
#ifndef RUNG_CLI_REPORT_OUTSIDE_H
#define RUNG_CLI_REPORT_OUTSIDE_H

#include "core/common.h"

typedef struct {
    char *set, *method;
    const char *file;
    long long partition;
    double value; /* NaN: none */
} outside_result;

typedef struct {
    int64_t n;
    outside_result *list;
} outside;

/* Adds the results of a file that are of this metric and part; EXIT_OK or an exit code, told. Release them in both
 * cases. */
int outside_read(session *s, const char *path, const char *metric, const char *part, outside *out);
void outside_free(outside *o);

#endif
