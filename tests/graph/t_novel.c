// SPDX-License-Identifier: BSD-3-Clause
/* Label propagation with a novel class against the dense system, and where little or nothing arrives. */
#include "helper.h"

#include "base/rng.h"
#include "graph/novel.h"

enum { N = 14, K = 3 };

/* Column by column (I - A D^-1 S) F = (I - A) Y by elimination; diagonally dominant, so no pivoting. */
static void dense(const double *S, const int *y, long double novel, double *P)
{
    long double A[N][N + K];
    for (int i = 0; i < N; i++) {
        long double degree = 0;
        for (int j = 0; j < N; j++) degree += S[i * N + j];
        for (int j = 0; j < N; j++) A[i][j] = (i == j) - (y[i] || degree == 0 ? 0 : novel * S[i * N + j] / degree);
        for (int q = 0; q < K; q++) A[i][N + q] = y[i] == q + 1;
    }
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            long double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j < N + K && i != k; j++) A[i][j] -= factor * A[k][j];
        }
    for (int i = 0; i < N; i++) {
        long double sum = 0;
        for (int q = 0; q < K; q++) sum += A[i][N + q] / A[i][i];
        for (int q = 0; q < K; q++) P[i + q * N] = (double)(A[i][N + q] / A[i][i] / sum);
    }
}

static la_csr csr_of(const double *S, int64_t *start, int64_t *col, double *value)
{
    int64_t used = 0;
    start[0] = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++)
            if (S[i * N + j] > 0) {
                col[used] = j;
                value[used++] = S[i * N + j];
            }
        start[i + 1] = used;
    }
    return (la_csr){.rows = N, .cols = N, .start = start, .col = col, .value = value};
}

static void it_solves_the_system(void **state)
{
    rung_ctx *ctx = *state;
    rng r;
    rng_open(&r, 8, 1);
    for (int round = 0; round < 40; round++) {
        double S[N * N], value[N * N], P[N * K], expected[N * K], novel = round % 4 ? rng_uniform(&r) : 0.999;
        int64_t start[N + 1], col[N * N];
        int y[N] = {1, 2, 3, round % 2 ? 3 : 0};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) /* a ring keeps every row in reach of a label; not symmetric */
                S[i * N + j] = i == j ? 0 : (i + 1) % N == j ? 1 : rng_uniform(&r) < 0.2 ? rng_uniform(&r) : 0;
        la_csr csr = csr_of(S, start, col, value);
        assert_ok(ctx, propagate_novel(ctx, &csr, K, y, novel, NOVEL_ACCURACY, P));
        dense(S, y, novel, expected);
        assert_arrays_close(N * K, P, expected, 1e-9);
        pool_free_all(&ctx->scratch);
    }
}

/* On a path between labels of two classes the shares are those of the walk's first label, however little arrives. */
static void far_rows_keep_their_digits(void **state)
{
    rung_ctx *ctx = *state;
    double S[N * N] = {0}, value[N * N], P[N * K], expected[N * K];
    int64_t start[N + 1], col[N * N];
    int y[N] = {1};
    y[N - 1] = 2;
    for (int i = 0; i + 1 < N; i++) S[i * N + i + 1] = S[(i + 1) * N + i] = 1;
    la_csr csr = csr_of(S, start, col, value);
    assert_ok(ctx, propagate_novel(ctx, &csr, K, y, 1e-6, NOVEL_ACCURACY, P));
    dense(S, y, 1e-6L, expected);
    for (int i = 0; i < N * K; i++) assert_true(fabs(P[i] - expected[i]) <= 1e-9 * expected[i]);
    assert_close(P[1], 1, 1e-12);
    assert_true(P[6] > P[6 + N] && P[7] < P[7 + N]); /* either side of the middle */
}

static void rows_without_a_path_get_the_frequencies(void **state)
{
    rung_ctx *ctx = *state;
    double S[N * N] = {0}, value[N * N], P[N * K];
    int64_t start[N + 1], col[N * N];
    int y[N] = {1, 1, 1, 2};
    S[5 * N + 6] = S[6 * N + 5] = 1; /* an island; the others have no neighbour at all */
    la_csr csr = csr_of(S, start, col, value);
    assert_ok(ctx, propagate_novel(ctx, &csr, K, y, 0.9, NOVEL_ACCURACY, P));
    for (int i = 4; i < N; i++) assert_true(P[i] == 0.75 && P[i + N] == 0.25 && P[i + 2 * N] == 0);
    assert_true(P[0] == 1 && P[3 + N] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(it_solves_the_system),
        WITH_CONTEXT(far_rows_keep_their_digits),
        WITH_CONTEXT(rows_without_a_path_get_the_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
