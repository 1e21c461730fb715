// SPDX-License-Identifier: BSD-3-Clause
/* The training problem: scaled rows and ranks, and what is derived from them, each computed at most once. */
#ifndef RUNG_PROBLEM_PROBLEM_H
#define RUNG_PROBLEM_PROBLEM_H

#include "data/dataset.h"
#include "data/row_groups.h"
#include "data/scale.h"
#include "data/splits.h"
#include "graph/graph.h"
#include "kernel/feature.h"
#include "kernel/kernel.h"
#include "kernel/landmark.h"
#include "rows/rows.h"

typedef struct problem_entry problem_entry;

/* All rows of which those of a problem are a sample. */
typedef struct {
    const row_source *source;
    const scaling *scale;       /* of the problem's rows; NULL: they are not scaled */
    const int *rank;            /* classes of the data + 1: their ranks in the problem */
    const double *class_weight; /* per class of the data; NULL: 1 */
    int64_t n_labelled;
} rows_beyond;

typedef struct problem {
    pool *mem;
    int64_t n, d;
    int K;              /* classes; each has a labelled row */
    const int *classes; /* K: which of the data they are, so that errors count those without a label; NULL: all */
    const double *X;    /* d x n, scaled; NULL where no method asks for scaled rows */
    const int *y;       /* 1..K, 0 = unlabelled */
    const int *upper;   /* where labels are intervals (data/intervals.h): the highest rank, y the lowest; else NULL */
    const int *group;   /* labelled rows with the same number are held out together; NULL: each separately */
    const int *equal; /* the same for rows that are equal in every column: `group` itself unless the user has groups */
    const int *cluster;    /* the groups that the user names, alone; NULL: none */
    const double *w;       /* row weights, NULL = 1 */
    const double *count;   /* the part of w that is the row's own: how many rows it counts as; NULL = 1 */
    bool counted;          /* ... a whole number for every labelled row */
    const double *t;       /* real targets, NaN = unlabelled; NULL: the ranks are all there is */
    const int64_t *origin; /* row of the data set each row came from: its column in a precomputed kernel */
    const coding *code;    /* of the data set ... */
    const double *cells;   /* ... and its unscaled rows, d x n_cells, NaN = missing: row i is at origin[i] */
    int64_t n_cells;
    const double *weight_cells; /* of these rows; NULL: all 1 */
    const double
        *relevance; /* d: weights that the scaled columns have from the labels; NULL: none. Held-out rows ask for
                                weights learned without them (fit/heldout.c) */
    const rows_beyond *all;       /* sums are over all its labelled rows; NULL: the rows here are all */
    int64_t varying;              /* columns that are not constant: the d of gamma = 1/d */
    const struct problem *parent; /* a fold looks things up there ... */
    const int64_t *rows;          /* ... at these rows; NULL: at all of them, in order */
    bool many_kernels;            /* a search over kernels: keep the distances */
    la_mat *distances;
    void *shared; /* what the method stored for its next fit on this problem (method.h: share), or NULL */
    problem_entry *cache;
} problem;

/* Labelled rows in all; of a problem whose rows are labelled. */
static inline int64_t problem_labelled(const problem *p) { return p->all ? p->all->n_labelled : p->n; }
/* Rows in all, of which those of the problem may be a sample. */
static inline int64_t problem_total(const problem *p) { return p->all ? p->all->source->n_rows : p->n; }
/* There are rows beyond those of the problem. */
static inline bool problem_partial(const problem *p) { return p->n < problem_total(p); }

static inline point_set problem_points(const problem *p) { return (point_set){.d = p->d, .n = p->n, .X = p->X}; }
static inline ranked_rows problem_ranks(const problem *p)
{
    return (ranked_rows){.n = p->n,
                         .y = p->y,
                         .K = p->K,
                         .group = p->group,
                         .upper = p->upper,
                         .count = p->counted && p->group ? p->count : NULL};
}

/* The class of the data that a rank is. */
static inline int problem_class(const problem *p, int rank) { return p->classes ? p->classes[rank - 1] : rank; }

/* The groups of a problem whose rows are all labelled. */
rung_status problem_groups(rung_ctx *ctx, pool *mem, const problem *p, row_groups *out);

typedef struct { /* what a problem is made of, as in the fields of the same name */
    int64_t d, n;
    const double *X;
    const int *y;
    const double *w;
    const int64_t *origin;
    int K;
} problem_rows;

/* What a trace over columns is divided by for their mean: constant ones have no part in it. */
static inline double varying_columns(const problem *p) { return p->varying > 1 ? (double)p->varying : 1; }

typedef struct { /* labelled rows as a problem has them */
    int64_t n;
    const double *X;     /* d x n, scaled; NULL where the problem has no scaled rows */
    const double *cells; /* d x n, NaN: missing */
    const int *y;
    const double *w;    /* NULL: 1 */
    const int64_t *row; /* rows of the file ... */
    int64_t file;       /* ... with this number */
} problem_block;
typedef rung_status problem_block_fn(rung_ctx *ctx, void *user, const problem_block *b, double *sum);
/* A pass over all labelled rows: sum (size numbers) := what fn adds for every block. Of a problem with p->all. */
rung_status problem_sum(rung_ctx *ctx, const problem *p, problem_block_fn *fn, void *user, int64_t size, double *sum);

typedef struct {         /* sums over all labelled rows, phi their landmark features */
    la_mat *S;           /* m x m: w (phi - shift)(phi - shift)' */
    double *sums;        /* m x K, by class: w (phi - shift) */
    double *mass, *size; /* K: weights and numbers of the rows */
    double *shift;       /* m */
} feature_moments;
/* One pass. shifted: about a shift near the mean, which is 0 otherwise. In scratch memory. */
rung_status problem_moments(rung_ctx *ctx, const problem *p, const landmarks *l, bool shifted, feature_moments *out);
/* The same with the products of about so many rows, if there are more than twice as many; those of the sample are all
 * there. */
rung_status problem_moments_thinned(rung_ctx *ctx, const problem *p, const landmarks *l, bool shifted, double rows,
                                    feature_moments *out);
double problem_product_rows(int64_t m); /* how many problem_moments takes for m landmarks */
double problem_moments_bytes(int64_t d, int64_t m);

void problem_new(pool *mem, const problem_rows *given, problem *out);
/* The labels, groups, weights and targets that `of` has, at some rows. */
rung_status problem_labels(rung_ctx *ctx, pool *mem, const problem *of, int64_t n, const int64_t *rows, problem *out);
/* Some rows of a problem (a fold's training part); classes without rows are removed (classes_present) and ranks
 * renumbered. classes[r-1] (room for parent->K) is the parent's rank of rank r. */
rung_status problem_subset(rung_ctx *ctx, pool *mem, const problem *parent, int64_t n, const int64_t *rows,
                           problem *out, int *classes);

/* A worker's own view of a problem: what the parent has is used in place, what is missing is computed in the worker's
 * memory. The parent must not change meanwhile. */
problem problem_view(const problem *parent, pool *mem);

/* The kernel with its gamma settled for this problem: NaN is 1/d, -c is c/d, d the number of columns that vary. */
kernel problem_kernel(const problem *p, const kernel *k);
/* RUNG_EDATA where the kernel of a row with itself overflows: no entry of a kernel matrix is larger than the largest of
 * its diagonal. Those below ask for it. */
rung_status problem_kernel_finite(rung_ctx *ctx, const problem *p, const kernel *k);
/* The largest k(x_i, x_i) of its rows. */
double problem_largest_self(const problem *p, const kernel *k);

/* What follows takes settled kernels, and lasts until problem_forget. */

/* The Gram matrix over all rows; a sub-block of the parent's where that has it. */
rung_status problem_gram(rung_ctx *ctx, problem *p, const kernel *k, const la_mat **out);
/* F (n x rank) with K = F F' for the Gram matrix K, 1 added to its entries where a constant is wanted; rows of the
 * parent's where that has it. RUNG_EDATA: K is not positive semidefinite. */
rung_status problem_root(rung_ctx *ctx, problem *p, const kernel *k, bool constant, const la_mat **out);
/* At least the r leading eigenpairs of the Gram matrix. */
rung_status problem_eigen(rung_ctx *ctx, problem *p, const kernel *k, int64_t r, const eigenpairs **out);

/* m landmarks among its rows; a fold has those of its parent. */
rung_status problem_landmarks(rung_ctx *ctx, problem *p, const kernel *k, int64_t m, const landmarks **out);

/* ---- graphs: of the problem's rows only, so a fold's held-out rows leave expansion and graph ---- */

typedef enum {
    SPACE_INPUT,  /* between the rows; with a precomputed kernel as SPACE_FEATURE of full rank */
    SPACE_FEATURE /* in the empirical feature space of k */
} space_kind;

typedef struct { /* where distances are measured */
    space_kind kind;
    kernel k;      /* SPACE_INPUT: only whether it is precomputed */
    double rank;   /* SPACE_FEATURE: floor(rank * n) leading components, at least one; 1: all of them */
    int landmarks; /* > 0: rank refers to this number of landmark features, and the kernel matrix is not used */
} problem_space;

typedef struct {
    problem_space space;
    int64_t neighbours;
    graph_rule rule;
    edge_weight weight;
    double width; /* EDGE_GAUSSIAN; NaN: the median distance to the last neighbour */
} problem_graph;

/* The k nearest neighbours of each row, n - 1 if there are no more. A fold re-selects them from its parent's lists. */
rung_status problem_neighbours(rung_ctx *ctx, problem *p, const problem_space *space, int64_t k, neighbours *out);
/* The affinities, and the width they were computed with (width may be NULL). */
rung_status problem_edges(rung_ctx *ctx, problem *p, const problem_graph *g, const la_csr **out, double *width);
rung_status problem_laplacian(rung_ctx *ctx, problem *p, const problem_graph *g, laplacian_norm norm,
                              const la_csr **out);

void problem_forget(problem *p); /* what depends on a kernel; not the distances nor the input-space graphs */

#endif
