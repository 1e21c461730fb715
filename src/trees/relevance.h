// SPDX-License-Identifier: BSD-3-Clause
/* How much each column says about the ranks. Kernels and graphs see distances, in which every standardised column
 * counts the same; columns multiplied by these weights count as much as they matter to trees. */
#ifndef RUNG_TREES_RELEVANCE_H
#define RUNG_TREES_RELEVANCE_H

#include "trees/boosting.h"

/* w (the d columns of the coding): from the gains g_c of a few small boosted trees, those of a text column divided
 * among its coded columns, w ~ (0.9 g d + 0.1)^0.75 with sum g = 1 and mean square 1 over the d columns that vary.
 * Without any split all their weights are 1. */
rung_status relevance_weights(rung_ctx *ctx, const boost_rows *data, double *w);
typedef struct {
    int64_t n;
    const int64_t *rows; /* n, of a table */
    int K;
    const int *y;     /* n: 1..K, each present */
    const int *upper; /* intervals, or NULL */
    const double *w;  /* weights, or NULL */
} relevance_rows;
/* The same for rows of a table. */
rung_status relevance_of_rows(rung_ctx *ctx, const tree_table *t, const relevance_rows *r, double *w);

#endif
