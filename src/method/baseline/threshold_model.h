// SPDX-License-Identifier: BSD-3-Clause
/* The cumulative model with all that it may have:
 *     P(y <= q) = L((b_q - w's - v_q'x - o) / exp(t'z)),
 * s: columns with one coefficient, x: those with one at every threshold, z: those that change the spread, o: an offset.
 * Without x and z it is cumulative_link.h, which is faster and takes any number of columns. Parameters: w, t, then b_q
 * and v_q for every threshold. Any of them may be held where it is, for tests and profiles. */
#ifndef RUNG_METHOD_BASELINE_THRESHOLD_MODEL_H
#define RUNG_METHOD_BASELINE_THRESHOLD_MODEL_H

#include "data/intervals.h"
#include "data/row_groups.h"
#include "solve/link.h"

#include "base/context.h"

typedef struct {
    int64_t n;
    int d, K;
    const double *X;      /* d x n */
    const bool *own;      /* d: the columns with a coefficient at every threshold; NULL: none */
    int spreads;          /* columns that change the spread ... */
    const double *Z;      /* ... spreads x n */
    const int *y, *upper; /* as in cumulative_link.h */
    const double *weight, *offset;
    link_kind link;
    double ridge; /* ridge/2 times the squares of w and v times the sum of the weights is taken off; may be 0 */
    bool firth;   /* half the log determinant of the expected information is added instead (Jeffreys' prior): estimates
                     stay finite where columns separate the classes. Firth, Biometrika 80:27-38, 1993. Labels are no
                     intervals */
} threshold_model;

int threshold_model_size(const threshold_model *m);
int threshold_model_slope(const threshold_model *m, int column, int q); /* the place of a coefficient; q: from 0 */
int threshold_model_spread(const threshold_model *m, int k);
int threshold_model_cut(const threshold_model *m, int q);

/* theta := no effects, thresholds by the frequencies of the classes. */
rung_status threshold_model_start(rung_ctx *ctx, const threshold_model *m, double *theta);
/* theta: where to start, then the maximum; what is held (NULL: nothing) stays. value: the log likelihood with its
 * penalty there; NaN: no maximum was found. Where classes are separated, the likelihood converges though its maximum
 * lies at infinity. */
rung_status threshold_model_fit(rung_ctx *ctx, const threshold_model *m, const bool *held, double *theta,
                                double *value);
/* Twice what one Newton step from theta gains: the score statistic of what was at its maximum without some parameters;
 * NaN: there is no such step. */
rung_status threshold_model_score(rung_ctx *ctx, const threshold_model *m, const double *theta, double *gain);
/* The negative second derivatives of the log likelihood with its penalty (firth: the expected information), size x
 * size, and the log likelihood without it. */
rung_status threshold_model_information(rung_ctx *ctx, const threshold_model *m, const double *theta, double *out,
                                        double *log_likelihood);
/* The sum over groups of s s', s the gradient of the log likelihood of the group's rows: size x size. */
rung_status threshold_model_meat(rung_ctx *ctx, const threshold_model *m, const double *theta, const row_groups *groups,
                                 double *out);
/* Rows some of whose thresholds are out of order at theta, so that a class has no probability there. */
rung_status threshold_model_crossed(rung_ctx *ctx, const threshold_model *m, const double *theta, int64_t *rows);

#endif
