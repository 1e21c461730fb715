// SPDX-License-Identifier: BSD-3-Clause
/* The columns of a table as small whole numbers, once for all trees.
 *
 * A numeric column is divided at quantiles into at most MOST_BINS bins 1, 2, ...: bin b holds cut[b-2] < x <= cut[b-1].
 * A text column has one bin per category, the rarest sharing the last one if there are too many. Bin 0 is a missing
 * cell, or a category the coding does not know. */
#ifndef RUNG_TREES_BINS_H
#define RUNG_TREES_BINS_H

#include "data/dataset.h"

enum { MOST_BINS = 255, BIN_ROOM = MOST_BINS + 1 };

/* Coded rows as in a data set: d x n_rows, NaN = missing. */
typedef struct {
    const coding *code;
    const double *cells;
    int64_t n_rows;
    const double *weight; /* per row: one of weight 0 is none; NULL: all count */
} tree_table;

static inline bool row_counts(const tree_table *t, int64_t i) { return !t->weight || t->weight[i] > 0; }

typedef struct {
    const coding *code;
    int64_t n_columns;  /* of the table: a text column is one */
    int *count;         /* per column: bins but for bin 0 */
    bool *varies;       /* per column: it divides the rows of the table; being missing counts as a value */
    int64_t *cut_first; /* n_columns + 1: a column of numbers has the cuts cut_first[c] .. cut_first[c+1]-1 */
    double *cut;        /* ascending */
    uint8_t **category; /* per text column: the bin of each category; NULL for numbers */
} tree_bins;

/* Here and in grow.h and boosting.h steps are divided into tasks for the threads of with_helpers, if there are any. */

/* By all rows of the table. */
rung_status bins_new(rung_ctx *ctx, pool *mem, const tree_table *t, tree_bins *out);
/* The bins of n rows twice: n_columns bytes a row for histograms, n bytes a column for dividing rows. by_column NULL:
 * to save memory rows are divided by the former. */
typedef struct {
    int64_t n;
    uint8_t *by_row, *by_column;
} tree_codes;
/* rows NULL: the first n. */
rung_status codes_new(rung_ctx *ctx, pool *mem, const tree_bins *b, const tree_table *t, int64_t n, const int64_t *rows,
                      tree_codes *out);

/* The number of cuts below x: x <= cut[k] exactly if the answer is at most k. */
int64_t cuts_below(int64_t n, const double *cut, double x);
/* The category (from 0) of a text column of a coded row; -1: none of them. */
int64_t row_category(const column_code *c, const double *row);

#endif
