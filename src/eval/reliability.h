// SPDX-License-Identifier: BSD-3-Clause
/* Calibration of probabilities. Definitions: docs/metrics.md. */
#ifndef RUNG_EVAL_RELIABILITY_H
#define RUNG_EVAL_RELIABILITY_H

#include "base/context.h"

/* The rows by the probability of their most probable class, in `bins` equal parts of 0..1 (a value on an edge belongs
 * to the upper part, 1 to the last), and the expected calibration error. Rows whose truth is 0 are left out. */
rung_status reliability_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const double *proba, int bins,
                                rung_reliability_bin *out, double *ece);

#endif
