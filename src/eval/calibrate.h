// SPDX-License-Identifier: BSD-3-Clause
/* From scores to ranks and probabilities: the rank score and the convex all-threshold calibration. */
#ifndef RUNG_EVAL_CALIBRATE_H
#define RUNG_EVAL_CALIBRATE_H

#include "base/context.h"

/* Piecewise linear increasing map from a method's score f to the rank scale, through (f_j, s_j); outside, the mean
 * slope. For a projection the nodes are (projected mean of class q, q): midpoints map to q + 1/2. n >= 1; neither f_j
 * nor s_j decreases; where several f_j are equal, the last of them holds. One node: s_0 for every f. */
typedef struct {
    int n;
    double *f, *s;
} rank_map;

double rank_score(const rank_map *map, double f);
/* The map through (projected mean of class q, s_q), of which s (K) is given and f has room for K. size: what cancels in
 * the means. Means that differ by rounding, or fall, are one node; if all do there is no order, and s is constant. */
void rank_map_of_means(int K, const double *mean, double size, rank_map *map);

/* P(y > q) = 1 / (1 + exp(-(a s - c_q))), s clipped to [0, K+1]; c does not decrease. a = 0: the scores are
 * uninformative (or in the wrong direction); c are then the log-odds of the class frequencies. */
typedef struct {
    int K;
    double a;
    double *c; /* K - 1 */
} calibration;

/* Minimises over a, c (convex, damped Newton on a K x K system)
 *   sum_i w_i sum_q log(1 + exp(-z_iq (a s_i - c_q))) + lambda sum_q (c_q - a (q + 1/2))^2 + 1e-3 a^2,
 * z_iq = +1 if y_i > q else -1; s_i clipped to [0, K+1]; lambda > 0. y: 1..K. weight: n, or NULL = 1. out->c has room
 * for K - 1. */
rung_status calibrate_fit(rung_ctx *ctx, int64_t n, const double *s, const int *y, const double *weight, int K,
                          double lambda, calibration *out);
/* 1 + #{q : a s >= c_q}: the posterior median. */
int calibrate_rank(const calibration *c, double s);
void calibrate_proba(const calibration *c, double s, double *p); /* K numbers >= 0, sum 1 */
/* The score at which rank q+1 begins, on the scale of f: f >= threshold exactly where calibrate_rank(c, rank_score(map,
 * f)) > q. -inf: everywhere, +inf: nowhere. */
double calibrate_threshold(const calibration *c, const rank_map *map, int q);

#endif
