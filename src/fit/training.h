// SPDX-License-Identifier: BSD-3-Clause
/* From a data set to the problems methods work on: the classes that have labels, row weights, scaling. Made once for a
 * fit, and once for all folds and grid points of a search. */
#ifndef RUNG_FIT_TRAINING_H
#define RUNG_FIT_TRAINING_H

#include "data/together.h"
#include "fit/method.h"

typedef struct {
    const rung_data *data;
    int K;        /* classes with labels: methods see 1..K */
    int *present; /* ... and they are these of the data */
    int *y;       /* per row of the data: 1..K, 0 = unlabelled */
    int *upper;   /* where labels are intervals (data/intervals.h); NULL: none is. One of all K ranks is unlabelled */
    double *w;    /* per row of the data: row weight times class weight; NULL = all 1 */
    double *t;    /* per row of the data: real target, NaN = unlabelled; NULL: classes (with it K = 0) */
    int64_t n_labelled;
    int64_t n_objects; /* the same with copies counted once */
    int *same;  /* per row of the data: equal labelled rows have equal numbers (data/together.h); NULL: no two are equal
                 */
    int *equal; /* `same` where equal rows leave together; else NULL */
    int *group; /* the same for rows that leave together: `equal`, or joined with the groups of the data */
    equal_counts equals;
    equal_rule rule; /* by which it was decided whether equal rows leave together */
    bool counted;    /* row weights say how many equal rows a row stands for */
    scaling scale;
    problem labelled, all; /* the labelled rows; all rows (only where a method uses the unlabelled ones) */
    rows_beyond rows;      /* where the data are a sample of them and the method sums over all */
    double *relevance;     /* weights of the columns by the labels; NULL: none */
    double *class_weight;  /* per class of the data; NULL = all 1 */
    int64_t known;         /* an update: the number of labelled rows at the start to which the state belongs ... */
    const double *state;   /* ... where their fit ended; NULL: no update, or it cannot be used */
} training;

/* spec: scale, class weights and whether the kernel is precomputed. use_unlabelled: a method will ask for all rows;
 * scaled: one will ask for scaled rows. */
rung_status training_new(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, bool use_unlabelled, bool scaled,
                         training *out);

/* RUNG_EARG, with the methods that can, where labels are intervals and the method cannot learn from them. */
rung_status intervals_check(rung_ctx *ctx, const rung_data *data, const method *m);
/* Whether the method can learn from these labels; if not, an error. */
rung_status training_check(rung_ctx *ctx, const training *t, const method *m);
/* The rows the method works on, after a check of the memory limit. */
rung_status training_problem(rung_ctx *ctx, training *t, const rung_spec *spec, problem **out);

#endif
