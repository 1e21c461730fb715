// SPDX-License-Identifier: BSD-3-Clause
/* Support vector ordinal regression on one thread, beside LIBSVM's C-SVC (svm-train of Debian's libsvm-tools).
 *
 *     bench_svor [ROWS] [LARGE]        default 8000 rows of the isbor set; 50000 for the memory limit, 0: leave it out
 *
 * Medians of five runs. svm-train solves ten easier problems, one for each pair of classes, to its own tolerance of
 * 1e-3 on the optimality conditions, and reads and writes a text file; it is here because everybody has it. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "bench.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *t)
{
    qsort(t, RUNS, sizeof *t, by_size);
    return t[RUNS / 2];
}

static rung_spec *spec_of(rung_ctx *ctx, const char *method, const char *C, const char *gamma, int keep)
{
    rung_spec *spec;
    need(ctx, rung_spec_new(ctx, method, 0, &spec));
    need(ctx, rung_spec_set(ctx, spec, "C", C));
    need(ctx, rung_spec_set(ctx, spec, "gamma", gamma));
    need(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    need(ctx, rung_spec_set_keep_data(ctx, spec, keep));
    return spec;
}

/* ---- against svm-train ---- */

/* The standardised rows as svm-train reads them. */
static void write_rows(const char *path, const rung_data *data)
{
    FILE *f = fopen(path, "w");
    rung_view v = rung_data_view(data);
    double mean[2] = {0}, square[2] = {0};
    for (int64_t i = 0; i < v.n; i++)
        for (int j = 0; j < 2; j++) mean[j] += v.v[i * v.row + j] / (double)v.n;
    for (int64_t i = 0; i < v.n; i++)
        for (int j = 0; j < 2; j++) {
            double off = v.v[i * v.row + j] - mean[j];
            square[j] += off * off / (double)v.n;
        }
    for (int64_t i = 0; i < v.n; i++) {
        double x[2];
        for (int j = 0; j < 2; j++) x[j] = (v.v[i * v.row + j] - mean[j]) / __builtin_sqrt(square[j]);
        fprintf(f, "%d 1:%.10g 2:%.10g\n", rung_data_ranks(data)[i], x[0], x[1]);
    }
    if (fclose(f) != 0) exit(1);
}

/* Seconds of svm-train; < 0: it is not there. */
static double time_libsvm(const rung_data *data, const char *C, const char *gamma)
{
    char rows[] = "/tmp/rung_bench_XXXXXX", model[] = "/tmp/rung_bench_XXXXXX", command[256];
    if (system("svm-train > /dev/null 2>&1 ; test $? -ne 127") != 0) return -1;
    close(mkstemp(rows));
    close(mkstemp(model));
    write_rows(rows, data);
    snprintf(command, sizeof command, "svm-train -q -c %s -g %s %s %s", C, gamma, rows, model);
    double t = seconds();
    if (system(command) != 0) exit(1);
    t = seconds() - t;
    unlink(rows);
    unlink(model);
    return t;
}

static void against_libsvm(rung_ctx *ctx, const rung_data *data, const char *C, const char *gamma, double wanted)
{
    double t[RUNS], other[RUNS];
    rung_spec *spec = spec_of(ctx, "svorim", C, gamma, 0);
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        other[run] = time_libsvm(data, C, gamma);
        double start = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        t[run] = seconds() - start;
        rung_model_free(model);
    }
    rung_spec_free(spec);
    double own = median(t), theirs = median(other);
    printf("  svorim, C = %-4s gamma = %-4s    %7.3f s", C, gamma, own);
    if (theirs < 0)
        printf("   (svm-train is not there: install libsvm-tools to compare)\n");
    else
        printf("   svm-train %.3f s, ratio %5.2f (wanted: <= %g)\n", theirs, own / theirs, wanted);
}

/* ---- a search ---- */

static void time_search(rung_ctx *ctx)
{
    const char *const methods[] = {"svorim", NULL}, *const fixed[] = {"calibrate=0", NULL};
    const char *const grids[] = {"C=0.001,0.01,0.1,1,10,100,1000", "gamma=0.001,0.01,0.1,1,10,100,1000", NULL};
    rung_tune_options o = {.size = sizeof o, .methods = methods, .fixed = fixed, .grids = grids, .repeats = 1};
    rung_data *data;
    double t[RUNS];
    need(ctx, rung_data_generate(ctx, "toy", 225, -1, 0, &data));
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        rung_search *found;
        double start = seconds();
        need(ctx, rung_tune_run(ctx, &o, data, &model, &found));
        t[run] = seconds() - start;
        rung_model_free(model);
        rung_search_free(found);
    }
    printf("  search 7 x 7 x 5 folds, 225 rows of toy %5.3f s   (wanted: <= 1)\n", median(t));
    rung_data_free(data);
}

/* ---- updates ---- */

static rung_data *some_rows(rung_ctx *ctx, const rung_data *data, int64_t from, int64_t to)
{
    rung_view v = rung_data_view(data);
    rung_view part = {.v = v.v + from * v.row, .n = to - from, .d = v.d, .row = v.row, .col = v.col};
    rung_data *out;
    need(ctx, rung_data_new(ctx, &part, rung_data_ranks(data) + from, NULL, rung_data_classes(data), &out));
    return out;
}

static void time_updates(rung_ctx *ctx, const rung_data *data, const char *C, const char *gamma)
{
    int64_t n = rung_data_rows(data), added[] = {1, 10, 100, 1000};
    rung_spec *spec = spec_of(ctx, "isvor", C, gamma, 1);
    double whole[RUNS];
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        double start = seconds();
        need(ctx, rung_model_fit(ctx, spec, data, &model));
        whole[run] = seconds() - start;
        rung_model_free(model);
    }
    double fit = median(whole);
    printf("  isvor, C = %-4s gamma = %-4s: fit of all %.3f s\n", C, gamma, fit);
    for (size_t k = 0; k < sizeof added / sizeof *added; k++) {
        rung_data *old = some_rows(ctx, data, 0, n - added[k]), *new = some_rows(ctx, data, n - added[k], n);
        rung_model *model, *updated;
        double t[RUNS];
        need(ctx, rung_model_fit(ctx, spec, old, &model));
        for (int run = 0; run < RUNS; run++) {
            double start = seconds();
            need(ctx, rung_model_update(ctx, model, new, &updated));
            t[run] = seconds() - start;
            rung_model_free(updated);
        }
        double update = median(t);
        printf("    update by %4lld rows             %7.3f s   %8.3f ms a row, %5.2f of a fit\n", (long long)added[k],
               update, 1e3 * update / (double)added[k], update / fit);
        rung_model_free(model);
        rung_data_free(old);
        rung_data_free(new);
    }
    rung_spec_free(spec);
}

/* ---- many rows ---- */

static void time_large(rung_ctx *ctx, int64_t n)
{
    rung_data *data;
    rung_model *model;
    rung_spec *spec = spec_of(ctx, "svorim", "10", "1", 0);
    need(ctx, rung_data_generate(ctx, "isbor", n, -1, 0, &data));
    rung_ctx_set_memory(ctx, INT64_C(2) << 30);
    ctx->scratch.peak = 0;
    double start = seconds();
    need(ctx, rung_model_fit(ctx, spec, data, &model));
    printf("  svorim, %lld rows within 2 GiB      %7.3f s   peak %.2f GiB\n", (long long)n, seconds() - start,
           (double)ctx->scratch.peak / (double)(1 << 30));
    rung_ctx_set_memory(ctx, 0);
    rung_model_free(model);
    rung_data_free(data);
    rung_spec_free(spec);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 8000, large = argc > 2 ? atoll(argv[2]) : 50000;
    rung_ctx *ctx;
    rung_data *data;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    rung_ctx_set_threads(ctx, 1);
    need(ctx, rung_data_generate(ctx, "isbor", n, -1, 0, &data));
    printf("%lld rows of isbor, relative gap 1e-3, one thread\n", (long long)n);
    against_libsvm(ctx, data, "10", "1", 10);
    against_libsvm(ctx, data, "1000", "0.1", 20);
    time_search(ctx);
    time_updates(ctx, data, "10", "1");
    time_updates(ctx, data, "1000", "0.1");
    if (large > 0) time_large(ctx, large);
    rung_data_free(data);
    rung_ctx_free(ctx);
    return 0;
}
