// SPDX-License-Identifier: BSD-3-Clause
/* The closed forms against systems solved one row at a time. */
#include "helper.h"

#include "base/rng.h"
#include "method/mixture/cumulative_features.h"
#include "method/mixture/cumulative_ridge.h"
#include "solve/cumulative.h"

enum { N = 14, K = 4, J = K - 1 };

typedef struct {
    double G[N * N]; /* exp(-|x - z|^2) of points on a line, two of them equal */
    int y[N];
    double w[N];
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
        r->w[i] = 1;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) r->G[i + j * N] = exp(-(x[i] - x[j]) * (x[i] - x[j]));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &r->gram));
    la_put(r->G, r->gram);
}

/* P = p0 + k'(K + ridge W^-1)^-1 (Y - p0) over the rows not in `out`, at row `at`; K = scale G + 0.1. */
static void without_rows(rung_ctx *ctx, const rows *r, double scale, double ridge, const double *p0, const bool *out,
                         int at, double *P)
{
    double A[N * N], B[N * J];
    int keep[N], m = 0;
    for (int i = 0; i < N; i++)
        if (!out[i]) keep[m++] = i;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            A[i + j * m] = scale * r->G[keep[i] + keep[j] * N] + 0.1 + (i == j ? ridge / r->w[keep[i]] : 0);
        for (int q = 0; q < J; q++) B[i + q * m] = (r->y[keep[i]] > q + 1) - p0[q];
    }
    assert_ok(ctx, la_small_spd_solve(ctx, m, A, J, B));
    for (int q = 0; q < J; q++) {
        P[q] = p0[q];
        for (int i = 0; i < m; i++) P[q] += (scale * r->G[at + keep[i] * N] + 0.1) * B[i + q * m];
    }
}

static void without_some(rung_ctx *ctx, const rows *r, double scale, double ridge, const double *p0, const int some[2],
                         int at, double *P)
{
    bool out[N];
    for (int i = 0; i < N; i++) out[i] = i == some[0] || i == some[1];
    without_rows(ctx, r, scale, ridge, p0, out, at, P);
}

static void by_definition(rung_ctx *ctx, const rows *r, double scale, double ridge, const double *p0, int out, int at,
                          double *P)
{
    without_some(ctx, r, scale, ridge, p0, (int[]){out, out}, at, P);
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
        pool own = {0};
        int64_t before = ctx->scratch.bytes;
        assert_ok(ctx, cumulative_ridge_new(ctx, c % 2 ? &own : &ctx->scratch, r.gram, scale,
                                            &(cumulative_rows){.n = N, .K = K, .y = r.y}, &s));
        assert_true((c % 2 == 1) == (ctx->scratch.bytes == before && own.bytes > 0));
        double below = 0;
        for (int q = 0; q < J; q++) {
            for (int i = 0; i < N; i++) below += r.y[i] == q + 1;
            assert_close(s.rows.p0[q], 1 - (below + (q + 1) * 0.5 / K) / (N + 0.5), 1e-15);
        }
        assert_ok(ctx, cumulative_ridge_loo(ctx, &s, ridge, loo));
        assert_ok(ctx, cumulative_ridge_coef(ctx, &s, ridge, coef, bias));
        for (int i = 0; i < N; i++) {
            by_definition(ctx, &r, scale, ridge, s.rows.p0, i, i, expected);
            cumulative_repair(K, expected);
            assert_arrays_close(J, loo + i * J, expected, 1e-9);
            by_definition(ctx, &r, scale, ridge, s.rows.p0, -1, i, expected);
            for (int q = 0; q < J; q++) {
                double f = bias[q];
                for (int j = 0; j < N; j++) f += coef[j + q * N] * scale * r.G[i + j * N];
                assert_close(f, expected[q], 1e-9);
            }
        }
        pool_free_all(&own);
    }
}

/* Rows 4 and 5 are equal: their predictions come from the other rows, whatever they weigh. */
static void equal_rows_leave(rung_ctx *ctx, bool weighted)
{
    rows r;
    row_groups together;
    cumulative_ridge s;
    int group[N];
    double loo[N * J], expected[J];
    make(ctx, &r);
    for (int i = 0; i < N; i++) group[i] = i == 5 ? 4 : i;
    for (int i = 0; i < N && weighted; i++) r.w[i] = 0.5 + i * 5 % 7;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &together));
    cumulative_rows all = {.n = N, .K = K, .y = r.y, .weight = weighted ? r.w : NULL, .together = &together};
    assert_ok(ctx, cumulative_ridge_new(ctx, &ctx->scratch, r.gram, 1, &all, &s));
    assert_ok(ctx, cumulative_ridge_loo(ctx, &s, 0.1, loo));
    for (int i = 0; i < N; i++) {
        bool equal = i == 4 || i == 5;
        without_some(ctx, &r, 1, 0.1, s.rows.p0, (int[]){equal ? 4 : i, equal ? 5 : i}, i, expected);
        cumulative_repair(K, expected);
        assert_arrays_close(J, loo + i * J, expected, 1e-9);
    }
}

static void test_equal_rows_leave_together(void **state)
{
    equal_rows_leave(*state, false);
    equal_rows_leave(*state, true);
}

/* Groups of rows that differ, two of them equal, with weights: predictions are those of the other groups. */
static void test_groups_leave_together(void **state)
{
    rung_ctx *ctx = *state;
    rows r;
    row_groups together;
    cumulative_ridge s;
    int group[N];
    double loo[N * J], equal[N * J], expected[J];
    make(ctx, &r);
    for (int i = 0; i < N; i++) group[i] = i % 5 == 4 ? 0 : i % 5;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &together));
    together.mixed = true;
    cumulative_rows all = {.n = N, .K = K, .y = r.y, .together = &together};
    assert_ok(ctx, cumulative_ridge_new(ctx, &ctx->scratch, r.gram, 1, &all, &s));
    assert_ok(ctx, cumulative_ridge_loo(ctx, &s, 0.1, loo));
    for (int i = 0; i < N; i++) {
        bool out[N];
        for (int j = 0; j < N; j++) out[j] = group[j] == group[i];
        without_rows(ctx, &r, 1, 0.1, s.rows.p0, out, i, expected);
        cumulative_repair(K, expected);
        assert_arrays_close(J, loo + i * J, expected, 1e-8);
    }
    for (int i = 0; i < N; i++) group[i] = i == 5 ? 4 : i;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &together));
    assert_ok(ctx, cumulative_ridge_loo(ctx, &s, 0.1, equal)); /* equal rows by their own form */
    together.mixed = true;
    assert_ok(ctx, cumulative_ridge_loo(ctx, &s, 0.1, loo));
    assert_arrays_close(N * J, loo, equal, 1e-8);
}

/* The same over features, in tiles of whole groups, and weighted. */
static void test_groups_leave_together_in_features(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 5000, M = 6 };
    const kernel k = {.kind = KERNEL_RBF, .gamma = 1};
    const double ridges[] = {0.3};
    static double x[MANY], w[MANY], loo[MANY * J], expected[MANY * J];
    static int y[MANY], group[MANY];
    row_groups together;
    landmarks l;
    cumulative_features f;
    rng g;
    rng_open(&g, 8, 1);
    for (int i = 0; i < MANY; i++) {
        x[i] = rng_normal(&g);
        w[i] = 1 + i % 3;
        y[i] = 1 + (x[i] + rng_normal(&g) > 0) + (i % 7 == 0);
        group[i] = i % 1700;
    }
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &(point_set){1, MANY, x}, M, &l));
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, MANY, group, &together));
    together.mixed = true;
    cumulative_rows all = {.n = MANY, .K = K, .y = y, .weight = w, .together = &together};
    assert_ok(ctx, cumulative_features_new(ctx, &l, x, 1, &all, &f));
    assert_ok(ctx, cumulative_features_loo(ctx, &f, 1, ridges, loo));
    /* without group 3: rows of weight 0 are not there; the means of the targets stay */
    for (int i = 0; i < MANY; i++)
        if (group[i] == 3) w[i] = 1e-12;
    cumulative_rows others = {.n = MANY, .K = K, .y = y, .weight = w};
    cumulative_features without;
    double V[M * J], bias[J], phi[M * MANY];
    la_mat *Phi;
    assert_ok(ctx, cumulative_features_new(ctx, &l, x, 1, &others, &without));
    assert_ok(ctx, cumulative_features_weights(ctx, &without, ridges[0], V, bias));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, MANY, &Phi));
    assert_ok(ctx, landmarks_features(ctx, &l, MANY, x, Phi));
    la_get(Phi, phi);
    for (int i = 3; i < MANY; i += 1700) {
        for (int q = 0; q < J; q++) {
            expected[q] = bias[q];
            for (int j = 0; j < M; j++) expected[q] += V[j + q * M] * phi[j + i * M];
        }
        cumulative_repair(K, expected);
        assert_arrays_close(J, loo + i * J, expected, 1e-4); /* the means of the targets differ a little */
    }
    double off = 0;
    for (int i = 3; i < MANY; i += 1700) off = fmax(off, fabs(loo[i * J] - loo[(i + 1) * J]));
    assert_true(off > 0.01);
}

/* Five landmarks: the same forms over the kernel their features make. */
static void test_features_are_a_kernel(void **state)
{
    rung_ctx *ctx = *state;
    rng g;
    double x[N], phi[5 * N], loo[2 * N * J], expected[N * J], V[5 * J], bias[J], coef[N * J], other[J];
    const double ridges[] = {0.01, 1}, scale = 0.5;
    const kernel k = {.kind = KERNEL_RBF, .gamma = 1};
    int y[N];
    landmarks l;
    cumulative_features f;
    cumulative_ridge exact;
    la_mat *Phi, *G;
    rng_open(&g, 5, 1);
    for (int i = 0; i < N; i++) {
        x[i] = 2 * rng_normal(&g);
        y[i] = 1 + i % K;
    }
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &(point_set){1, N, x}, 5, &l));
    assert_int_equal(l.m, 5);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 5, N, &Phi));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &G));
    assert_ok(ctx, landmarks_features(ctx, &l, N, x, Phi));
    assert_ok(ctx, la_syrk(ctx, true, 1, Phi, 0, G));
    la_get(Phi, phi);
    assert_ok(ctx, cumulative_features_new(ctx, &l, x, scale, &(cumulative_rows){.n = N, .K = K, .y = y}, &f));
    assert_ok(ctx,
              cumulative_ridge_new(ctx, &ctx->scratch, G, scale, &(cumulative_rows){.n = N, .K = K, .y = y}, &exact));
    assert_ok(ctx, cumulative_features_loo(ctx, &f, 2, ridges, loo));
    for (int r = 0; r < 2; r++) {
        assert_ok(ctx, cumulative_ridge_loo(ctx, &exact, ridges[r], expected));
        assert_arrays_close(N * J, loo + r * N * J, expected, 1e-9);
        assert_ok(ctx, cumulative_features_weights(ctx, &f, ridges[r], V, bias));
        assert_ok(ctx, cumulative_ridge_coef(ctx, &exact, ridges[r], coef, other));
        assert_arrays_close(J, bias, other, 1e-9);
        for (int q = 0; q < J; q++)
            for (int j = 0; j < 5; j++) {
                double v = 0;
                for (int i = 0; i < N; i++) v += scale * phi[j + i * 5] * coef[i + q * N];
                assert_close(V[j + q * 5], v, 1e-8);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_loo_is_a_refit), WITH_CONTEXT(test_equal_rows_leave_together),
                                       WITH_CONTEXT(test_groups_leave_together),
                                       WITH_CONTEXT(test_groups_leave_together_in_features),
                                       WITH_CONTEXT(test_features_are_a_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
