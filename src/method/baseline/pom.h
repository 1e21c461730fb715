// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of pom share: the fit (pom.c), what is inferred from it (pom_inference.c), and whether it is right
 * (pom_parallel.c). */
#ifndef RUNG_METHOD_BASELINE_POM_H
#define RUNG_METHOD_BASELINE_POM_H

#include "fit/method.h"
#include "method/baseline/cumulative_link.h"

enum { POM_ERRORS_AUTO, POM_ERRORS_MODEL, POM_ERRORS_ROBUST };

typedef struct {
    int link, calibrate, errors;
    double ridge;
} pom_params;

typedef struct { /* what is inferred, and from what */
    const problem *p;
    const rung_model *model;
    int64_t n_terms;
    score_term *terms; /* the coefficients */
} pom_study;

/* The centred rows, d x n, and their mean. */
rung_status pom_centred_rows(rung_ctx *ctx, const problem *p, double **mean, double **X);

/* The hook of the method. */
rung_status pom_infer(rung_ctx *ctx, const fit_input *in, rung_model *model);
/* Whether the other columns and the constant determine that of a coefficient. */
rung_status pom_is_determined(rung_ctx *ctx, const pom_study *s, int64_t term, bool *out);
/* The tests of proportional odds, of rows that are independent; none where there is no fit without a penalty. */
rung_status pom_infer_parallel(rung_ctx *ctx, const pom_study *s, const pom_params *params, rung_model *model);

#endif
