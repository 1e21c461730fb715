// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "linalg/la.h"
#include "solve/simplex_weights.h"

enum { N = 30, D = 4, NEAR = 6 };

/* Weights are >= 0 and sum to 1; the derivative of |x_i - sum s_ij x_j|^2 is the least where a weight is positive. */
static void weights_are_optimal(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], R[D];
    rng r;
    rng_open(&r, 4, 4);
    for (int i = 0; i < N * D; i++) X[i] = 1e3 * rng_normal(&r);
    memcpy(X + D, X, D * sizeof *X); /* a duplicate */
    neighbours nb;
    la_csr S;
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, NEAR, &nb));
    assert_ok(ctx, simplex_weights(ctx, &ctx->scratch, D, X, &nb, &S));
    for (int i = 0; i < N; i++) {
        double sum = 0, least = INFINITY, scale = 0, g[NEAR];
        for (int c = 0; c < D; c++) R[c] = X[i * D + c];
        for (int64_t e = S.start[i]; e < S.start[i + 1]; e++) {
            assert_true(S.value[e] >= 0 && S.col[e] != i && (e == S.start[i] || S.col[e] > S.col[e - 1]));
            sum += S.value[e];
            for (int c = 0; c < D; c++) R[c] -= S.value[e] * X[S.col[e] * D + c];
        }
        assert_close(sum, 1, 1e-12);
        for (int64_t e = S.start[i]; e < S.start[i + 1]; e++) {
            double *to = &g[e - S.start[i]];
            *to = 0;
            for (int c = 0; c < D; c++) *to += R[c] * (X[i * D + c] - X[S.col[e] * D + c]);
            least = fmin(least, *to);
            for (int c = 0; c < D; c++) scale += pow(X[i * D + c] - X[S.col[e] * D + c], 2);
        }
        for (int64_t e = S.start[i]; e < S.start[i + 1]; e++)
            if (S.value[e] > 1e-9) assert_true(g[e - S.start[i]] <= least + 1e-8 * scale);
    }
    assert_close(S.value[S.start[0]], 1, 1e-6); /* row 0 is row 1, its first entry by column */
}

/* The inner products of the rows tell the same weights. */
static void a_kernel_matrix_is_enough(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], G[N * N] = {0};
    rng r;
    rng_open(&r, 4, 5);
    for (int i = 0; i < N * D; i++) X[i] = rng_normal(&r);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int c = 0; c < D; c++) G[i + j * N] += X[i * D + c] * X[j * D + c];
    neighbours nb;
    la_csr S, T;
    la_mat *K;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &K));
    la_put(G, K);
    assert_ok(ctx, neighbours_among(ctx, &ctx->scratch, D, N, X, NEAR, &nb));
    assert_ok(ctx, simplex_weights(ctx, &ctx->scratch, D, X, &nb, &S));
    assert_ok(ctx, simplex_weights_kernel(ctx, &ctx->scratch, K, &nb, &T));
    assert_memory_equal(S.col, T.col, sizeof(int64_t) * N * NEAR);
    for (int e = 0; e < N * NEAR; e++) assert_true(fabs(S.value[e] - T.value[e]) < 1e-5); /* up to the ridge */
}

static void the_symmetric_part(void **state)
{
    rung_ctx *ctx = *state;
    int64_t start[] = {0, 2, 3, 3}, col[] = {1, 2, 0};
    double value[] = {0.25, 0.75, 1};
    const la_csr S = {.rows = 3, .cols = 3, .start = start, .col = col, .value = value};
    la_csr A;
    assert_ok(ctx, symmetric_part(ctx, &ctx->scratch, &S, &A));
    const int64_t starts[] = {0, 2, 3, 4}, cols[] = {1, 2, 0, 0};
    const double values[] = {0.625, 0.375, 0.625, 0.375};
    assert_memory_equal(A.start, starts, sizeof starts);
    assert_memory_equal(A.col, cols, sizeof cols);
    assert_memory_equal(A.value, values, sizeof values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(weights_are_optimal),
        WITH_CONTEXT(a_kernel_matrix_is_enough),
        WITH_CONTEXT(the_symmetric_part),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
