// SPDX-License-Identifier: BSD-3-Clause
/* The losses of boosted trees.
 *
 * Ordinal: one function f and thresholds t_1 < ... < t_{K-1}, t_0 = -inf, t_K = inf;
 *     P(y <= k) = s(t_k - f),   loss = -log(a - b),   a = s(t_y - f), b = s(t_{y-1} - f),   s the logistic function.
 * Since a (1 - a) - b (1 - b) = (a - b) (1 - a - b), its derivatives in f need no division:
 *     g = 1 - a - b,   h = a (1 - a) + b (1 - b) > 0,
 * and a - b = a (1 - b) (1 - exp(t_{y-1} - t_y)) keeps its digits in narrow classes. K = 2 is logistic regression. An
 * interval low..high of ranks has t_high and t_{low-1} for t_y and t_{y-1}.
 *
 * Nominal: one function per class, P(q) = exp(f_q) / sum_r exp(f_r),  g_q = P(q) - 1[y = q],  h_q = P(q) (1 - P(q)) K /
 * (K - 1), the factor standing for the entries of the Hessian between the classes (Friedman 2001). An interval I has
 * 1[q in I] P(q) / P(I) for 1[y = q], and the same h, which is not smaller than its curvature. */
#ifndef RUNG_TREES_LOSS_H
#define RUNG_TREES_LOSS_H

#include <stdbool.h>

#include "base/context.h"

enum { LOSS_CHUNK = 256 }; /* rows at a time, at most */
#define LEAST_GAP 1e-6     /* between thresholds: a class too light to keep more has this one */

typedef struct {
    int K;
    double *t;   /* K - 1 thresholds, ascending */
    double *up;  /* K + 1: exp(-t_q), infinity at 0 and 0 at K */
    double *gap; /* K + 1: 1 - exp(t_{q-1} - t_q) at q */
    /* of a step: */
    bool *tied;      /* K - 1: t_q moves with t_{q-1} ... */
    double *closing; /* ... but for this, by which it comes closer; */
    double *apart;   /* its sum within a group of thresholds that are tied */
    bool wide; /* some labels are intervals: the Hessian of the thresholds is a full matrix, not a tridiagonal one */
} ordinal;

/* Thresholds of f = 0 for classes of these total weights (all > 0). */
rung_status ordinal_new(rung_ctx *ctx, pool *mem, int K, const double *weight, ordinal *out);
void ordinal_set(ordinal *o, const double *t);

/* Some rows: at most LOSS_CHUNK. */
typedef struct {
    int n;
    const double *f;
    const int *low, *high; /* the ranks that their labels allow */
    const double *w;       /* weights; NULL: 1 */
} loss_rows;
void ordinal_derivatives(const ordinal *o, const loss_rows *rows, double *g, double *h); /* without weights */

/* Sums over rows for a Newton step of the thresholds: the gradient, the diagonal and the off-diagonal of the
 * (tridiagonal) Hessian, K - 1 numbers each; `wide`: the gradient and the whole Hessian. */
int64_t ordinal_sums(const ordinal *o); /* how many numbers */
/* Adds those of some rows. */
void ordinal_sum(const ordinal *o, const loss_rows *rows, double *sum);
/* The step, 1 at most. Thresholds that it would bring closer than LEAST_GAP keep half of their distance, or that gap,
 * and move together: a class that nearly vanishes does not hold the others back. room: ordinal_sums numbers. Returns
 * the largest entry. */
double ordinal_step(ordinal *o, const double *sum, double *room);

/* f of a row: `step` numbers apart. */
double nominal_norm(int K, const double *f, int64_t step); /* log sum_q exp(f_q) */

#endif
