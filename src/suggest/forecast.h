// SPDX-License-Identifier: BSD-3-Clause
/* What more labels will buy: a learning curve continued. */
#ifndef RUNG_SUGGEST_FORECAST_H
#define RUNG_SUGGEST_FORECAST_H

#include "base/context.h"

typedef struct {
    int n;
    const int64_t *labels; /* ascending */
    const double *error;
    const double *se; /* of each error by itself; NULL: unknown */
    double level;     /* standard error that all have in common, because they are of the same test rows */
} learning_curve;

/* See rung_forecast_run. */
rung_status forecast(rung_ctx *ctx, const learning_curve *c, int64_t more, rung_forecast *out);

#endif
