// SPDX-License-Identifier: BSD-3-Clause
/* What the order-constrained discriminant methods share: the order-constrained dual, thresholds, parameters. */
#ifndef RUNG_METHOD_DISCRIMINANT_H
#define RUNG_METHOD_DISCRIMINANT_H

#include "method/method.h"

typedef enum { RIDGE_KERNEL, RIDGE_IDENTITY } ridge_kind;
typedef enum { RULE_RECALIBRATED, RULE_MIDPOINT, RULE_WEIGHTED } threshold_rule;

/* Labelled rows of a problem, class by class. */
typedef struct {
    int K;
    int64_t n;
    int64_t *order; /* rows sorted by class */
    int64_t *size;  /* K: rows of each class */
    double *mass;   /* K: their total weight */
} class_index;

rung_status class_index_new(rung_ctx *ctx, pool *mem, const problem *p, class_index *out);

/* alpha (K-1) = argmin a'Qa on the simplex of sum C. Where no direction orders the means (a'Qa = 0, or the means
 * coincide and Q is rounding) the first-to-last mean direction is taken instead: all weights equal; *degenerate tells.
 */
rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, bool coincide, double *alpha,
                          bool *degenerate);

/* mean_q = weighted mean of f over class q. */
void class_means(const class_index *c, const double *w, const double *f, double *mean);

/* Thresholds between the projected means: mid-points, or the mean of both classes together (which moves towards the
 * larger class; as published for ORML). Non-decreasing even where rounding left the means out of order. */
void mean_thresholds(threshold_rule rule, int K, const double *mean, const double *mass, double *thresholds);

#endif
