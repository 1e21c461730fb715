// SPDX-License-Identifier: BSD-3-Clause
/* Small fits: what a method costs where there is hardly any arithmetic, the best of many runs on one thread.
 *
 *     bench_small [ROWS] [METHOD]...       default 200 rows, ten columns, five classes; some methods */
#include <string.h>

#include "bench.h"

enum { D = 10, K = 5, TIMES = 60 };

static double best_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data)
{
    double best = 1e9;
    for (int i = 0; i < TIMES; i++) {
        rung_model *model;
        double t = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        best = smaller(best, seconds() - t);
        rung_model_free(model);
    }
    return best;
}

static double operations(const rung_ctx *ctx)
{
    rung_counter c = {.size = sizeof c};
    double total = 0;
    for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) total += c.seconds;
    return total;
}

static int has(const char *method, const char *param)
{
    const rung_method *m = rung_method_find(method);
    return m && rung_method_param_find(m, param);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"kdlor", "es-dl", "krr", "lda", "pom", "svorim", "llgc", "isbor"};
    int64_t n = argc > 1 ? atoll(argv[1]) : 200;
    int methods = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_ctx *ctx;
    rung_data *data;
    if (!x || !y || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    draw(n, D, K, x, y);
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    printf("%lld rows, one thread, best of %d fits\n", (long long)n, TIMES);
    for (int i = 0; i < methods; i++) {
        const char *name = argc > 2 ? argv[i + 2] : usual[i];
        rung_spec *spec;
        need(ctx, rung_spec_new(ctx, name, 0, &spec));
        if (has(name, "calibrate")) need(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
        if (has(name, "thresholds")) need(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
        double before = operations(ctx), best = best_fit(ctx, spec, data), own = (operations(ctx) - before) / TIMES;
        printf("  %-7s %8.3f ms, linear algebra %8.3f ms (mean)\n", name, 1e3 * best, 1e3 * own);
        rung_spec_free(spec);
    }
    rung_data_free(data);
    rung_ctx_free(ctx);
    free(x);
    free(y);
    return 0;
}
