// SPDX-License-Identifier: BSD-3-Clause
/* A Gaussian process over latent values, f ~ N(0, K), with ordinal probit ranks: the posterior by Laplace's
 * approximation or by expectation propagation, the log evidence and its gradient.
 *
 * Both approximations end with precisions P (the curvature at the mode; the precisions of the sites), so that with
 * B = I + P^1/2 K P^1/2 a new value has the mean k'alpha and the variance k(x,x) - |L^-1 P^1/2 k|^2, B = L L'.
 *
 * Chu, Ghahramani. Gaussian processes for ordinal regression. JMLR 6:1019-1041, 2005. */
#ifndef RUNG_METHOD_BAYES_GPOR_GP_H
#define RUNG_METHOD_BAYES_GPOR_GP_H

#include "data/intervals.h"
#include "linalg/la.h"

typedef struct {
    int64_t n;
    int K;                /* classes; b has K - 1 thresholds */
    const int *y, *upper; /* upper: where labels are intervals (data/intervals.h); NULL: none is */
    const la_mat *gram;
    const double *b;
    double sigma;
} gpor_gp_problem;

typedef struct {
    double log_evidence;
    double *alpha;     /* n. Laplace: where the next call starts */
    double *precision; /* n. EP: with `natural`, where the next call starts */
    double *natural;   /* n. EP: precision times mean of the sites */
    la_mat *factor;    /* n x n. Without a gradient: L, in the lower triangle */
    /* with a gradient: */
    la_mat *pull;       /* the same matrix: d log_evidence / d theta = sum_ij pull_ij dgram_ij / dtheta */
    double *thresholds; /* K - 1: d / d b_j */
    double log_sigma;   /* d / d log sigma */
    /* Laplace, minus the second derivatives in b but for those of log |B|: a matrix ((K - 1) x (K - 1)), and between
     * b_j and b_{j+1} the weight (K - 1, the last is 0) of (b_{j+1} - b_j)^2 / 2 */
    double *bend, *links;
    int iterations; /* factors on the way to the mode, or sweeps */
} gpor_gp_posterior;

rung_status gpor_gp_posterior_new(rung_ctx *ctx, pool *mem, int64_t n, int K,
                                  gpor_gp_posterior *out); /* starts from nothing */
rung_status gpor_gp_laplace(rung_ctx *ctx, const gpor_gp_problem *p, bool gradient, gpor_gp_posterior *out);
rung_status gpor_gp_ep(rung_ctx *ctx, const gpor_gp_problem *p, bool gradient, gpor_gp_posterior *out);

/* ---- shared by the two ---- */

/* B = I + P^1/2 K P^1/2 and its factor; log_root_det = sum log L_ii. root: P^1/2. */
rung_status gpor_gp_factorise(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, la_mat *B,
                              double *log_root_det);
/* x := P^1/2 B^-1 P^1/2 x. */
rung_status gpor_gp_shrink(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, const la_mat *L, double *x);
/* inverse := sum_j left_j right_j' - 1/2 P^1/2 inverse P^1/2, inverse being B^-1; left, right: n x k. */
rung_status gpor_gp_pull(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, int64_t k, const double *left,
                         const double *right, la_mat *inverse);

#endif
