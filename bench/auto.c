// SPDX-License-Identifier: BSD-3-Clause
/* The default method on the toy set: fits with 100, 250 and 900 labels, and 10,000 predictions. */
#include "bench.h"

static rung_model *time_fit(rung_ctx *ctx, int64_t rows, double unlabelled, const char *wanted)
{
    rung_data *data;
    rung_spec *spec;
    rung_model *model = NULL;
    double best = 1e9;
    need(ctx, rung_data_generate(ctx, "toy", rows, -1, unlabelled, &data));
    need(ctx, rung_spec_new(ctx, "auto", 0, &spec));
    for (int run = 0; run < (rows > 500 && unlabelled == 0 ? 1 : RUNS); run++) {
        rung_model_free(model);
        double t = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        best = smaller(best, seconds() - t);
    }
    printf("fit, %5.0f labels of %5lld rows    %7.3f s   (wanted: <= %s)\n", (double)rows * (1 - unlabelled),
           (long long)rows, best, wanted);
    rung_spec_free(spec);
    rung_data_free(data);
    return model;
}

int main(void)
{
    enum { ROWS = 10000 };
    rung_ctx *ctx;
    rung_data *data;
    static int rank[ROWS];
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_model_free(time_fit(ctx, 500, 0.8, "0.3"));
    rung_model *model = time_fit(ctx, 1200, 0.79, "1.5");
    need(ctx, rung_data_generate(ctx, "toy", ROWS, -1, 0, &data));
    rung_view X = rung_data_view(data);
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        double t = seconds();
        need(ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
        best = smaller(best, seconds() - t);
    }
    printf("10000 predictions by the latter    %7.3f s   (wanted: <= 2)\n", best);
    rung_model_free(model);
    rung_data_free(data);
    rung_model_free(time_fit(ctx, 900, 0, "12"));
    rung_ctx_free(ctx);
    return 0;
}
