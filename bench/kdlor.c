// SPDX-License-Identifier: BSD-3-Clause
/* kdlor against the linear algebra it cannot avoid.
 *
 *     bench_kdlor [N]        default 8000 rows (the QR form: N / 2)
 *
 * Every ratio divides the best of several runs by the best of as many runs of its floor, taken in turns. */
#include <cblas.h>
#include <lapacke.h>
#include <string.h>

#include "bench.h"
#include "linalg/la.h"
#include "model/model.h"

enum { D = 10, K = 5 };

typedef struct {
    double gram, potrf, own_potrf, openblas_potrf, geqrf;
} floors;

static la_map rbf = {.kind = LA_EXP_SQ, .gamma = 1.0 / D};

static void measure_floors(rung_ctx *ctx, int64_t n, const double *x, bool qr, floors *best)
{
    la_mat *X, *A;
    la_enter();
    need(ctx, la_new(ctx, &ctx->scratch, D, n, &X));
    need(ctx, la_new(ctx, &ctx->scratch, n, n, &A));
    la_put(x, X);
    double t = seconds();
    need(ctx, la_gram(ctx, X, &rbf, A));
    best->gram = smaller(best->gram, seconds() - t);
    la_add_diagonal(A, 0.01, NULL);
    t = seconds();
    need(ctx, la_potrf(ctx, A));
    best->own_potrf = smaller(best->own_potrf, seconds() - t);

    double *a = malloc(sizeof *a * (size_t)(n * n)), *work = malloc(sizeof *work * (size_t)(n * 65));
    need(ctx, la_gram(ctx, X, &rbf, A));
    la_add_diagonal(A, 0.01, NULL);
    la_get(A, a);
    blas_threads(ctx->threads);
    t = seconds();
    if (qr) {
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, (int)n, (int)n, a, (int)n, work, work + n, (int)n * 64);
        best->geqrf = smaller(best->geqrf, seconds() - t);
    } else {
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (int)n, a, (int)n);
        best->openblas_potrf = smaller(best->openblas_potrf, seconds() - t);
    }
    blas_threads(1);
    free(a);
    free(work);
    pool_free_all(&ctx->scratch);
    la_leave();
}

static double time_fit(rung_ctx *ctx, const rung_data *data, const char *kind, const char *thresholds,
                       const char *calibrate, rung_model **model)
{
    rung_spec *spec;
    need(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    need(ctx, rung_spec_set(ctx, spec, "ridge-kind", kind));
    need(ctx, rung_spec_set(ctx, spec, "thresholds", thresholds));
    need(ctx, rung_spec_set(ctx, spec, "calibrate", calibrate));
    double t = seconds();
    need(ctx, rung_model_fit(ctx, spec, data, model));
    t = seconds() - t;
    rung_spec_free(spec);
    return t;
}

/* The inner products and exponentials of a prediction, nothing else, on as many threads. */
static double time_prediction_floor(rung_ctx *ctx, int64_t n, int64_t m, const double *x)
{
    enum { BLOCK = 256 };
    double t = seconds();
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i += BLOCK) {
        static _Thread_local double g[BLOCK * 512];
        int rows = (int)(n - i < BLOCK ? n - i : BLOCK);
        for (int64_t j = 0; j < m; j += 512) {
            int cols = (int)(m - j < 512 ? m - j : 512);
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, cols, D, -0.1, x + i * D, D, x + j * D, D, 0, g,
                        BLOCK);
            la_exp((int64_t)BLOCK * cols, g, g);
        }
    }
    return seconds() - t;
}

static void bench_fit(rung_ctx *ctx, int64_t n)
{
    double *x = malloc(sizeof *x * (size_t)(n * D)), *score = malloc(sizeof *score * (size_t)n);
    int *y = malloc(sizeof *y * (size_t)n);
    draw(n, D, K, x, y);
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    rung_data *data;
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    floors f = {1e9, 1e9, 1e9, 1e9, 1e9};
    double midpoint = 1e9, recalibrated = 1e9, predict = 1e9, floor = 1e9;
    int64_t peak = 0;
    for (int run = 0; run < RUNS; run++) {
        rung_model *model;
        measure_floors(ctx, n, x, false, &f);
        ctx->scratch.peak = 0;
        midpoint = smaller(midpoint, time_fit(ctx, data, "kernel", "midpoint", "0", &model));
        peak = ctx->scratch.peak;
        rung_output out = {.size = sizeof out, .score = score};
        double t = seconds();
        need(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
        predict = smaller(predict, seconds() - t);
        la_enter();
        floor = smaller(floor, time_prediction_floor(ctx, n, n, x));
        la_leave();
        rung_model_free(model);
        recalibrated = smaller(recalibrated, time_fit(ctx, data, "kernel", "recalibrated", "5", &model));
        rung_model_free(model);
    }
    double base = f.gram + f.own_potrf;
    printf("n = %lld, d = %d, %d threads: Gram %.3f s, Cholesky %.3f s\n", (long long)n, D, ctx->threads, f.gram,
           f.own_potrf);
    printf("  tiled Cholesky, speed against OpenBLAS's own      %6.2f   (wanted: >= 0.9)\n",
           f.openblas_potrf / f.own_potrf);
    printf("  fit, midpoint / (Gram + Cholesky)                 %6.2f   (wanted: <= 1.3)\n", midpoint / base);
    printf("  fit, recalibrated / (Gram + Cholesky)             %6.2f   (wanted: <= 4.5)\n", recalibrated / base);
    printf("  prediction, speed against its gemm and exp        %6.2f   (wanted: >= 0.5)\n", floor / predict);
    printf("  peak memory of the midpoint fit / n x n doubles   %6.2f   (wanted: <= 2.5)\n",
           (double)peak / (8.0 * (double)(n * n)));
    rung_data_free(data);
    free(x);
    free(y);
    free(score);
}

static void bench_identity(rung_ctx *ctx, int64_t n)
{
    double *x = malloc(sizeof *x * (size_t)(n * D));
    int *y = malloc(sizeof *y * (size_t)n);
    draw(n, D, K, x, y);
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    rung_data *data;
    need(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    floors f = {1e9, 1e9, 1e9, 1e9, 1e9};
    double fit = 1e9;
    int64_t peak = 0;
    for (int run = 0; run < 3; run++) {
        rung_model *model;
        measure_floors(ctx, n, x, true, &f);
        ctx->scratch.peak = 0;
        fit = smaller(fit, time_fit(ctx, data, "identity", "midpoint", "0", &model));
        peak = ctx->scratch.peak;
        rung_model_free(model);
    }
    printf("n = %lld, identity ridge: Gram %.3f s, dgeqrf (OpenBLAS, as many threads) %.3f s\n", (long long)n, f.gram,
           f.geqrf);
    printf("  fit by QR / (2 dgeqrf + Gram)                     %6.2f   (wanted: <= 1)\n",
           fit / (2 * f.geqrf + f.gram));
    printf("  peak memory / n x n doubles                       %6.2f\n", (double)peak / (8.0 * (double)(n * n)));
    rung_data_free(data);
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    rung_ctx *ctx;
    int64_t n = argc > 1 ? atoll(argv[1]) : 8000;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    bench_fit(ctx, n / 4);
    bench_fit(ctx, n);
    bench_identity(ctx, n / 2);
    rung_ctx_free(ctx);
    return 0;
}
