// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_FIT_PROPAGATION_BASELINE_H
#define RUNG_FIT_PROPAGATION_BASELINE_H

#include "fit/training.h"

/* What label propagation alone (plp as it comes) makes of labels that are hidden from it: its mean absolute error in
 * five folds, of many labels in one, to the report and the log. A method that learns from unlabelled rows must do
 * better. */
rung_status propagation_baseline(rung_ctx *ctx, pool *mem, const training *t, problem *p, bool precomputed,
                                 fitted *out);

#endif
