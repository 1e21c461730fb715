// SPDX-License-Identifier: BSD-3-Clause
/* One fit of any size: seconds, the part of them spent in its own large linear algebra operations, processor time of
 * all threads, peak memory.
 *
 *     bench_scale METHOD ROWS COLUMNS LABELLED [NAME=VALUE]...     LABELLED: a share of the rows
 *
 * Prints one line of JSON. The rows are COLUMNS normal numbers each, five classes along a bent direction. */
#define _DEFAULT_SOURCE /* getrusage */
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"

enum { K = 5 };

static double operations(const rung_ctx *ctx, bool print)
{
    rung_counter c = {.size = sizeof c};
    double total = 0;
    for (int i = 0; rung_ctx_counter(ctx, i, &c); i++) {
        total += c.seconds;
        if (print && c.calls)
            fprintf(stderr, "  %-10s %8lld calls %9.3f s %8.1f Gflop/s\n", c.name, (long long)c.calls, c.seconds,
                    c.flops / c.seconds / 1e9);
    }
    return total;
}

static void log_line(void *user, rung_log_level level, const char *text)
{
    (void)user, (void)level;
    fprintf(stderr, "  %s\n", text);
}

static double processor(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_scale METHOD ROWS COLUMNS LABELLED [NAME=VALUE]...\n");
        return 2;
    }
    int64_t n = atoll(argv[2]), d = atoll(argv[3]), known = 0;
    double share = atof(argv[4]);
    double *x = malloc(sizeof *x * (size_t)(n * d));
    int *y = malloc(sizeof *y * (size_t)n);
    rung_ctx *ctx;
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    if (!x || !y || rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_log(ctx, log_line, NULL);
    draw(n, d, K, x, y);
    for (int64_t i = 0; i < n; i++) { /* every (1 / share)-th row keeps its label */
        if ((int64_t)((double)(i + 1) * share) == (int64_t)((double)i * share)) y[i] = 0;
        known += y[i] > 0;
    }
    rung_view view = {.v = x, .n = n, .d = d, .row = d, .col = 1};
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    free(x);
    need(ctx, rung_spec_new(ctx, argv[1], 0, &spec));
    for (int i = 5; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value) return 2;
        *value = 0;
        need(ctx, rung_spec_set(ctx, spec, argv[i], value + 1));
    }
    double before = operations(ctx, false), worked = processor(), t = seconds();
    need(ctx, rung_model_fit(ctx, spec, data, &model));
    t = seconds() - t;
    worked = processor() - worked;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    double own = operations(ctx, true) - before;
    printf("{\"method\":\"%s\",\"rows\":%lld,\"columns\":%lld,\"labelled\":%lld,\"seconds\":%.4f,\"operations\":%.4f,"
           "\"processor\":%.4f,\"peak_mb\":%.0f}\n",
           argv[1], (long long)n, (long long)d, (long long)known, t, own, worked, (double)use.ru_maxrss / 1024);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    rung_ctx_free(ctx);
    free(y);
    return 0;
}
