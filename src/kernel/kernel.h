// SPDX-License-Identifier: BSD-3-Clause
/* Kernels k(x, z) and matrices of them. */
#ifndef RUNG_KERNEL_KERNEL_H
#define RUNG_KERNEL_KERNEL_H

#include "linalg/la.h"

typedef enum {
    KERNEL_RBF,        /* exp(-gamma |x-z|^2) */
    KERNEL_LINEAR,     /* x'z */
    KERNEL_POLY,       /* (gamma x'z + coef0)^degree */
    KERNEL_LAPLACIAN,  /* exp(-gamma |x-z|), the Euclidean norm */
    KERNEL_ARD,        /* exp(-sum_d s_d (x_d-z_d)^2) */
    KERNEL_PRECOMPUTED /* the columns of the data are k(row, training row j) */
} kernel_kind;

#define KERNEL_CHOICES "rbf|linear|poly|laplacian|ard|precomputed"
#define KERNEL_MOST_DEGREE 100

typedef struct {
    kernel_kind kind;
    double gamma, coef0;
    int degree;
    int64_t n_precisions;
    const double *precisions; /* KERNEL_ARD: one per coded column */
} kernel;

const char *kernel_name(kernel_kind kind);

/* K (n x n) over the columns of X (d x n, host). Distances are taken on centred columns. */
rung_status kernel_gram(rung_ctx *ctx, const kernel *k, int64_t d, int64_t n, const double *X, la_mat *K);
/* Squared distances between the columns of X, and a kernel that depends on nothing else from them: the same bits as
 * kernel_gram. */
bool kernel_by_distance(const kernel *k);
rung_status kernel_distances(rung_ctx *ctx, int64_t d, int64_t n, const double *X, la_mat *D);
rung_status kernel_gram_from_distances(rung_ctx *ctx, const kernel *k, const la_mat *D, la_mat *K);
/* A kernel is a map of inner products or distances of columns that are placed for it: moved by -origin (d) and
 * stretched where it depends on distances, else as they are. kernel_place makes them in the scratch pool. */
la_map kernel_map(const kernel *k);
rung_status kernel_place(rung_ctx *ctx, const kernel *k, int64_t d, int64_t n, const double *X, const double *origin,
                         la_mat **out);
/* The mean column, but among the rows where a few far ones draw it away from them. */
rung_status kernel_origin(rung_ctx *ctx, int64_t d, int64_t n, const double *X, double **out);
double kernel_self(const kernel *k, int64_t d, const double *x); /* k(x, x); NaN for a precomputed kernel */
/* F (n x o) = k(X, Z) C: the prediction of an expansion over the columns of Z (d x m) with coefficients C (m x o). */
rung_status kernel_expand(rung_ctx *ctx, const kernel *k, const point_set *X, const point_set *Z, int64_t o,
                          const double *C, double *F);

#endif
