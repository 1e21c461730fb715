// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_EXPLAIN_ROW_H
#define RUNG_EXPLAIN_ROW_H

#include "explain/answer.h"

struct rung_row {
    pool mem;
    rung_row_summary about;
    int n;
    rung_contribution *column;
    int n_changes[2]; /* down, up */
    rung_change *change[2];
};

/* The whole of rung_row_explain. */
rung_status row_explain(rung_ctx *ctx, const rung_model *m, const rung_data *data, const rung_row_options *options,
                        rung_row **out);

typedef struct {
    double average, average_error; /* answer of the background */
    bool exact;                    /* all sets of columns against all rows of the background: every error is 0 */
    int64_t samples;               /* pairs of orders; 0: all sets */
    int64_t rows;                  /* of the background that were used */
    double *value;                 /* per source column; they add up to the answer of the row minus the average */
    double *error;                 /* standard errors */
} contributions;
/* Shapley values of a coded row x against the rows of the background, at most `most` of them (0: as many as can be had
 * for moderate work); samples: pairs of orders; 0: all sets of columns or, where these are many, as many pairs as
 * the same work allows. In scratch memory (shapley.c). */
rung_status shapley(rung_ctx *ctx, const rung_model *m, const double *x, const rung_data *background, int64_t most,
                    int64_t samples, contributions *out);

enum { MOST_CHANGED = 3 };
typedef struct {
    int rank; /* reached; 0: no change was found */
    int n;    /* columns that change */
    int64_t column[MOST_CHANGED];
    double *x; /* the changed row, coded */
} row_change;
/* The smallest change within the values of the data that gives the coded row x a higher (step 1) or lower (-1) rank;
 * columns with a flag stay (change.c). */
rung_status change_find(rung_ctx *ctx, const rung_model *m, const double *x, const rung_data *data, int step,
                        const bool *fixed, row_change *out);

#endif
