// SPDX-License-Identifier: BSD-3-Clause
/* An ordinal probit Gaussian process whose thresholds are inferred with it: f ~ N(0, variance G) over n rows,
 * P(y <= q | f, b) = Phi(b_q - f), b_q ~ N(b0_q, 1 + s2) around the class frequencies, and Laplace's approximation of
 * (f, b) together. Closed-form leave-one-out predictions come with it: a whole grid of such models can be judged
 * without a single refit. */
#ifndef RUNG_METHOD_MIXTURE_OGP_GP_H
#define RUNG_METHOD_MIXTURE_OGP_GP_H

#include "data/row_groups.h"
#include "linalg/la.h"

typedef struct {
    int64_t n;
    int K;                      /* >= 2; each rank 1..K may be absent */
    const int *y, *upper;       /* upper: where labels are intervals (data/intervals.h); NULL: none is */
    const double *weight;       /* n: how many times a row counts; NULL: once */
    const row_groups *together; /* rows that are left out together; NULL: every row separately */
    const la_mat *gram;
    double variance;       /* of f: K = variance * gram */
    double prior_variance; /* s2: the thresholds are as uncertain as the latent value, 1 + s2 */
    bool warm;             /* ogp_gp_fit starts from what a and b hold instead of zero */
} ogp_gp;

/* The mode: f = variance * gram a, thresholds b (K - 1, ascending). loo: n x (K - 1) by rows, P(y_i > q) as told by the
 * other rows. RUNG_ESINGULAR, RUNG_ENOCONV: the numbers do not allow it. */
double ogp_gp_bytes(double n, int K); /* of the fit, or the expansion */
rung_status ogp_gp_fit(rung_ctx *ctx, const ogp_gp *p, double *a, double *b, double *loo);

/* How far (a, b) is from the mode: Newton's decrement, twice what a step would gain, and the log posterior there. */
rung_status ogp_gp_decrement(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, double *decrement,
                             double *objective);

/* At the mode, what a prediction needs, as expansions over the kernel values g(x) = k(x, rows): coef (n x (K + rank),
 * column-major) gives the mean, the K - 1 numbers D(x) and `rank` numbers z(x) of a probit link with inferred
 * thresholds (model.h), spread ((K - 1) x (K - 1)) the covariance of these. rank: n is exact; with fewer the directions
 * remain that lower the variance of the rows most, and on return rank is as small as leaves their mean within 1 % of
 * the noise. magnified (or NULL): by how much rounding errors of a and b may grow in them, relative. */
rung_status ogp_gp_expansion(rung_ctx *ctx, const ogp_gp *p, const double *a, const double *b, int *rank, double *coef,
                             double *spread, double *magnified);

#endif
