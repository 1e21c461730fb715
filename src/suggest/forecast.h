// SPDX-License-Identifier: BSD-3-Clause
/* What more labels will buy: a learning curve continued. */
#ifndef RUNG_SUGGEST_FORECAST_H
#define RUNG_SUGGEST_FORECAST_H

#include "base/context.h"

typedef struct { /* an error with its 95 % range */
    int64_t labels;
    double error, low, high;
} known_error;

typedef struct {
    int n;
    const int64_t *labels; /* ascending */
    const double *error;
    const double *se;       /* of each error by itself; NULL: unknown */
    const known_error *now; /* the error now, measured otherwise than the curve; NULL: the last one of the curve */
    double varies;          /* how much a fit differs from others to as many labels, as a share of its error */
} learning_curve;

/* See rung_forecast_run. */
rung_status forecast(rung_ctx *ctx, const learning_curve *c, int64_t more, rung_forecast *out);

#endif
