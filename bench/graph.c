// SPDX-License-Identifier: BSD-3-Clause
/* The graph family against its own large linear algebra operations, from the counters.
 *
 *     bench_graph [N]        default 3000 rows, a fifth of them labelled */
#include "base/context.h"
#include "bench.h"

enum { D = 10, K = 5 };

static void bench(rung_ctx *ctx, const rung_data *data, const char *name, int64_t n)
{
    rung_spec *spec;
    rung_model *model;
    double operations = 0;
    rung_counter c = {.size = sizeof c};
    need(ctx, rung_spec_new(ctx, name, 0, &spec));
    need(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    need(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) operations -= c.seconds;
    ctx->scratch.peak = 0;
    double t = seconds();
    need(ctx, rung_model_fit(ctx, spec, data, &model));
    t = seconds() - t;
    for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) operations += c.seconds;
    printf("  %-7s %7.3f s, %.2f of its own operations (wanted: <= 1.5), peak %.2f n x n doubles (wanted: < 5)\n", name,
           t, t / operations, (double)ctx->scratch.peak / (8.0 * (double)(n * n)));
    rung_model_free(model);
    rung_spec_free(spec);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"s-dl", "ces-dl", "es-dl", "ws-dl"};
    int64_t n = argc > 1 ? atoll(argv[1]) : 3000;
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_ctx *ctx;
    rung_data *data;
    if (!x || !y || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    draw(n, D, K, x, y);
    for (int64_t i = 0; i < n; i++) y[i] = i % 5 ? 0 : y[i];
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    printf("n = %lld, %lld labelled, %d threads\n", (long long)n, (long long)(n + 4) / 5, ctx->threads);
    for (int i = 0; i < 4; i++) bench(ctx, data, names[i], n);
    rung_data_free(data);
    rung_ctx_free(ctx);
    free(x);
    free(y);
    return 0;
}
