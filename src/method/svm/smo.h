// SPDX-License-Identifier: BSD-3-Clause
/* smo.h - many hinges on few thresholds: the dual problem of support vector ordinal regression.
 *
 * A hinge is the loss C max(0, 1 - s (f_r - b_g)) of row r at threshold g, from side s = +-1. The dual has one variable
 * c per hinge, which acts on the score of the row and is called its pull in the code (0 <= c <= C for s = 1, -C <= c <=
 * 0 for s = -1):
 *
 *     minimise  1/2 v'Q v - sum s c,    v_r = the sum of the pulls of row r,    the pulls on each threshold sum to 0.
 *
 * f = Q v, and F = f_r - s is the derivative by a pull. At the solution there are thresholds b_g with c = high where F
 * < b_g and c = low where F > b_g. Thresholds that must not decrease (b_g <= b_{g+1}) have a multiplier flow_g >= 0
 * each: the pulls on thresholds 0..g then sum to -flow_g. */
#ifndef RUNG_METHOD_SVM_SMO_H
#define RUNG_METHOD_SVM_SMO_H

#include "base/context.h"

typedef struct {
    int64_t row;
    double side, low, high, pull;
} hinge;

/* The contribution of a hinge to the duality gap, given the score of its row and its threshold. */
static inline double hinge_gap(const hinge *h, double f, double b)
{
    double off = f - h->side - b;
    return off < 0 ? (h->pull - h->high) * off : (h->pull - h->low) * off;
}

typedef struct {
    int64_t m;       /* rows */
    const double *Q; /* m x m, symmetric positive semidefinite */
    double *f;       /* m: scores, kept up to date; rows outside the problem may contribute to them */
    int thresholds;
    int64_t *first; /* thresholds + 1: the hinges of threshold g are first[g] .. first[g+1]-1 */
    hinge *hinges;
    double *flow; /* thresholds - 1 multipliers of the order; NULL: thresholds need not be in order */
} smo;

typedef struct {
    double gap;   /* stop when these hinges are within this duality gap ... */
    double limit; /* ... or when this much work is done */
    double work;  /* flops, added up */
} smo_effort;

/* From feasible pulls to nearly optimal ones, updating f. Pulls change in pairs, each with the largest gain to second
 * order (Fan, Chen and Lin, JMLR 6:1889-1918, 2005). Occasionally a Newton step over all pulls strictly within their
 * bounds (smo_newton.h) solves the linear system on which pairs converge slowly; it may cost as much as the pairs
 * before it. Also ends when rounding prevents progress. */
rung_status smo_solve(rung_ctx *ctx, smo *p, smo_effort *effort);

#endif
