// SPDX-License-Identifier: BSD-3-Clause
/* The ordinal probit process of ogp_gp.h with a kernel represented by features (kernel/landmark.h): f = s phi'w, w ~
 * N(0, I), s^2 = variance, and Laplace's approximation of (w, b) together. With m features a Newton step costs n m^2
 * instead of n^3/3, and a prediction m instead of n kernel values. */
#ifndef RUNG_METHOD_MIXTURE_OGP_FEATURES_H
#define RUNG_METHOD_MIXTURE_OGP_FEATURES_H

#include "data/row_groups.h"
#include "linalg/la.h"

typedef struct {
    int64_t n;
    int K;                      /* >= 2; each rank 1..K may be absent */
    const int *y, *upper;       /* upper: where labels are intervals (data/intervals.h); NULL: none is */
    const double *weight;       /* n: how many times a row counts; NULL: once */
    const row_groups *together; /* rows that are left out together; NULL: every row separately */
    const la_mat *Phi;          /* m x n */
    const double *own;          /* n: k(x, x), of which |phi|^2 is a part */
    double variance;
    double prior_variance; /* of the thresholds, less 1 */
    bool warm;             /* ogp_features_fit starts from what w and b hold instead of zero */
} ogp_features;

/* The mode: weights w (m) and thresholds b (K - 1, ascending). loo (or NULL): n x (K - 1) by rows, P(y_i > q) by the
 * other rows. RUNG_ESINGULAR, RUNG_ENOCONV: the numbers do not allow it. */
double ogp_features_bytes(double n, double m, int K); /* of the fit, or the expansion */
rung_status ogp_features_fit(rung_ctx *ctx, const ogp_features *p, double *w, double *b, double *loo);

/* At the mode, what a prediction needs: coef (m x (K + rank), column-major) gives as products with phi(x) the mean, the
 * K - 1 numbers D(x) and `rank` numbers z(x) with v(x) = variance k(x,x) - |z(x)|^2 (model.h: probit_link); spread
 * ((K - 1) x (K - 1)) is the covariance of the thresholds. rank (in: at most m; out: how many) is as small as leaves
 * the mean variance of the rows within LOST of the noise. */
rung_status ogp_features_expansion(rung_ctx *ctx, const ogp_features *p, const double *w, const double *b, int *rank,
                                   double *coef, double *spread);

/* How far (w, b) is from the mode, as ogp_gp_decrement. */
rung_status ogp_features_decrement(rung_ctx *ctx, const ogp_features *p, const double *w, const double *b,
                                   double *decrement, double *objective);

#endif
