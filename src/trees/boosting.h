// SPDX-License-Identifier: BSD-3-Clause
/* Gradient boosting round by round: one tree per round (ordinal) or one per class (nominal), each fitted to the
 * derivatives of the loss after the previous trees.
 *
 * Friedman. Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5):1189-1232, 2001. */
#ifndef RUNG_TREES_BOOSTING_H
#define RUNG_TREES_BOOSTING_H

#include "data/intervals.h"
#include "trees/forest.h"
#include "trees/loss.h"
#include "trees/packed.h"

typedef struct {
    tree_rules tree;
    bool nominal;
    double rate; /* of a tree's values */
    double rows; /* share of the rows used for a tree */
} boost_rules;

typedef struct {
    const tree_bins *b;
    tree_codes codes; /* of the n rows */
    int64_t n;
    int K;
    const int *y;           /* 1..K; 0: a row that is never trained on */
    const int *upper;       /* where labels are intervals (data/intervals.h); NULL: none is */
    const double *w;        /* NULL: 1 */
    const packed_rows *all; /* the rows trained on, of which these are a sample; NULL: they are all there is */
    bool side_by_side;      /* several fits to `all` at the same time */
    const int *rank;        /* ranks of all->K + 1 classes, 0: no row trains; NULL: as in y. K is their number */
} boost_rows;
/* Rows trained on, held-out ones included. */
static inline int64_t boost_rows_all(const boost_rows *rows) { return rows->all ? rows->all->total : rows->n; }

typedef struct {
    const boost_rows *data;
    boost_rules rules;
    int outputs, threads;
    int output; /* whose tree grows */
    int64_t n_train, n_held;
    int32_t *train, *held; /* ascending */
    double *f;             /* n x outputs, column-major: of these rows; with data->all of those held out */
    double *start;         /* the start of f: 0, nominal: the log shares of the classes */
    ordinal link;          /* unless nominal */
    /* room */
    tree tree;
    grower *grower;
    tree_units units;
    packed_run *run; /* of data->all */
    double total;    /* weight of the rows trained on */
    double *norm, *partial;
    double *inside; /* nominal, with intervals: the logarithm of the sum of exp(f) over the classes of a label */
    bool *sampled;
    rng random;
} boosting;

typedef struct { /* of the first n rows those with of[i] == held are held out */
    const int *of;
    int held;
    int64_t n;
} boost_fold;
static inline bool fold_holds(const boost_fold *f, int64_t i) { return i < f->n && f->of[i] == f->held; }
/* For the rows with labels that are not held out (without NULL: all of them); held-out rows are predicted, too. Every
 * class needs a training row. */
rung_status boosting_new(rung_ctx *ctx, pool *mem, const boost_rows *data, const boost_fold *without,
                         const boost_rules *rules, uint64_t stream, int threads, boosting **out);
typedef struct {
    int64_t n, columns;
    int64_t binned; /* rows whose cells the bins are of */
    int K, leaves;
    bool nominal;
    int64_t all; /* rows that the n are a sample of; 0: the n are all */
} boosting_shape;
/* Room for one of them in bytes, beyond the bins. */
double boosting_bytes(const boosting_shape *s, int threads);

/* One round; its trees are added to `keep` (NULL: they are not kept) with their values times rate / share. Safe to run
 * in parallel with others: only ctx->seed is read. */
rung_status boosting_round(rung_ctx *ctx, boosting *b, pool *mem, double share, forest *keep);
/* Newton steps to convergence: the thresholds that fit the training rows best. *largest: the largest entry of the
 * gradient of the mean loss; NULL: not wanted. */
rung_status boosting_thresholds(boosting *b, double *largest);

#endif
