// SPDX-License-Identifier: BSD-3-Clause
/* The manifold family against its own large linear algebra operations, from the counters. The shortest paths of isoproj
 * are no such operation: its ratio tells what share they have.
 *
 *     bench_manifold [N]        default 4000 rows of 16 x 16 numbers */
#include <string.h>

#include "base/context.h"
#include "bench.h"

enum { D = 256, K = 5 };

static void bench(rung_ctx *ctx, const rung_data *data, const char *name, const char *parameter, const char *value)
{
    rung_spec *spec;
    double best = 1e300, ratio = 0;
    need(ctx, rung_spec_new(ctx, name, 0, &spec));
    need(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    if (!strncmp(name, "orml", 4)) need(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    if (parameter) need(ctx, rung_spec_set(ctx, spec, parameter, value));
    for (int run = 0; run < 3; run++) {
        rung_model *model;
        double operations = 0;
        rung_counter c = {.size = sizeof c};
        for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) operations -= c.seconds;
        double t = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        t = seconds() - t;
        for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) operations += c.seconds;
        if (t < best) ratio = t / operations;
        best = smaller(best, t);
        rung_model_free(model);
    }
    const char *wanted = strcmp(name, "isoproj") ? " (wanted: <= 2)" : ", the paths are none of these";
    printf("  %-8s %-8s %7.3f s, %.2f of its own operations%s\n", name, value ? value : "", best, ratio, wanted);
    rung_spec_free(spec);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 4000;
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_ctx *ctx;
    rung_data *data;
    if (!x || !y || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    draw(n, D, K, x, y);
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    printf("n = %lld, d = %d, %d threads\n", (long long)n, (int)D, ctx->threads);
    bench(ctx, data, "orml", NULL, NULL);
    bench(ctx, data, "orml", "kernel", "linear");
    bench(ctx, data, "orml-m", "shape", "16x16");
    bench(ctx, data, "lda", NULL, NULL);
    bench(ctx, data, "lpp", NULL, NULL);
    bench(ctx, data, "npe", NULL, NULL);
    bench(ctx, data, "isoproj", NULL, NULL);
    bench(ctx, data, "tlpp", "shape", "16x16");
    rung_data_free(data);
    rung_ctx_free(ctx);
    free(x);
    free(y);
    return 0;
}
