// SPDX-License-Identifier: BSD-3-Clause
/* Trees inside an average of models: predictions for rows that the trees have not seen, and, where these are worth a
 * weight, the trees themselves. They are boosted, with the ordinal or the nominal link, or random
 * (trees/random_tree.h).
 *
 *     boost_rows rows;                            once for all kinds
 *     TRY(stacked_rows(ctx, mem, p, &rows));
 *     TRY(stacked_folds(ctx, mem, p, 5, &f));     f.count 0: all rows are equal, there is nothing to learn
 *     TRY(stacked_trees_run(ctx, mem, &rows, kind, &f, &trees));
 *     TRY(stacked_trees_member(ctx, mem, &rows, &trees, &member)); */
#ifndef RUNG_METHOD_BOOST_STACKED_H
#define RUNG_METHOD_BOOST_STACKED_H

#include "method/boost/boost.h"

typedef enum { STACKED_ORDINAL, STACKED_NOMINAL, STACKED_RANDOM, STACKED_KINDS } stacked_kind;

typedef struct {
    stacked_kind kind;
    int rounds;    /* of the least held-out loss; random: the number of trees ... */
    double loss;   /* ... and that loss; random: 0 */
    double *proba; /* n x K by rows: predictions without the row's fold after this number of rounds, the mean over
                      repeats */
} stacked_trees;

/* The rows of a problem in bins. */
rung_status stacked_rows(rung_ctx *ctx, pool *mem, const problem *p, boost_rows *out);
/* Folds that hold out every row of a problem whose rows are all labelled, rows of a group together. */
rung_status stacked_folds(rung_ctx *ctx, pool *mem, const problem *p, int count, folds *out);
/* With the default parameters for this number of labels; f must hold out every row. */
rung_status stacked_trees_run(rung_ctx *ctx, pool *mem, const boost_rows *rows, stacked_kind kind, const folds *f,
                              stacked_trees *out);
/* Grown from all rows; everything but the weight and the common scaling. */
rung_status stacked_trees_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, const stacked_trees *trees,
                                 member *out);
/* Peak memory of one link with all folds side by side. */
double stacked_trees_bytes(const problem_shape *shape, bool nominal, int n_folds);

/* ---- random_trees.c ---- */

rung_status random_trees_run(rung_ctx *ctx, const boost_rows *rows, const folds *f, stacked_trees *out);
rung_status random_trees_member(rung_ctx *ctx, pool *mem, const boost_rows *rows, int trees, member *out);
double random_trees_bytes(const problem_shape *shape);

#endif
