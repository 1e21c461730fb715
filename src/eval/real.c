// SPDX-License-Identifier: BSD-3-Clause
#include "eval/real.h"

#include <math.h>

rung_status real_metrics_compute(rung_ctx *ctx, int64_t n, const double *truth, const double *predicted,
                                 rung_real_metrics *out)
{
    double absolute = 0, squared = 0, sum = 0, spread = 0;
    int64_t count = 0;
    bool differ = false;
    double first = NAN;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(truth[i])) continue;
        if (!isfinite(truth[i]) || !isfinite(predicted[i]))
            return set_error(ctx, RUNG_EARG, "row %lld: truth %g and prediction %g are not both finite",
                             (long long)i + 1, truth[i], predicted[i]);
        double error = predicted[i] - truth[i];
        if (count++ == 0) first = truth[i];
        differ |= truth[i] != first;
        absolute += fabs(error);
        squared += error * error;
        sum += truth[i];
    }
    if (count == 0) return set_error(ctx, RUNG_EDATA, "no labelled row to measure");
    double rows = (double)count, mean = sum / rows;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(truth[i])) spread += (truth[i] - mean) * (truth[i] - mean);
    *out = (rung_real_metrics){.mae = absolute / rows, .mse = squared / rows, .rmse = sqrt(squared / rows), .n = count};
    out->r2 =
        differ ? 1 - squared / spread : NAN; /* compares the values: rounding of the mean must not create a variance */
    return RUNG_OK;
}
