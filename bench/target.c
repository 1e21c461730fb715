// SPDX-License-Identifier: BSD-3-Clause
/* The optimal target vector and its relatives against the factorisations they cannot avoid.
 *
 *     bench_target [N]        default 8000 rows (eigenvalues: N / 4; linear kernel: 5 N / 2) */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "linalg/la.h"

enum { D = 10, CLASSES = 4, LABELS = 200 };

typedef struct {
    int64_t n, d;
    double *x;
    int *y;
    rung_data *data;
} sample;

static sample sample_new(rung_ctx *ctx, int64_t n, int64_t d, int64_t labels)
{
    sample s = {n, d, malloc(sizeof(double) * (size_t)(n * d)), malloc(sizeof(int) * (size_t)n), NULL};
    draw(n, d, CLASSES, s.x, s.y);
    for (int64_t i = labels; i < n; i++) s.y[i] = 0;
    rung_view view = {.v = s.x, .n = n, .d = d, .row = d, .col = 1};
    need(ctx, rung_data_new(ctx, &view, s.y, NULL, CLASSES, &s.data));
    return s;
}

static void sample_free(sample *s)
{
    rung_data_free(s->data);
    free(s->x);
    free(s->y);
}

/* options: "name=value" separated by spaces. */
static double time_fit(rung_ctx *ctx, const sample *s, const char *method, const char *options)
{
    rung_spec *spec;
    rung_model *model;
    char text[200], *next = text, *value;
    need(ctx, rung_spec_new(ctx, method, 0, &spec));
    snprintf(text, sizeof text, "%s", options);
    for (char *name; next && *next;) {
        name = next;
        if ((next = strchr(name, ' '))) *next++ = 0;
        value = strchr(name, '=');
        *value++ = 0;
        need(ctx, rung_spec_set(ctx, spec, name, value));
    }
    double t = seconds();
    need(ctx, rung_model_fit(ctx, spec, s->data, &model));
    t = seconds() - t;
    rung_model_free(model);
    rung_spec_free(spec);
    return t;
}

static void kernel_matrix(rung_ctx *ctx, const sample *s, la_mat **out)
{
    la_map rbf = {.kind = LA_EXP_SQ, .gamma = 1.0 / D};
    la_mat *X;
    need(ctx, la_new(ctx, &ctx->scratch, s->d, s->n, &X));
    need(ctx, la_new(ctx, &ctx->scratch, s->n, s->n, out));
    la_put(s->x, X);
    need(ctx, la_gram(ctx, X, &rbf, *out));
}

static double time_potrf(rung_ctx *ctx, const sample *s)
{
    la_mat *A;
    la_enter();
    kernel_matrix(ctx, s, &A);
    la_add_diagonal(A, 0.01, NULL);
    double t = seconds();
    need(ctx, la_potrf(ctx, A));
    t = seconds() - t;
    pool_free_all(&ctx->scratch);
    la_leave();
    return t;
}

/* OpenBLAS with as many threads as we have. */
static double time_syevd(rung_ctx *ctx, const sample *s)
{
    la_mat *A;
    double *a = malloc(sizeof *a * (size_t)(s->n * s->n)), *w = malloc(sizeof *w * (size_t)s->n);
    la_enter();
    kernel_matrix(ctx, s, &A);
    la_get(A, a);
    blas_threads(ctx->threads);
    double t = seconds();
    LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', (int)s->n, a, (int)s->n, w);
    t = seconds() - t;
    blas_threads(1);
    pool_free_all(&ctx->scratch);
    la_leave();
    free(a);
    free(w);
    return t;
}

static const char ONE_FIT[] = "calibrate=0 thresholds=midpoint";

typedef double timed(rung_ctx *ctx, const sample *s);

/* One line: the best of some fits over the best of as many runs of the floor, taken in turn. */
static void compare(rung_ctx *ctx, const sample *s, timed *floor, int runs, const char *what, const char *method,
                    const char *options, double wanted)
{
    double fit = HUGE_VAL, least = HUGE_VAL;
    for (int run = 0; run < runs; run++) {
        least = smaller(least, floor(ctx, s));
        fit = smaller(fit, time_fit(ctx, s, method, options));
    }
    printf("  %-32s %6.2f s / %5.2f s = %6.2f", what, fit, least, fit / least);
    if (wanted > 0) printf("   (wanted: <= %g)", wanted);
    printf("\n");
    fflush(stdout);
}

static void bench_linear(rung_ctx *ctx, int64_t n)
{
    sample s = sample_new(ctx, n, 50, LABELS);
    char one[100];
    snprintf(one, sizeof one, "kernel=linear %s", ONE_FIT);
    printf("n = %lld, d = 50, linear kernel, %d labels: seconds; wanted at 20000 rows: about 2\n", (long long)n,
           LABELS);
    printf("  %-32s %6.2f s\n", "ot, one fit", time_fit(ctx, &s, "ot", one));
    printf("  %-32s %6.2f s\n", "ot, out-of-fold scores", time_fit(ctx, &s, "ot", "kernel=linear"));
    printf("  %-32s %6.2f s\n", "kpca", time_fit(ctx, &s, "kpca", "kernel=linear"));
    sample_free(&s);
}

static void bench_rbf(rung_ctx *ctx, int64_t n)
{
    enum { TIMES = 2 };
    sample s = sample_new(ctx, n, D, LABELS);
    char small[100], loose[100];
    snprintf(small, sizeof small, "lambda=0.001 %s", ONE_FIT);
    snprintf(loose, sizeof loose, "norm=free %s", ONE_FIT);
    printf("n = %lld, d = %d, rbf, %d labels: fits over one dpotrf\n", (long long)n, D, LABELS);
    compare(ctx, &s, time_potrf, TIMES, "ot, norm=labelled", "ot", ONE_FIT, 20);
    compare(ctx, &s, time_potrf, TIMES, "ot, norm=labelled, lambda=0.001", "ot", small, 20);
    compare(ctx, &s, time_potrf, TIMES, "ot, norm=free", "ot", loose, 20);
    compare(ctx, &s, time_potrf, 1, "ot, out-of-fold scores", "ot", "", 0);
    compare(ctx, &s, time_potrf, TIMES, "kpca, 2 components", "kpca", "", 0);
    compare(ctx, &s, time_potrf, TIMES, "tld", "tld", ONE_FIT, 0);
    sample_free(&s);
}

static void bench_eigenvalues(rung_ctx *ctx, int64_t n)
{
    sample s = sample_new(ctx, n, D, n);
    char all[100], path[100];
    snprintf(all, sizeof all, "%s components=%lld", ONE_FIT, (long long)n - 1);
    snprintf(path, sizeof path, "%s lambda=auto", ONE_FIT);
    printf("n = %lld, rbf: fits over one dsyevd\n", (long long)n);
    compare(ctx, &s, time_syevd, RUNS, "krr, lambda=auto, all labelled", "krr", "lambda=auto", 2.5);
    sample_free(&s);
    s = sample_new(ctx, n, D, LABELS);
    compare(ctx, &s, time_syevd, RUNS, "ot, lambda=auto", "ot", path, 2.5);
    compare(ctx, &s, time_syevd, RUNS, "ot, all components", "ot", all, 2.5);
    sample_free(&s);
}

int main(int argc, char **argv)
{
    rung_ctx *ctx;
    int64_t n = argc > 1 ? atoll(argv[1]) : 8000;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    bench_linear(ctx, 5 * n / 2);
    bench_rbf(ctx, n);
    bench_eigenvalues(ctx, n / 4);
    rung_ctx_free(ctx);
    return 0;
}
