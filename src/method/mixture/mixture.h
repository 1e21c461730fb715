// SPDX-License-Identifier: BSD-3-Clause
/* An average of many cheap models, each assessed by its ranked probability score on rows that it has not seen, and a
 * prior; the families are then stacked with shrinkage, and the average is sharpened.
 *
 * Kernels and spread labels are assessed by leave-one-out in closed form. Kernels on columns that are weighted by their
 * relevance, and trees, are assessed by folds: the weights of the columns and of members are found without the fold,
 * the number of rounds is that of the least loss over all folds.
 *
 * Inside a family weights are exp(-8 (error + penalty)) (spread labels on redundant columns: exp(-error - 8 penalty));
 * between families w minimises the squared error of the mixture plus sum w^2 / prior on the simplex. Light members are
 * dropped (kept.h). With more labels the plan (plan.h) runs the grid on some of them, and represents kernels by
 * landmarks. */
#ifndef RUNG_METHOD_MIXTURE_MIXTURE_H
#define RUNG_METHOD_MIXTURE_MIXTURE_H

#include "method/mixture/held_families.h"
#include "method/mixture/kept.h"
#include "method/mixture/plan.h"

typedef struct {
    unsigned families, spaces; /* bits, as in candidates_new */
    bool frequencies;          /* the class frequencies are a family too */
    bool trees;                /* boosted and random trees are families too */
    bool relevance;            /* kernels also see columns weighted by their relevance */
    bool made;                 /* kernels are represented by points that are drawn, not by rows */
    bool planned;              /* by the plan for `effort`; false: exact, the grid on 500 labels at most */
    effort_level effort;
    double least;            /* weight of a member that is kept; 0: a thousandth */
    int most_rank;           /* of the variance of Gaussian processes in the model; 0: exact */
    int64_t most_unlabelled; /* unlabelled rows used; 0: depends on the number of labels */
} mixture_options;

typedef struct {
    double weight[SPACES][FAMILY_KINDS], frequencies, trees[STACKED_KINDS]; /* of what is kept of the families */
    bool present[FAMILY_KINDS];
    double redundancy;   /* columns per effective dimension, minus the value expected by chance */
    bool manifold;       /* redundant columns: label spreading has the larger prior weight */
    double mae, median;  /* leave-one-out; of always predicting the median */
    bool weighted;       /* rows count in these as their weights say */
    double tried;        /* > 0: that of a mixture that was worse than the median, and given up for it */
    double supervised;   /* leave-one-out of the families that do not use unlabelled rows ... */
    bool has_supervised; /* ... where that is another mixture */
    int members;
    int64_t unlabelled, unlabelled_used; /* if only some of the unlabelled rows were used */
    int64_t labelled, kernel_rows;       /* if kernels saw only some of the labelled rows */
    int64_t all;                         /* labelled rows beyond a sample, if boosted trees trained on all of them */
    const double *relevance;             /* of the columns; NULL: none */
} mixture_summary;

typedef struct {      /* the labelled rows in bins, folds of them, and trees that did not see their fold */
    problem labelled; /* all labelled rows, without their scaled columns */
    boost_rows rows;
    folds f;     /* count 0: neither trees nor weights of the columns */
    int64_t *at; /* which of them the rows of the candidates are */
    stacked_trees of[STACKED_KINDS];
} mixture_trees;

typedef struct { /* what a mixture consists of, in the scratch pool */
    candidates c;
    mixture_trees trees;
    mixture_kept kept;
    double sharpen;
    int64_t n_rows;      /* labelled rows */
    const double **held; /* what each part says of the rows of the candidates, which it has not seen, */
    double *combined;    /* and all of them with the weights of the model */
    double *loo;         /* n_rows x (K - 1): predictions by the whole without the row; NaN: it was never held out */
    double violation;    /* of the optimality of the families' weights, see stack_violation */
} mixture_choice;

rung_status mixture_choose(rung_ctx *ctx, problem *p, const mixture_options *options, mixture_choice *out,
                           mixture_summary *summary);
/* Fills out->members, sharpen, loo and n_expansion; p has two classes or more. */
rung_status mixture_fit(rung_ctx *ctx, pool *mem, problem *p, const mixture_options *options, fitted *out,
                        mixture_summary *summary);
/* The conditions of each member and of the weights; for verify.h. */
rung_status mixture_verify(rung_ctx *ctx, const struct verification *v, const mixture_options *options);
double mixture_bytes(const problem_shape *shape, const mixture_options *options);
double mixture_model_bytes(const problem_shape *shape, const mixture_options *options);

/* ---- thin.c: some of many rows ---- */

/* So many of the l labelled rows, evenly spaced in the order of (label, row), and all unlabelled ones. */
rung_status mixture_evenly_spaced(rung_ctx *ctx, const problem *p, int64_t l, int64_t wanted, int64_t *rows,
                                  int64_t *count);
/* *p with all its labelled rows and, evenly spaced, as many of the others as `most` allows (0:
 * mixture_most_unlabelled). */
rung_status mixture_thin_unlabelled(rung_ctx *ctx, int64_t most, problem **p, mixture_summary *summary);
/* Leaving out each label costs a linear system over all rows for every graph; this limits the unlabelled rows used. */
int64_t mixture_most_unlabelled(int64_t labelled);
/* Kernels see the rows that f (folds of the labelled rows) holds out, a row of every class and, evenly spaced, others,
 * that many in all or little more; *p becomes a problem of these and the unlabelled ones. most 0: all. */
rung_status mixture_thin_labels(rung_ctx *ctx, int64_t most, const folds *f, problem **p, mixture_summary *summary);

/* ---- mixture_members.c: from the candidates that are kept to the members of a model ---- */

/* trees: NULL where no part is one of them. most_rank: of the variance of Gaussian processes; 0: exact. */
rung_status mixture_members(rung_ctx *ctx, pool *mem, const candidates *c, const mixture_trees *trees, int most_rank,
                            int n, const mixture_part *parts, fitted *out);

#endif
