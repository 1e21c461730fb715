// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of pom share: the fit (pom.c) and what is inferred from it (pom_inference.c). */
#ifndef RUNG_METHOD_BASELINE_POM_H
#define RUNG_METHOD_BASELINE_POM_H

#include "fit/method.h"
#include "method/baseline/cumulative_link.h"

typedef struct {
    int link, calibrate;
    double ridge;
} pom_params;

/* The centred rows, d x n, and their mean. */
rung_status pom_centred_rows(rung_ctx *ctx, const problem *p, double **mean, double **X);

/* The hook of the method. */
rung_status pom_infer(rung_ctx *ctx, const fit_input *in, rung_model *model);

#endif
