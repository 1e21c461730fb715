// SPDX-License-Identifier: BSD-3-Clause
/* The losses of boosted trees.
 *
 * Ordinal: one function f and thresholds t_1 < ... < t_{K-1}, t_0 = -inf, t_K = inf;
 *     P(y <= k) = s(t_k - f),   loss = -log(a - b),   a = s(t_y - f), b = s(t_{y-1} - f),   s the logistic function.
 * Since a (1 - a) - b (1 - b) = (a - b) (1 - a - b), its derivatives in f need no division:
 *     g = 1 - a - b,   h = a (1 - a) + b (1 - b) > 0,
 * and a - b = a (1 - b) (1 - exp(t_{y-1} - t_y)) keeps its digits in narrow classes. K = 2 is logistic regression.
 *
 * Nominal: one function per class, P(q) = exp(f_q) / sum_r exp(f_r),  g_q = P(q) - 1[y = q],  h_q = P(q) (1 - P(q)) K /
 * (K - 1), the factor standing for the entries of the Hessian between the classes (Friedman 2001). */
#ifndef RUNG_TREES_LOSS_H
#define RUNG_TREES_LOSS_H

#include "base/context.h"

enum { LOSS_CHUNK = 256 }; /* rows at a time, at most */

typedef struct {
    int K;
    double *t;   /* K - 1 thresholds, ascending */
    double *up;  /* K + 1: exp(-t_q), infinity at 0 and 0 at K */
    double *gap; /* K + 1: 1 - exp(t_{q-1} - t_q) at q */
} ordinal;

/* Thresholds of f = 0 for classes of these total weights (all > 0). */
rung_status ordinal_new(rung_ctx *ctx, pool *mem, int K, const double *weight, ordinal *out);
void ordinal_set(ordinal *o, const double *t);

void ordinal_derivatives(const ordinal *o, int n, const double *f, const int *y, double *g, double *h);

/* Sums over rows for a Newton step of the thresholds: the gradient, the diagonal and the off-diagonal of the
 * (tridiagonal) Hessian, K - 1 numbers each. Adds those of some rows; w: their weights. */
void ordinal_sum(const ordinal *o, int n, const double *f, const int *y, const double *w, double *sum);
/* The step, halved until the thresholds are increasing; sum is overwritten. Returns its largest entry. */
double ordinal_step(ordinal *o, double *sum);

/* f of a row: `step` numbers apart. */
double nominal_norm(int K, const double *f, int64_t step); /* log sum_q exp(f_q) */

#endif
