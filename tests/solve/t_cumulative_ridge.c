// SPDX-License-Identifier: BSD-3-Clause
/* The closed forms against systems solved one row at a time. */
#include "helper.h"

#include "base/rng.h"
#include "solve/cumulative.h"
#include "solve/cumulative_ridge.h"

enum { N = 14, K = 4, J = K - 1 };

typedef struct {
    double G[N * N]; /* exp(-|x - z|^2) of points on a line, two of them equal */
    int y[N];
    la_mat *gram;
} rows;

static void make(rung_ctx *ctx, rows *r)
{
    double x[N];
    rng g;
    rng_open(&g, 3, 1);
    for (int i = 0; i < N; i++) {
        x[i] = i == 5 ? x[4] : rng_normal(&g);
        r->y[i] = 1 + i % K;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) r->G[i + j * N] = exp(-(x[i] - x[j]) * (x[i] - x[j]));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &r->gram));
    la_put(r->G, r->gram);
}

/* P = p0 + k'(K + ridge)^-1 (Y - p0) over the rows but `out`, at row `at`; K = scale G + 0.1. */
static void by_definition(rung_ctx *ctx, const rows *r, double scale, double ridge, const double *p0, int out, int at,
                          double *P)
{
    double A[N * N], B[N * J];
    int keep[N], m = 0;
    for (int i = 0; i < N; i++)
        if (i != out) keep[m++] = i;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) A[i + j * m] = scale * r->G[keep[i] + keep[j] * N] + 0.1 + (i == j ? ridge : 0);
        for (int q = 0; q < J; q++) B[i + q * m] = (r->y[keep[i]] > q + 1) - p0[q];
    }
    assert_ok(ctx, la_small_spd_solve(ctx, m, A, J, B));
    for (int q = 0; q < J; q++) {
        P[q] = p0[q];
        for (int i = 0; i < m; i++) P[q] += (scale * r->G[at + keep[i] * N] + 0.1) * B[i + q * m];
    }
}

static void test_loo_is_a_refit(void **state)
{
    rung_ctx *ctx = *state;
    rows r;
    make(ctx, &r);
    double scales[] = {1, 0.25}, ridges[] = {0.01, 1}, loo[N * J], coef[N * J], bias[J], expected[J];
    for (int c = 0; c < 4; c++) {
        double scale = scales[c / 2], ridge = ridges[c % 2];
        cumulative_ridge s;
        assert_ok(ctx, cumulative_ridge_new(ctx, &ctx->scratch, r.gram, scale, K, r.y, &s));
        double below = 0;
        for (int q = 0; q < J; q++) {
            for (int i = 0; i < N; i++) below += r.y[i] == q + 1;
            assert_close(s.p0[q], 1 - (below + (q + 1) * 0.5 / K) / (N + 0.5), 1e-15);
        }
        assert_ok(ctx, cumulative_ridge_loo(ctx, &s, ridge, loo));
        assert_ok(ctx, cumulative_ridge_coef(ctx, &s, ridge, coef, bias));
        for (int i = 0; i < N; i++) {
            by_definition(ctx, &r, scale, ridge, s.p0, i, i, expected);
            cumulative_repair(K, expected);
            assert_arrays_close(J, loo + i * J, expected, 1e-9);
            by_definition(ctx, &r, scale, ridge, s.p0, -1, i, expected);
            for (int q = 0; q < J; q++) {
                double f = bias[q];
                for (int j = 0; j < N; j++) f += coef[j + q * N] * scale * r.G[i + j * N];
                assert_close(f, expected[q], 1e-9);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_loo_is_a_refit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
