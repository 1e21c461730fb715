// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_METHOD_SVM_SMO_NEWTON_H
#define RUNG_METHOD_SVM_SMO_NEWTON_H

#include "method/svm/smo.h"

/* Moves all pulls strictly within their bounds to their joint optimum; those that reach a bound on the way stay
 * there. */
rung_status newton_step(rung_ctx *ctx, smo *p, smo_effort *effort);

/* The approximate flops of this; infinite if it would need too much memory. */
double newton_flops(int64_t m, int64_t n_free, int thresholds);

#endif
