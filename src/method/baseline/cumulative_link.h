// SPDX-License-Identifier: BSD-3-Clause
/* Proportional odds and its probit counterpart: P(y <= q) = L(b_q - w'x) with one direction w for all thresholds b,
 *     minimise  - sum_i weight_i log p(y_i) / sum_i weight_i + ridge/2 |w|^2
 * over w and b together. Convex but for link cauchit, so a damped Newton iteration finds the minimum from anywhere. */
#ifndef RUNG_METHOD_BASELINE_CUMULATIVE_LINK_H
#define RUNG_METHOD_BASELINE_CUMULATIVE_LINK_H

#include "data/intervals.h"
#include "data/row_groups.h"
#include "linalg/la.h"
#include "solve/link.h"

typedef struct {
    const la_mat *X; /* d x n, a column per row */
    int K;           /* each of the ranks 1..K occurs as a label of its own */
    const int *y;
    const int *upper;     /* where labels are intervals (data/intervals.h), p their mass; NULL: none is */
    const double *weight; /* NULL: 1 */
    const double *offset; /* n: what the latent value has beside w'x; NULL: nothing */
    link_kind link;
    double ridge; /* > 0 */
} cumulative_link;

/* w (d), b (K - 1, ascending), value: the minimum. */
rung_status cumulative_link_fit(rung_ctx *ctx, const cumulative_link *p, double *w, double *b, double *value);

/* The same for rows that come in passes. pass: sum := what cumulative_link_add adds for all blocks of rows (ridge 0) at
 * theta = (w, b): the negative log likelihood, the weight, gradient and Hessian, 2 + m + m^2 numbers, m = d + K - 1. */
typedef struct {
    int64_t d;
    int K;
    double ridge; /* > 0 */
    bool convex;  /* link_is_concave */
    rung_status (*pass)(rung_ctx *ctx, void *user, const double *theta, int64_t size, double *sum);
    void *user;
} link_passes;
rung_status cumulative_link_add(rung_ctx *ctx, const cumulative_link *block, const double *theta, double *sum);
/* theta: a start, then the minimum. */
rung_status cumulative_link_passes(rung_ctx *ctx, const link_passes *p, double *theta, double *value);

/* The second derivatives of the objective times the sum of the weights, in (w, b): lower triangle of a matrix of order
 * d + K - 1; its inverse is the covariance of the estimates, up to the ridge. Also the log likelihood itself. */
rung_status cumulative_link_hessian(rung_ctx *ctx, const cumulative_link *p, const double *w, const double *b,
                                    double *hessian, double *log_likelihood);
/* The sum over groups of s s', s the gradient of the log likelihood of the group's rows in (w, b): lower triangle. */
rung_status cumulative_link_meat(rung_ctx *ctx, const cumulative_link *p, const double *w, const double *b,
                                 const row_groups *groups, double *meat);

#endif
