// SPDX-License-Identifier: BSD-3-Clause
/* A grid search of kdlor on 225 rows of the toy set: 7 widths x 6 ridges x 5 folds = 210 fits, on one thread. */
#include <string.h>

#include "bench.h"

static double time_search(rung_ctx *ctx, const rung_data *data, const char *thresholds, const char *kind)
{
    char rule[64], ridge[64];
    snprintf(rule, sizeof rule, "thresholds=%s", thresholds);
    snprintf(ridge, sizeof ridge, "ridge-kind=%s", kind);
    const char *const methods[] = {"kdlor", NULL};
    const char *const fixed[] = {rule, ridge, NULL};
    const char *const grids[] = {"gamma=0.001,0.01,0.1,1,10,100,1000", "ridge=1,0.1,0.01,0.001,0.0001,0.00001", NULL};
    rung_tune_options o = {.size = sizeof o, .methods = methods, .fixed = fixed, .grids = grids, .repeats = 1};
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        rung_search *found;
        double t = seconds();
        need(ctx, rung_tune_run(ctx, &o, data, &model, &found));
        best = smaller(best, seconds() - t);
        rung_model_free(model);
        rung_search_free(found);
    }
    return best;
}

int main(void)
{
    rung_ctx *ctx;
    rung_data *data;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    need(ctx, rung_data_generate(ctx, "toy", 225, -1, 0, &data));
    printf("42 points x 5 folds, 225 rows, one thread\n");
    printf("  midpoint, kernel ridge        %7.3f s   (wanted: <= 0.3)\n",
           time_search(ctx, data, "midpoint", "kernel"));
    printf("  recalibrated, kernel ridge    %7.3f s   (wanted: <= 1)\n",
           time_search(ctx, data, "recalibrated", "kernel"));
    printf("  midpoint, identity ridge      %7.3f s\n", time_search(ctx, data, "midpoint", "identity"));
    rung_data_free(data);
    rung_ctx_free(ctx);
    return 0;
}
