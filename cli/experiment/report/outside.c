// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/report/outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct { /* where a file has what; -1: nowhere */
    int64_t set, method, partition, part, metric, value;
} columns;

static int64_t column_of(const rung_table *t, const char *name)
{
    for (int64_t j = 0; j < rung_table_columns(t); j++)
        if (!strcmp(rung_table_name(t, j), name)) return j;
    return -1;
}

static bool find_columns(const rung_table *t, const char *path, const char *metric, columns *out)
{
    *out = (columns){.set = column_of(t, "dataset"),
                     .method = column_of(t, "method"),
                     .partition = column_of(t, "partition"),
                     .part = column_of(t, "part"),
                     .metric = column_of(t, "metric"),
                     .value = column_of(t, "value")};
    if (out->metric < 0 || out->value < 0) {
        out->metric = -1;
        out->value = column_of(t, metric);
    }
    const char *missing = out->set < 0         ? "dataset"
                          : out->method < 0    ? "method"
                          : out->partition < 0 ? "partition"
                          : out->value < 0     ? metric
                                               : NULL;
    if (missing)
        complain("experiment report: %s has no column %s; it needs dataset, method, partition and %s", path, missing,
                 metric);
    return !missing;
}

static char *cell(const rung_table *t, int64_t row, int64_t column)
{
    int64_t n = rung_table_cell(t, row, column, NULL, 0);
    char *text = allocate((size_t)n + 1, 1);
    rung_table_cell(t, row, column, text, n + 1);
    return text;
}

static bool cell_is(const rung_table *t, int64_t row, int64_t column, const char *wanted)
{
    char *text = cell(t, row, column);
    bool same = !strcmp(text, wanted);
    free(text);
    return same;
}

/* Data rows are counted from 1. */
static bool take_row(const rung_table *t, int64_t row, const columns *at, const char *path, outside *out)
{
    char *number = cell(t, row, at->value), *partition = cell(t, row, at->partition);
    outside_result *one = &out->list[out->n];
    *one = (outside_result){.file = path, .value = NAN};
    const char *wrong = !parse_whole(partition, 0, 1000000000, &one->partition) ? partition
                        : *number && !parse_double(number, &one->value)         ? number
                                                                                : NULL;
    if (wrong)
        complain("experiment report: %s, row %lld: '%s': expected %s", path, (long long)row + 1, wrong,
                 wrong == partition ? "the number of a partition, from 0" : "a number, or nothing");
    free(number);
    free(partition);
    if (wrong) return false;
    one->set = cell(t, row, at->set);
    one->method = cell(t, row, at->method);
    out->n++;
    return true;
}

int outside_read(session *s, const char *path, const char *metric, const char *part, outside *out)
{
    rung_table *t = NULL;
    columns at;
    int code = session_check(s, rung_table_read(s->ctx, path, NULL, &t));
    if (code == EXIT_OK && !find_columns(t, path, metric, &at)) code = FAILED;
    if (code == EXIT_OK) {
        outside_result *more = allocate((size_t)(out->n + rung_table_rows(t)), sizeof *more);
        if (out->n) memcpy(more, out->list, (size_t)out->n * sizeof *more);
        free(out->list);
        out->list = more;
    }
    for (int64_t i = 0; code == EXIT_OK && i < rung_table_rows(t); i++) {
        if (at.part >= 0 ? !cell_is(t, i, at.part, part) : strcmp(part, "test") != 0) continue;
        if (at.metric >= 0 && !cell_is(t, i, at.metric, metric)) continue;
        if (!take_row(t, i, &at, path, out)) code = FAILED;
    }
    rung_table_free(t);
    return code;
}

void outside_free(outside *o)
{
    for (int64_t i = 0; i < o->n; i++) {
        free(o->list[i].set);
        free(o->list[i].method);
    }
    free(o->list);
    *o = (outside){0};
}
