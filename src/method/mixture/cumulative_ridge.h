// SPDX-License-Identifier: BSD-3-Clause
/* Kernel ridge regression of the cumulative targets 1[y_i > q], q = 1..K-1, around their shrunk means p0: one
 * eigendecomposition G + 0.1 11' = V diag(w) V' gives the fit and its leave-one-out predictions for every ridge,
 *     F = V diag(w / (w + ridge)) V'(Y - p0),   LOO_i = p0 + (Y - p0)_i - (Y - p0 - F)_i / (1 - H_ii). */
#ifndef RUNG_METHOD_MIXTURE_CUMULATIVE_RIDGE_H
#define RUNG_METHOD_MIXTURE_CUMULATIVE_RIDGE_H

#include <math.h>

#include "data/row_groups.h"
#include "linalg/la.h"

#define RIDGE_CONSTANT 0.1 /* added to each kernel value: a penalised intercept */

typedef struct { /* rows and their targets t_q = 1[y > q] - p0_q */
    int64_t n;
    int K;
    const int *y;
    const int *upper;           /* where labels are intervals (data/intervals.h), NULL: none is; ... */
    const double *mass;         /* ... inside them the target is the share above q by these masses of the classes */
    const double *weight;       /* n: how many times a squared error counts; NULL: once */
    const double *p0;           /* K - 1 */
    const row_groups *together; /* rows that are left out together; NULL: every row separately */
} cumulative_rows;
/* With weights all is done in rows times w^1/2: kernel, constant and targets; coefficients are multiplied by w^1/2 once
 * more. */
static inline double cumulative_root(const cumulative_rows *r, int64_t i) { return r->weight ? sqrt(r->weight[i]) : 1; }
double cumulative_target(const cumulative_rows *r, int64_t i, int q); /* 1[y > q], q from 1 */
/* p0 (K - 1): the shrunk means of the targets, 1 - sum_{k <= q} (N_k + 1/(2K)) / (n + 1/2). */
void cumulative_means(const cumulative_rows *rows, double *p0);
/* The same from the masses of the classes (K). */
void cumulative_class_means(int K, const double *mass, double *p0);
/* From fitted values (n x (K - 1) by rows, times w^1/2 and without p0) to leave-one-out predictions (solve/left_out.h),
 * made valid probabilities, in place. rest: 1 - the leverage of each row. */
void cumulative_loo(const cumulative_rows *rows, const double *rest, double *loo);
/* The same for one group whose rows differ, from B (its rows x anything) with H_gg = B diag(share) B': the residuals of
 * rows left out together are (I - H_gg)^-1 times their residuals. */
rung_status cumulative_loo_block(rung_ctx *ctx, const cumulative_rows *rows, int64_t group, const la_mat *B,
                                 const double *share, double *loo);
static inline bool cumulative_mixed(const cumulative_rows *r) { return r->together && r->together->mixed; }

typedef struct {
    cumulative_rows rows;
    double *values; /* n: eigenvalues, >= 0 */
    la_mat *V;      /* n x n: eigenvectors */
    la_mat *square; /* its entries squared */
    double *Z;      /* n x (K - 1): V'(Y - p0) */
} cumulative_ridge;

/* Of scale * gram; arrays in mem. p0 of the rows is computed here. */
double cumulative_ridge_bytes(double n, int K); /* with its predictions */
rung_status cumulative_ridge_new(rung_ctx *ctx, pool *mem, const la_mat *gram, double scale,
                                 const cumulative_rows *rows, cumulative_ridge *out);
/* loo: n x (K - 1) by rows, made valid probabilities. */
rung_status cumulative_ridge_loo(rung_ctx *ctx, const cumulative_ridge *r, double ridge, double *loo);
/* P(x) = bias + sum_i coef_i scale k(x, x_i): coef n x (K - 1), bias K - 1. */
rung_status cumulative_ridge_coef(rung_ctx *ctx, const cumulative_ridge *r, double ridge, double *coef, double *bias);

#endif
