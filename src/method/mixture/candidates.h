// SPDX-License-Identifier: BSD-3-Clause
/* The models a mixture averages: a grid of ordinal probit Gaussian processes, cumulative ridges and label spreadings on
 * two representations of the columns, each with leave-one-out predictions in closed form. What several of them need
 * (Gram matrices, eigenvectors, graphs, propagated labels) is computed once; they run in parallel. */
#ifndef RUNG_METHOD_MIXTURE_CANDIDATES_H
#define RUNG_METHOD_MIXTURE_CANDIDATES_H

#include "data/row_groups.h"
#include "fit/method.h"
#include "method/mixture/cumulative_ridge.h"
#include "method/mixture/ogp_features.h"
#include "method/mixture/ogp_gp.h"

typedef enum { FAMILY_GP, FAMILY_RIDGE, FAMILY_SPREAD, FAMILY_KINDS } family_kind;
enum {
    SPACES = 4,  /* the columns as the problem has them; their ranks; both with weights */
    KERNELS = 7, /* six rbf widths, linear */
    MOST_LEVELS = 8,
    GRAPHS = 3,
    SPREADS = 2
};

static inline bool space_weighted(int space) { return space >= 2; }

typedef struct {
    family_kind kind;
    int space, kernel, level; /* kernel and graph: places in their grids; level: of variance, ridge or power */
    int graph, spread;        /* FAMILY_SPREAD */
    double penalty;           /* minus the log prior */
    bool wanted;
    double *loo;  /* labelled x (K - 1) by rows; NULL: not requested, or it failed numerically */
    double *coef; /* FAMILY_GP: labelled, f = variance gram coef; FAMILY_RIDGE: labelled x (K - 1); with landmarks
                     weights of their features, m instead of labelled */
    double *bias; /* FAMILY_GP: the thresholds; FAMILY_RIDGE: the constants; K - 1 */
} candidate;

typedef struct { /* a kernel represented by landmarks */
    landmarks l;
    la_mat *Phi; /* m x labelled: the features of the labelled rows */
    double *own; /* labelled: k(x, x) */
} landmark_kernel;

typedef struct {                 /* one representation of the columns */
    problem all;                 /* graphs are built over these rows ... */
    problem labelled;            /* ... kernels over these, whose columns may be weighted */
    scaling rank;                /* of the second space: from the first one's columns */
    scaling picture;             /* from the first space's columns to those of `labelled`; d = 0: they are the same */
    const la_mat *gram[KERNELS]; /* over the labelled rows; NULL: no candidate needs it */
    landmark_kernel *features[KERNELS]; /* instead of it, where there are landmarks */
    const la_csr *edges[GRAPHS];
    double width[GRAPHS];
    int64_t neighbours[GRAPHS];
    double *scores[GRAPHS][SPREADS]; /* rows x K: the scores of each row; NULL: not requested */
} mixture_space;

typedef struct {
    problem *p;
    problem base;        /* its labelled rows */
    int64_t l, *rows;    /* the labelled ones */
    const int *y;        /* l: their ranks */
    const int *upper;    /* l: where labels are intervals (data/intervals.h); NULL: none is */
    double *mass;        /* K: the weight of the classes; intervals are divided by it */
    row_groups together; /* those that are left out together */
    mixture_space space[SPACES];
    int64_t landmarks; /* the most that represent a kernel; 0: kernels are exact */
    bool made;         /* landmarks are points drawn at random, not rows */
    double *prior;     /* K: shrunk class frequencies, where no label arrives */
    int n;
    candidate *list;
} candidates;

/* All candidates of these families (bits 1 << kind) and spaces (bits), with exact kernels (landmarks may be set
 * afterwards); without unlabelled rows there is no spreading. relevance (or NULL): weights of the columns that kernels
 * see. p is the caller's own view; arrays are in the scratch pool. */
rung_status candidates_new(rung_ctx *ctx, problem *p, unsigned families, unsigned spaces, const double *relevance,
                           candidates *out);
/* The kernel candidates that are wanted in `all`, for some of its labelled rows (n of them, listed) and with other
 * weights. Classes without rows are removed, as by problem_subset. */
rung_status candidates_some(rung_ctx *ctx, const candidates *all, int64_t n, const int64_t *rows,
                            const double *relevance, candidates *out, int *classes);
rung_status candidates_run(rung_ctx *ctx, candidates *c); /* those that are wanted */

typedef struct {
    double n, l, d, m;      /* rows, labelled ones, columns; landmarks of a kernel, 0: exact */
    double kernels, wanted; /* shares of the kernels and of the candidates on them that are wanted */
    int K, threads;
    unsigned families;
} candidates_shape;
double candidates_bytes(const candidates_shape *s);       /* of a space: rows, kernels, graphs and candidates */
double candidates_tasks_bytes(const candidates_shape *s); /* what the tasks of a run hold beside them */

/* p (K): the class frequencies, (N_q + 1/K) / (l + 1), rows counted by their weights. */
void candidates_frequencies(const candidates *c, double *p);
/* The labelled rows as the families take them. */
cumulative_rows candidates_targets(const candidates *c);
kernel candidate_kernel(const candidates *c, const candidate *one);
double candidate_scale(const candidates *c, const candidate *one);   /* of the kernel: 1, or 1/d where it is linear */
double candidate_variance(const candidate *one);                     /* FAMILY_GP */
ogp_gp candidate_process(const candidates *c, const candidate *one); /* FAMILY_GP */
ogp_features candidate_features(const candidates *c, const candidate *one); /* FAMILY_GP, with landmarks */
double candidate_ridge(const candidate *one);                               /* FAMILY_RIDGE */
double candidate_power(const candidate *one);                               /* FAMILY_SPREAD */
double candidate_spread(const candidate *one);                              /* FAMILY_SPREAD */
/* FAMILY_SPREAD where columns are redundant: added to the penalty. There few neighbours are best, since edges between
 * classes are the long ones, and a label has to reach n / l rows on a walk of 1 / (1 - spread) steps, about half of
 * which reach a new row. */
double candidate_reach_penalty(const candidates *c, const candidate *one);
/* Whether b is a or next to it in the grid: the same family and space, widths and levels at most one step away. */
bool candidates_near(const candidate *a, const candidate *b);

#endif
