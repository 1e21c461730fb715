// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_EXPLAIN_ROW_H
#define RUNG_EXPLAIN_ROW_H

#include "explain/answer.h"

/* See rung_row_explain; the report is malloc'ed. */
rung_status row_explain(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *options,
                        char **report);

typedef struct {
    double average; /* answer of the background */
    bool exact;
    int samples;   /* pairs of orders; 0 where exact */
    double *value; /* per source column; they add up to the answer of the row minus the average */
    double *error; /* standard errors; 0 where exact */
} contributions;
/* Shapley values of a row against background rows (row numbers of the data); in scratch memory (shapley.c). */
rung_status shapley(rung_ctx *ctx, const rung_model *m, const rung_data *data, int64_t row, int64_t n,
                    const int64_t *background, int samples, contributions *out);

enum { MOST_CHANGED = 3 };
typedef struct {
    int rank; /* reached; 0: no change was found */
    int n;    /* columns that change */
    int64_t column[MOST_CHANGED];
    double *x; /* the changed row, coded */
} row_change;
/* The smallest change within the values of the data that gives the row a higher (step 1) or lower (-1) rank; columns with
 * a flag stay (change.c). */
rung_status change_find(rung_ctx *ctx, const rung_model *m, const rung_data *data, int64_t row, int step,
                        const bool *fixed, row_change *out);

#endif
