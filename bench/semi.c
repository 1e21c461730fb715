// SPDX-License-Identifier: BSD-3-Clause
/* Support vector machines with a graph, and label propagation.
 *
 *     bench_semi [N]        default 2000 rows, a tenth of them labelled
 *
 * A fit against the large linear algebra operations in it, and its memory; then what more values of lambda2 (or
 * C) add to a search, which share the factorisations of the first one. Medians of five runs, the better of two
 * searches. */
#include <string.h>

#include "base/context.h"
#include "bench.h"

enum { D = 10, K = 5 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *t, size_t n)
{
    qsort(t, n, sizeof *t, by_size);
    return t[n / 2];
}

static double operations(const rung_ctx *ctx)
{
    rung_counter c = {.size = sizeof c};
    double sum = 0;
    for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) sum += c.seconds;
    return sum;
}

static void time_fit(rung_ctx *ctx, const rung_data *data, const char *name, const char *gamma)
{
    int64_t n = rung_data_rows(data);
    double t[RUNS], share[RUNS];
    rung_spec *spec;
    need(ctx, rung_spec_new(ctx, name, 0, &spec));
    if (gamma) need(ctx, rung_spec_set(ctx, spec, "gamma", gamma));
    ctx->scratch.peak = 0;
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        double before = operations(ctx), start = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        t[run] = seconds() - start;
        share[run] = t[run] / (operations(ctx) - before);
        rung_model_free(model);
    }
    rung_spec_free(spec);
    printf("  %-7s %s%-6s %7.3f s, %.2f of its own operations, peak %.2f n x n doubles\n", name,
           gamma ? "gamma " : "      ", gamma ? gamma : "", median(t, RUNS), median(share, RUNS),
           (double)ctx->scratch.peak / (8.0 * (double)n * (double)n));
}

static double time_search(rung_ctx *ctx, const rung_data *data, const char *method, const char *values)
{
    const char *const methods[] = {method, NULL}, *const fixed[] = {"gamma=1/d", NULL};
    const char *const grids[] = {values, strcmp(method, "sosvm") == 0 ? "lambda1=1" : "mu=0.1",
                                 strcmp(method, "sosvm") == 0 ? "lambda3=0.1" : NULL, NULL};
    rung_tune_options o = {.size = sizeof o, .methods = methods, .fixed = fixed, .grids = grids, .repeats = 1};
    double t[2];
    for (int run = 0; run < 2; run++) {
        rung_model *model;
        rung_search *found;
        double start = seconds();
        need(ctx, rung_tune_run(ctx, &o, data, &model, &found));
        t[run] = seconds() - start;
        rung_model_free(model);
        rung_search_free(found);
    }
    return smaller(t[0], t[1]);
}

static void time_shared(rung_ctx *ctx, const rung_data *data, const char *method, const char *one, const char *seven)
{
    double alone = time_search(ctx, data, method, one), all = time_search(ctx, data, method, seven);
    printf("  %-7s search of five folds: one value %.3f s, seven values of %.*s %.3f s, ratio %.2f\n", method, alone,
           (int)strcspn(one, "="), one, all, all / alone);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 2000;
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_ctx *ctx;
    rung_data *data;
    if (!x || !y || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    draw(n, D, K, x, y);
    for (int64_t i = 0; i < n; i++) y[i] = i % 10 ? 0 : y[i];
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    printf("%lld rows of %d columns, a tenth of them labelled, one thread\n", (long long)n, D);
    time_fit(ctx, data, "plp", NULL);
    for (int m = 0; m < 2; m++) {
        time_fit(ctx, data, m ? "sosvm" : "lapsvm", "0.03/d");
        time_fit(ctx, data, m ? "sosvm" : "lapsvm", "1/d");
    }
    time_shared(ctx, data, "lapsvm", "C=1", "C=0.01,0.03,0.1,0.3,1,3,10");
    time_shared(ctx, data, "sosvm", "lambda2=1", "lambda2=0.01,0.03,0.1,0.3,1,3,10");
    rung_data_free(data);
    rung_ctx_free(ctx);
    free(x);
    free(y);
    return 0;
}
