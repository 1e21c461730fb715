// SPDX-License-Identifier: BSD-3-Clause
/* The empirical feature space of a kernel matrix: K = V diag(w) V', row i has the coordinates V_i sqrt(w). With all of
 * them the squared distance is K_ii + K_jj - 2 K_ij; with the r leading ones it is smoothed. */
#ifndef RUNG_KERNEL_FEATURE_H
#define RUNG_KERNEL_FEATURE_H

#include "kernel/kernel.h"

typedef struct {
    int64_t n, r;
    double *values; /* the r largest, largest first */
    la_mat *V;      /* n x r */
} eigenpairs;

rung_status eigenpairs_new(rung_ctx *ctx, pool *mem, const la_mat *K, int64_t r, eigenpairs *out);

/* Whether all full-rank distances are ordered as in the input space with scaled columns: true for kernels that decrease
 * with the distance, and for x'z. */
bool kernel_keeps_order(const kernel *k);
/* The rows for kernel_keeps_order: X itself, for ard a copy with each column times sqrt(s_d). */
rung_status kernel_stretched(rung_ctx *ctx, pool *mem, const kernel *k, int64_t d, int64_t n, const double *X,
                             const double **out);

/* Whether r leading components are exact: lambda_{r+1} < 1e-14 lambda_1. From the eigenvalues; or by a pivoted Cholesky
 * factorisation that can only certify it (false: undecided), far cheaper than eigenvalues. */
bool eigenpairs_exhausted(const eigenpairs *e, int64_t r);
rung_status kernel_rank_exhausted(rung_ctx *ctx, const la_mat *K, int64_t r, bool *out);

/* The rows' coordinates along the r leading components, without those below 1e-12 lambda_1: a matrix with one column
 * per row. */
rung_status kernel_features(rung_ctx *ctx, pool *mem, const eigenpairs *e, int64_t r, la_mat **out);

#endif
