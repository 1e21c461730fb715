// SPDX-License-Identifier: BSD-3-Clause
/* Metrics of real targets. Definitions: docs/metrics.md. */
#ifndef RUNG_EVAL_REAL_H
#define RUNG_EVAL_REAL_H

#include "base/context.h"

/* Rows whose truth is NaN are left out. r2 = 1 - (sum of squared errors) / (sum of squares about the mean truth). */
rung_status real_metrics_compute(rung_ctx *ctx, int64_t n, const double *truth, const double *predicted,
                                 rung_real_metrics *out);

#endif
