// SPDX-License-Identifier: BSD-3-Clause
#include "eval/reliability.h"

#include <math.h>

rung_status reliability_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const double *proba, int bins,
                                rung_reliability_bin *out, double *ece)
{
    int64_t rows = 0;
    if (bins < 1) return set_error(ctx, RUNG_EARG, "%d bins: expected at least 1", bins);
    for (int k = 0; k < bins; k++) out[k] = (rung_reliability_bin){.low = (double)k / bins, .high = (k + 1.0) / bins};
    for (int64_t i = 0; i < n; i++) {
        const double *p = proba + i * classes;
        int best = 0;
        if (truth[i] == 0) continue;
        if (truth[i] < 0 || truth[i] > classes)
            return set_error(ctx, RUNG_EARG, "row %lld: the true rank %d is outside 1..%d", (long long)i + 1, truth[i],
                             classes);
        for (int q = 0; q < classes; q++) {
            if (!(p[q] >= 0 && p[q] <= 1 + 1e-9))
                return set_error(ctx, RUNG_EARG, "row %lld: %g is not a probability", (long long)i + 1, p[q]);
            if (p[q] > p[best]) best = q;
        }
        int k = (int)(p[best] * bins);
        rung_reliability_bin *bin = &out[k < bins ? k : bins - 1];
        bin->n++;
        bin->confidence += p[best];
        bin->accuracy += best + 1 == truth[i];
        rows++;
    }
    if (rows == 0) return set_error(ctx, RUNG_EDATA, "no labelled row to measure");
    *ece = 0;
    for (int k = 0; k < bins; k++) {
        double count = (double)out[k].n;
        *ece += fabs(out[k].confidence - out[k].accuracy) / (double)rows;
        out[k].confidence = count > 0 ? out[k].confidence / count : NAN;
        out[k].accuracy = count > 0 ? out[k].accuracy / count : NAN;
    }
    return RUNG_OK;
}
