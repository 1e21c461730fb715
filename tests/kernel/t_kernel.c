// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "kernel/kernel.h"

enum { D = 3, N = 60, M = 40 };

static void draw(double *X, int n, uint64_t stream, double offset)
{
    rng r;
    rng_open(&r, 1, stream);
    for (int i = 0; i < D * n; i++) X[i] = offset + rng_normal(&r);
}

static const double precisions[D] = {0.5, 0, 2};
static const kernel kernels[] = {
    {.kind = KERNEL_RBF, .gamma = 0.4},
    {.kind = KERNEL_LINEAR},
    {.kind = KERNEL_POLY, .gamma = 0.3, .coef0 = 1, .degree = 4},
    {.kind = KERNEL_LAPLACIAN, .gamma = 0.4},
    {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = D, .precisions = precisions},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static double by_definition(const kernel *k, const double *x, const double *z)
{
    double dot = 0, d2 = 0, ard = 0;
    for (int j = 0; j < D; j++) {
        dot += x[j] * z[j];
        d2 += (x[j] - z[j]) * (x[j] - z[j]);
        ard += precisions[j] * (x[j] - z[j]) * (x[j] - z[j]);
    }
    switch (k->kind) {
    case KERNEL_RBF: return exp(-k->gamma * d2);
    case KERNEL_LINEAR: return dot;
    case KERNEL_POLY: return pow(k->gamma * dot + k->coef0, k->degree);
    case KERNEL_LAPLACIAN: return exp(-k->gamma * sqrt(d2));
    case KERNEL_ARD: return exp(-ard);
    case KERNEL_PRECOMPUTED: break;
    }
    return NAN;
}

static void gram_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    double X[D * N], K[N * N];
    la_mat *A;
    draw(X, N, 0, 0);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &A));
    for (int k = 0; k < KERNELS; k++) {
        assert_ok(ctx, kernel_gram(ctx, &kernels[k], D, N, X, A));
        la_get(A, K);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_close(K[i + j * N], by_definition(&kernels[k], X + i * D, X + j * D), 1e-12);
    }
}

/* Distances must not suffer when the data are far from the origin. */
static void far_from_the_origin(void **state)
{
    rung_ctx *ctx = *state;
    double X[D * N], K[N * N];
    la_mat *A;
    draw(X, N, 0, 1e7);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &A));
    for (int k = 0; k < KERNELS; k++) {
        if (kernels[k].kind == KERNEL_LINEAR || kernels[k].kind == KERNEL_POLY) continue;
        assert_ok(ctx, kernel_gram(ctx, &kernels[k], D, N, X, A));
        la_get(A, K);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_close(K[i + j * N], by_definition(&kernels[k], X + i * D, X + j * D), 1e-12);
    }
}

/* Nor do those of others when one row is far away. */
static void one_far_row(void **state)
{
    rung_ctx *ctx = *state;
    double X[D * N], K[N * N];
    la_mat *A;
    draw(X, N, 0, 0);
    X[D * 7 + 1] = 1.1e12;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &A));
    for (int k = 0; k < KERNELS; k++) {
        if (kernels[k].kind == KERNEL_LINEAR || kernels[k].kind == KERNEL_POLY) continue;
        assert_ok(ctx, kernel_gram(ctx, &kernels[k], D, N, X, A));
        la_get(A, K);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                assert_close(K[i + j * N], by_definition(&kernels[k], X + i * D, X + j * D), 1e-12);
    }
}

static void expansion_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    double X[D * N], Z[D * M], C[M * 2], F[N * 2];
    draw(X, N, 1, 5);
    draw(Z, M, 2, 5);
    for (int i = 0; i < M * 2; i++) C[i] = sin(i);
    for (int k = 0; k < KERNELS; k++) {
        assert_ok(ctx, kernel_expand(ctx, &kernels[k], &(point_set){D, N, X}, &(point_set){D, M, Z}, 2, C, F));
        for (int i = 0; i < N; i++)
            for (int o = 0; o < 2; o++) {
                double want = 0, scale = 0;
                for (int j = 0; j < M; j++) {
                    double term = C[j + o * M] * by_definition(&kernels[k], X + i * D, Z + j * D);
                    want += term;
                    scale += fabs(term);
                }
                assert_true(fabs(F[i + o * N] - want) <= 1e-12 * scale);
            }
    }
}

static void precisions_must_fit_the_columns(void **state)
{
    rung_ctx *ctx = *state;
    kernel k = {.kind = KERNEL_ARD, .gamma = 1, .n_precisions = 2, .precisions = precisions};
    double X[D * 2] = {0};
    la_mat *A;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 2, 2, &A));
    assert_fails(ctx, kernel_gram(ctx, &k, D, 2, X, A), RUNG_EARG, "precisions has 2 numbers, but there are 3");
}

static void a_row_with_itself(void **state)
{
    (void)state;
    static const double x[D] = {1, -2, 0.5};
    kernel poly = {.kind = KERNEL_POLY, .gamma = 2, .coef0 = 0.5, .degree = 3};
    assert_true(kernel_self(&(kernel){.kind = KERNEL_RBF, .gamma = 3}, D, x) == 1);
    assert_true(kernel_self(&(kernel){.kind = KERNEL_LINEAR}, D, x) == 5.25);
    assert_true(kernel_self(&poly, D, x) == 11.0 * 11 * 11);
    assert_true(isnan(kernel_self(&(kernel){.kind = KERNEL_PRECOMPUTED}, D, x)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(gram_by_definition),
        WITH_CONTEXT(far_from_the_origin),
        WITH_CONTEXT(one_far_row),
        WITH_CONTEXT(expansion_by_definition),
        WITH_CONTEXT(precisions_must_fit_the_columns),
        cmocka_unit_test(a_row_with_itself),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
