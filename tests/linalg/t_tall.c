// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "linalg/tall.h"

enum { D = 3 };

typedef struct {
    int64_t n, m;
    double *x;    /* D x n */
    double *full; /* n x n: every column of the basis */
    la_mat *X;
    la_map map;
    la_basis basis;
    la_tall *T; /* columns 0, 3, 6, ... of the basis */
    int64_t which[64];
    double *h, *v;
} setting;

/* features: the basis are the rows of x instead of a kernel. */
static setting make(rung_ctx *ctx, int64_t n, bool features)
{
    setting s = {.n = n, .map = {.kind = LA_EXP_SQ, .gamma = 0.3}};
    rng r;
    rng_open(&r, 3, (uint64_t)n);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.x, D * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.full, n * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.h, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.v, 2 * n));
    for (int64_t i = 0; i < D * n; i++) s.x[i] = rng_normal(&r);
    for (int64_t i = 0; i < n; i++) s.h[i] = rng_uniform(&r);
    for (int64_t i = 0; i < 2 * n; i++) s.v[i] = rng_normal(&r);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, D, n, &s.X));
    la_put(s.x, s.X);
    s.basis = (la_basis){.X = s.X};
    double *norm;
    assert_ok(ctx, la_basis_norms(ctx, &ctx->scratch, s.X, &norm));
    int64_t count = features ? D : n;
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < n; i++) {
            double d2 = 0;
            for (int k = 0; k < D; k++) d2 += pow(s.x[k + i * D] - s.x[k + j * D], 2);
            s.full[i + j * n] = features ? s.x[j + i * D] : exp(-0.3 * d2);
        }
    assert_ok(ctx, la_tall_new(ctx, &ctx->scratch, n, &s.T));
    for (int64_t j = 0; j < count && s.m < 40; j += features ? 1 : 3) {
        assert_ok(ctx, la_tall_append(ctx, s.T, s.full + j * n));
        s.which[s.m++] = j;
    }
    return s;
}

/* la_basis holds pointers into the setting: set where the setting has come to stay. */
static void settle(rung_ctx *ctx, setting *s, bool features)
{
    double *norm;
    if (features) return;
    assert_ok(ctx, la_basis_norms(ctx, &ctx->scratch, s->X, &norm));
    s->basis.map = &s->map;
    s->basis.norm = norm;
}

static const double *column_of(const setting *s, int64_t j) { return s->full + s->which[j] * s->n; }

static void products_are_what_they_say(void **state)
{
    rung_ctx *ctx = *state;
    const int64_t sizes[] = {1, 2, 7, 255, 256, 257, 900, 5000};
    for (int k = 0; k < 8; k++) {
        setting s = make(ctx, sizes[k], false);
        int64_t n = s.n, m = s.m;
        double x[64], y[64 * 2], *f, *G;
        assert_ok(ctx, NEW(ctx, &ctx->scratch, f, n));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, G, m * m));
        assert_int_equal(la_tall_cols(s.T), m);
        assert_int_equal(la_tall_rows(s.T), n);
        for (int64_t j = 0; j < m; j++) x[j] = (double)j - 3.5;
        assert_ok(ctx, la_tall_mul(ctx, s.T, x, f));
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < m; j++) sum += x[j] * column_of(&s, j)[i];
            assert_close(f[i], sum, 1e-12);
        }
        assert_ok(ctx, la_tall_sums(ctx, s.T, 2, s.v, y));
        la_mat *gram;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, m, m, &gram));
        assert_ok(ctx, la_tall_gram(ctx, s.T, s.h, gram));
        la_get(gram, G);
        for (int64_t j = 0; j < m; j++) {
            double sum[2] = {0, 0};
            for (int64_t i = 0; i < n; i++)
                for (int c = 0; c < 2; c++) sum[c] += column_of(&s, j)[i] * s.v[i + c * n];
            assert_close(y[j], sum[0], 1e-11);
            assert_close(y[j + m], sum[1], 1e-11);
            for (int64_t l = 0; l < m; l++) {
                double inner = 0;
                for (int64_t i = 0; i < n; i++) inner += s.h[i] * column_of(&s, j)[i] * column_of(&s, l)[i];
                assert_close(G[j + l * m], inner, 1e-11);
            }
        }
        pool_free_all(&ctx->scratch);
    }
}

static void candidates_are_never_stored(void **state)
{
    rung_ctx *ctx = *state;
    const int64_t sizes[] = {5, 300, 3000};
    for (int k = 0; k < 3; k++)
        for (int features = 0; features < 2; features++) {
            setting s = make(ctx, sizes[k], features);
            settle(ctx, &s, features);
            int64_t n = s.n, m = s.m, count = features ? D : n < 50 ? n : 50, which[50];
            double linear[50], square[50], *cross, *column;
            la_mat *C;
            for (int64_t j = 0; j < count; j++) which[j] = features ? D - 1 - j : n - 1 - j;
            assert_ok(ctx, la_new(ctx, &ctx->scratch, m, count, &C));
            assert_ok(ctx, NEW(ctx, &ctx->scratch, cross, m * count));
            assert_ok(ctx, NEW(ctx, &ctx->scratch, column, n));
            assert_ok(ctx,
                      la_basis_products(ctx, &s.basis, count, which, s.T, s.h, s.v, &(la_products){linear, square, C}));
            la_get(C, cross);
            for (int64_t j = 0; j < count; j++) {
                const double *b = s.full + which[j] * n;
                double sum = 0, weighted = 0;
                assert_ok(ctx, la_basis_column(ctx, &s.basis, which[j], column));
                assert_arrays_close(n, column, b, 1e-13);
                for (int64_t i = 0; i < n; i++) {
                    sum += b[i] * s.v[i];
                    weighted += s.h[i] * b[i] * b[i];
                }
                assert_close(linear[j], sum, 1e-11);
                assert_close(square[j], weighted, 1e-11);
                for (int64_t l = 0; l < m; l++) {
                    double inner = 0;
                    for (int64_t i = 0; i < n; i++) inner += s.h[i] * b[i] * column_of(&s, l)[i];
                    assert_close(cross[l + j * m], inner, 1e-11);
                }
            }
            pool_free_all(&ctx->scratch);
        }
}

static void columns_come_and_go(void **state)
{
    rung_ctx *ctx = *state;
    la_tall *T;
    double one[3] = {1, 1, 1}, f[3], x[40];
    assert_ok(ctx, la_tall_new(ctx, &ctx->scratch, 3, &T));
    assert_ok(ctx, la_tall_mul(ctx, T, x, f));
    assert_true(f[0] == 0 && f[1] == 0 && f[2] == 0); /* without columns */
    assert_ok(ctx, la_tall_group_sums(ctx, T, 2, (const int[]){1, 2, 1}, one, one, x));
    for (int j = 0; j < 40; j++) {
        double column[3] = {j, 2 * j, -j};
        assert_ok(ctx, la_tall_append(ctx, T, column));
        x[j] = 0;
    }
    la_tall_remove(T, 0);
    la_tall_remove(T, 38); /* the last */
    la_tall_remove(T, 10); /* 11 */
    assert_int_equal(la_tall_cols(T), 37);
    x[10] = 1;
    assert_ok(ctx, la_tall_mul(ctx, T, x, f));
    assert_true(f[0] == 12 && f[1] == 24 && f[2] == -12);
    double sums[40];
    assert_ok(ctx, la_tall_sums(ctx, T, 1, one, sums));
    assert_true(sums[0] == 2 && sums[36] == 76);
}

/* One group, two, some, and more groups than rows. */
static void groups_are_summed(void **state)
{
    rung_ctx *ctx = *state;
    const int64_t sizes[] = {1, 7, 256, 257, 900, 5000};
    const int groups[] = {1, 2, 5, 1000};
    for (int k = 0; k < 24; k++) {
        setting s = make(ctx, sizes[k / 4], false);
        int G = groups[k % 4], *group;
        int64_t n = s.n, m = s.m;
        double *S, *expected;
        assert_ok(ctx, NEW(ctx, &ctx->scratch, group, n));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, S, m * (G + 1)));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, expected, m * (G + 1)));
        for (int64_t i = 0; i < n; i++) group[i] = 1 + (int)(i % 3 ? i * i % G : G - 1);
        assert_ok(ctx, la_tall_group_sums(ctx, s.T, G, group, s.v, s.v + n, S));
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = 0; i < n; i++) {
                expected[j + (group[i] - 1) * m] += column_of(&s, j)[i] * s.v[i];
                expected[j + group[i] * m] += column_of(&s, j)[i] * s.v[i + n];
            }
        assert_arrays_close(m * (G + 1), S, expected, 1e-11);
        pool_free_all(&ctx->scratch);
    }
}

/* Enough of them for several threads. */
static void many_groups_on_threads(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 30000, COLUMNS = 11, G = 40 };
    la_tall *T;
    int *group;
    double *x, *S[2], expected[COLUMNS * (G + 1)] = {0};
    rng r;
    rng_open(&r, 4, 0);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, group, ROWS));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, x, ROWS));
    assert_ok(ctx, la_tall_new(ctx, &ctx->scratch, ROWS, &T));
    for (int64_t i = 0; i < ROWS; i++) group[i] = 1 + (int)(i * i % G);
    for (int j = 0; j < COLUMNS; j++) {
        for (int64_t i = 0; i < ROWS; i++) {
            x[i] = rng_normal(&r);
            expected[j + (group[i] - 1) * COLUMNS] += x[i] * (double)(i % 7);
            expected[j + group[i] * COLUMNS] -= x[i];
        }
        assert_ok(ctx, la_tall_append(ctx, T, x));
    }
    double *low, *high;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, low, ROWS));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, high, ROWS));
    for (int64_t i = 0; i < ROWS; i++) low[i] = (double)(i % 7), high[i] = -1;
    for (int t = 0; t < 2; t++) {
        ctx->threads = t + 1;
        assert_ok(ctx, NEW(ctx, &ctx->scratch, S[t], COLUMNS * (G + 1)));
        assert_ok(ctx, la_tall_group_sums(ctx, T, G, group, low, high, S[t]));
        assert_arrays_close(COLUMNS * (G + 1), S[t], expected, 1e-10);
    }
    assert_memory_equal(S[0], S[1], sizeof expected);
}

static void threads_change_no_bit(void **state)
{
    rung_ctx *ctx = *state;
    setting s = make(ctx, 3000, false);
    settle(ctx, &s, false);
    double G[2][40 * 40], y[2][40], linear[2][50], square[2][50], cross[2][40 * 50], by_group[2][40 * 6];
    int64_t which[50];
    int group[3000];
    la_mat *gram, *C;
    for (int64_t j = 0; j < 50; j++) which[j] = j * 31;
    for (int i = 0; i < 3000; i++) group[i] = 1 + i % 5;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, s.m, s.m, &gram));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, s.m, 50, &C));
    for (int t = 0; t < 2; t++) {
        ctx->threads = t ? 4 : 1;
        assert_ok(ctx, la_tall_gram(ctx, s.T, s.h, gram));
        la_get(gram, G[t]);
        assert_ok(ctx, la_tall_sums(ctx, s.T, 1, s.v, y[t]));
        assert_ok(ctx, la_tall_group_sums(ctx, s.T, 5, group, s.v, s.v + 3000, by_group[t]));
        assert_ok(ctx,
                  la_basis_products(ctx, &s.basis, 50, which, s.T, s.h, s.v, &(la_products){linear[t], square[t], C}));
        la_get(C, cross[t]);
    }
    assert_memory_equal(G[0], G[1], sizeof G[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(by_group[0], by_group[1], sizeof by_group[0]);
    assert_memory_equal(linear[0], linear[1], sizeof linear[0]);
    assert_memory_equal(square[0], square[1], sizeof square[0]);
    assert_memory_equal(cross[0], cross[1], sizeof cross[0]);
}

/* Above some width the matrix is made another way. */
static void wide_matrices_too(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 7, M = 600 };
    la_tall *T;
    la_mat *gram;
    static double v[N * M], G[M * M], h[N];
    rng r;
    rng_open(&r, 4, 4);
    assert_ok(ctx, la_tall_new(ctx, &ctx->scratch, N, &T));
    for (int i = 0; i < N * M; i++) v[i] = rng_normal(&r);
    for (int i = 0; i < N; i++) h[i] = rng_uniform(&r);
    for (int j = 0; j < M; j++) assert_ok(ctx, la_tall_append(ctx, T, v + j * N));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, M, &gram));
    assert_ok(ctx, la_tall_gram(ctx, T, h, gram));
    la_get(gram, G);
    for (int j = 0; j < M; j++)
        for (int l = 0; l < M; l++) {
            double sum = 0;
            for (int i = 0; i < N; i++) sum += h[i] * v[i + j * N] * v[i + l * N];
            assert_close(G[j + l * M], sum, 1e-13);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(products_are_what_they_say), WITH_CONTEXT(candidates_are_never_stored),
        WITH_CONTEXT(columns_come_and_go),        WITH_CONTEXT(threads_change_no_bit),
        WITH_CONTEXT(wide_matrices_too),          WITH_CONTEXT(groups_are_summed),
        WITH_CONTEXT(many_groups_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
