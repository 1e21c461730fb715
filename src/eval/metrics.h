// SPDX-License-Identifier: BSD-3-Clause
/* Ordinal metrics. Definitions: docs/metrics.md. */
#ifndef RUNG_EVAL_METRICS_H
#define RUNG_EVAL_METRICS_H

#include "base/context.h"

/* truth 0 = left out. K is the number of classes of the data, never of the rows at hand. proba: n x K by rows, or NULL.
 */
rung_status metrics_compute(rung_ctx *ctx, int64_t n, int K, const int *truth, const int *predicted,
                            const double *proba, rung_metrics *out);

/* The rank that minimises the absolute error over these labels: their (lower) median; 0 if there is none. */
int metrics_median(int64_t n, int K, const int *y, const double *weight);

#endif
