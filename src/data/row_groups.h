// SPDX-License-Identifier: BSD-3-Clause
/* Rows that are held out together. Labelled rows whose coded columns are all equal belong together, because a model
 * that has seen one of them has seen the others; so do rows of a group the user names (one patient, one school). */
#ifndef RUNG_DATA_ROW_GROUPS_H
#define RUNG_DATA_ROW_GROUPS_H

#include "base/context.h"

/* Numbers the rows listed (of X, d x anything) so that equal rows have equal numbers: group[rows[i]], room for every
 * row of X; the others are unchanged. repeated: the number of rows that equal another one of those listed. */
rung_status equal_rows(rung_ctx *ctx, int64_t d, const double *X, int64_t n, const int64_t *rows, int *group,
                       int64_t *repeated);

/* A number from the cells of a row, which stand `step` apart: equal rows have equal ones, and of different rows hardly
 * two (53 bits). */
double row_key(int64_t d, const double *x, int64_t step);

/* Joins two groupings of n rows: rows are in one group of out if they are in either, directly or through other rows. */
rung_status join_groups(rung_ctx *ctx, int64_t n, const int *a, const int *b, int *out);

/* The rows of each group, ascending: those of group g are rows[start[g]] .. rows[start[g + 1] - 1]. Groups are numbered
 * by their first row. */
typedef struct {
    int64_t n, count;
    int64_t *of; /* n: the group of a row */
    int64_t *start, *rows;
    bool mixed; /* rows of a group may differ: the user's groups; else they are equal in every column */
} row_groups;

rung_status row_groups_new(rung_ctx *ctx, pool *mem, int64_t n, const int *group, row_groups *out); /* NULL: one each */

static inline int64_t row_groups_size(const row_groups *g, int64_t group)
{
    return g->start[group + 1] - g->start[group];
}

#endif
