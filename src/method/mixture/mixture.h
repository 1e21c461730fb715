// SPDX-License-Identifier: BSD-3-Clause
/* An average of many cheap models, each assessed by its closed-form leave-one-out ranked probability score and a prior;
 * the families are then stacked with shrinkage, and the average is sharpened. No folds, no seed.
 *
 * Inside a family weights are exp(-8 (error + penalty)) (spread labels on redundant columns: exp(-error - 8 penalty));
 * between families w minimises the squared error of the mixture plus sum w^2 / prior on the simplex. Members below a
 * thousandth are dropped. Above 500 labels the grid is run on 500 of them, and only the candidates that matter there,
 * with their neighbours in the grid, are fitted to all. Labels are spread over at most 4000 to 50,000 unlabelled rows,
 * fewer with more labels. */
#ifndef RUNG_METHOD_MIXTURE_MIXTURE_H
#define RUNG_METHOD_MIXTURE_MIXTURE_H

#include "method/mixture/candidates.h"

typedef struct {
    unsigned families, spaces; /* bits, as in candidates_new */
    bool frequencies;          /* the class frequencies are a family too */
    int64_t most_unlabelled;   /* unlabelled rows used; 0: depends on the number of labels */
} mixture_options;

typedef struct {
    double weight[SPACES][FAMILY_KINDS], frequencies; /* of the families */
    bool present[FAMILY_KINDS];
    double redundancy;   /* columns per effective dimension, minus the value expected by chance */
    bool manifold;       /* redundant columns: label spreading has the larger prior weight */
    double mae, median;  /* leave-one-out; of always predicting the median */
    double supervised;   /* leave-one-out of the families that do not use unlabelled rows ... */
    bool has_supervised; /* ... where that is another mixture */
    int members;
    int64_t unlabelled, unlabelled_used; /* if only some of the unlabelled rows were used */
} mixture_summary;

typedef struct {
    int candidate; /* -1: the class frequencies */
    double weight;
} mixture_part;

typedef struct { /* what a mixture consists of, in the scratch pool */
    candidates c;
    int n;
    mixture_part *parts;
    double sharpen;
    double *loo;      /* labelled x (K - 1): leave-one-out predictions of the whole */
    double violation; /* of the optimality of the families' weights, see stack_violation */
} mixture_choice;

rung_status mixture_choose(rung_ctx *ctx, problem *p, const mixture_options *options, mixture_choice *out,
                           mixture_summary *summary);
/* Fills out->members, sharpen, loo and n_expansion; p has two classes or more. */
rung_status mixture_fit(rung_ctx *ctx, pool *mem, problem *p, const mixture_options *options, fitted *out,
                        mixture_summary *summary);
/* The conditions of each member and of the weights; for verify.h. */
rung_status mixture_verify(rung_ctx *ctx, const struct verification *v, const mixture_options *options);
double mixture_bytes(const problem_shape *shape, const mixture_options *options);

/* ---- mixture_members.c: from the candidates that are kept to the members of a model ---- */

rung_status mixture_members(rung_ctx *ctx, pool *mem, const candidates *c, int n, const mixture_part *parts,
                            fitted *out);

#endif
