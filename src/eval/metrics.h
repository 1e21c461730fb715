// SPDX-License-Identifier: BSD-3-Clause
/* Ordinal metrics. Definitions: docs/metrics.md. */
#ifndef RUNG_EVAL_METRICS_H
#define RUNG_EVAL_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

/* The labels that predictions are compared with. */
typedef struct {
    int64_t n;
    int K;                /* classes of the data set, not of these rows */
    const int *truth;     /* 0 = left out */
    const int *upper;     /* where labels are intervals (data/intervals.h); NULL: none is */
    const double *weight; /* NULL: all 1; a whole number counts as that many equal rows */
    const int *group;     /* rows of a number belong together: mae_low and mae_high resample groups; NULL: none do */
    bool held_out;        /* of the fit whose error they estimate: mae_low and mae_high allow for fits that differ */
} graded_rows;

/* proba: n x K by rows, or NULL. An interval counts as its class nearest to the prediction; the ranked probability
 * score skips the thresholds inside it. */
rung_status metrics_compute(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                            rung_metrics *out);

/* The same without the bootstrap (mae_low and mae_high are NaN): for searches. */
rung_status metrics_point(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                          rung_metrics *out);

/* Resampling rows whose errors are all equal shows no spread: then the range is the rule of three, what a share may be
 * that was not seen in any of that many rows, or groups of rows. */
void metrics_widen(int K, int64_t rows, rung_metrics *m);

typedef struct {
    size_t place; /* in rung_metrics */
    rung_metric info;
} metric;
extern const metric metric_table[];         /* ends with a row without a key */
const metric *metric_find(const char *key); /* NULL: there is none */
double metric_value(const metric *m, const rung_metrics *values);
/* The mean of each value where it is defined, over measurements of the same rows. */
void metrics_mean(int n, const rung_metrics *each, rung_metrics *out);
double metric_cost(const metric *m, double value); /* less is better: value, or 1 - value */

/* A metric to choose models by: not a bound. RUNG_EARG names those there are; also: one more key, or NULL. */
rung_status metric_criterion(rung_ctx *ctx, const char *key, const char *also, const metric **out);

/* RUNG_EARG: a true rank or an upper end outside the classes, a weight below 0. */
rung_status metrics_check(rung_ctx *ctx, const graded_rows *rows);
/* The (lowest) rank that minimises the absolute error over these labels: their median; 0 if there is none. */
int metrics_median(const graded_rows *rows, const double *weight);

#endif
