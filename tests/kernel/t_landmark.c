// SPDX-License-Identifier: BSD-3-Clause
/* Landmark features: they give the kernel back, exactly where nothing is left out; sums over rows by definition. */
#include "helper.h"

#include "base/rng.h"
#include "kernel/landmark.h"

enum { N = 90, D = 4 };

static const kernel kernels[] = {
    {.kind = KERNEL_RBF, .gamma = 1.5},
    {.kind = KERNEL_LAPLACIAN, .gamma = 1},
    {.kind = KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 2},
    {.kind = KERNEL_LINEAR},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static double *draw(rung_ctx *ctx, int64_t n)
{
    double *X = NULL;
    rng r;
    rng_open(&r, 12, (uint64_t)n);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, X, D * n));
    for (int64_t i = 0; i < D * n; i++) X[i] = rng_normal(&r);
    return X;
}

static double *features(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X)
{
    double *values = NULL;
    la_mat *Phi;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, l->m, n, &Phi));
    assert_ok(ctx, landmarks_features(ctx, l, n, X, Phi));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, values, l->m * n));
    la_get(Phi, values);
    return values;
}

static double *gram(rung_ctx *ctx, const kernel *k, int64_t n, const double *X)
{
    double *values = NULL;
    la_mat *K;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &K));
    assert_ok(ctx, kernel_gram(ctx, k, D, n, X, K));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, values, n * n));
    la_get(K, values);
    return values;
}

static double dot(int64_t m, const double *a, const double *b)
{
    double s = 0;
    for (int64_t i = 0; i < m; i++) s += a[i] * b[i];
    return s;
}

/* With as many landmarks as the kernel has rank, phi'phi is the kernel; the finite-dimensional ones stop by themselves.
 */
static void all_rows_give_the_kernel_back(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t rank[KERNELS] = {N, N, (D + 1) * (D + 2) / 2, D};
    double *X = draw(ctx, N);
    for (int which = 0; which < KERNELS; which++) {
        landmarks l;
        assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[which], &(point_set){D, N, X}, N, &l));
        assert_int_equal(l.m, rank[which]);
        double *Phi = features(ctx, &l, N, X), *K = gram(ctx, &kernels[which], N, X);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++) assert_close(dot(l.m, Phi + i * l.m, Phi + j * l.m), K[i + j * N], 1e-8);
        assert_true(l.error >= 0 && l.error < 1e-9);
    }
}

static void few_landmarks_leave_what_they_say(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, N), before = 2;
    for (int64_t m = 5; m <= 80; m *= 2) {
        landmarks l;
        assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, N, X}, m, &l));
        assert_int_equal(l.m, m);
        double *Phi = features(ctx, &l, N, X), left = 0;
        for (int64_t i = 0; i < N; i++) left += 1 - dot(m, Phi + i * m, Phi + i * m);
        assert_close(l.error, left / N, 1e-9);
        assert_true(l.error < before);
        before = l.error;
        for (int64_t i = 0; i < m; i++) { /* a landmark is represented exactly, and chosen once */
            const double *phi = Phi + l.rows[i] * m;
            assert_close(dot(m, phi, phi), 1, 1e-9);
            for (int64_t j = 0; j < i; j++) assert_int_not_equal(l.rows[i], l.rows[j]);
        }
    }
}

static void duplicates_are_chosen_once(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, N);
    landmarks l;
    for (int64_t i = 0; i < N; i++) memcpy(X + i * D, X + i % 7 * D, D * sizeof *X);
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, N, X}, 30, &l));
    assert_int_equal(l.m, 7);
    memset(X, 0, D * N * sizeof *X);
    assert_fails(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[3], &(point_set){D, N, X}, 30, &l), RUNG_EDATA,
                 "nothing to learn");
    kernel own = {.kind = KERNEL_PRECOMPUTED};
    assert_fails(ctx, landmarks_new(ctx, &ctx->scratch, &own, &(point_set){D, N, X}, 30, &l), RUNG_EARG,
                 "landmarks=exact");
}

static void weights_become_an_expansion(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, N), v[40], f[N];
    landmarks l;
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, N, X}, 20, &l));
    double *Phi = features(ctx, &l, N, X);
    for (int i = 0; i < 40; i++) v[i] = sin(i);
    double first = dot(20, Phi, v), second = dot(20, Phi, v + 20);
    assert_ok(ctx, landmarks_expand(ctx, &l, 2, v));
    assert_ok(ctx, kernel_expand(ctx, &l.k, &(point_set){D, N, X}, &(point_set){D, l.m, l.X}, 1, v, f));
    assert_close(f[0], first, 1e-9);
    assert_ok(ctx, kernel_expand(ctx, &l.k, &(point_set){D, N, X}, &(point_set){D, l.m, l.X}, 1, v + 20, f));
    assert_close(f[0], second, 1e-9);
}

/* Phi C and Phi'V without Phi; and L^-1 phi, with phi'M^-1 phi between rows. */
static void products_without_features(void **state)
{
    rung_ctx *ctx = *state;
    enum { M = 12, O = 3 };
    double *X = draw(ctx, N), C[N * O], V[M * O], P[M * O], F[N * O], form[M * M];
    landmarks l, deformed;
    la_mat *R, *A;
    rng r;
    rng_open(&r, 9, 0);
    for (int i = 0; i < N * O; i++) C[i] = rng_normal(&r);
    for (int i = 0; i < M * O; i++) V[i] = rng_normal(&r);
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, N, X}, M, &l));
    double *Phi = features(ctx, &l, N, X);
    assert_ok(ctx, landmarks_pull(ctx, &l, N, X, O, C, P));
    assert_ok(ctx, landmarks_scores(ctx, &l, N, X, O, V, F));
    for (int o = 0; o < O; o++) {
        for (int64_t i = 0; i < N; i++) assert_close(F[i + o * N], dot(M, Phi + i * M, V + o * M), 1e-9);
        for (int j = 0; j < M; j++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++) sum += Phi[j + i * M] * C[i + o * N];
            assert_close(P[j + o * M], sum, 1e-9);
        }
    }
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) form[i + j * M] = dot(O, &V[i * O], &V[j * O]) + (i == j);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, M, &R));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, M, &A));
    la_put(form, A);
    assert_ok(ctx, landmarks_deformed(ctx, &l, A, R, &deformed));
    double *psi = features(ctx, &deformed, N, X);
    for (int64_t i = 0; i < N; i += 11) {
        double solved[M], copy[M * M];
        memcpy(copy, form, sizeof copy);
        memcpy(solved, Phi + i * M, sizeof solved);
        assert_ok(ctx, la_small_spd_solve(ctx, M, copy, 1, solved));
        for (int64_t j = 0; j < N; j += 7)
            assert_close(dot(M, psi + i * M, psi + j * M), dot(M, solved, Phi + j * M), 1e-9);
    }
}

/* Of few rows by their features, of many by kernel columns; what comes in one way goes out the other. */
static void moments_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, N), w[N], *sums = NULL, *S = NULL;
    int group[N];
    int64_t rows[N], count = 0;
    landmarks l;
    la_mat *M;
    for (int i = 0; i < N; i++) {
        w[i] = 0.5 + i % 3;
        group[i] = 1 + i % 4;
        if (i % 2) rows[count++] = i;
    }
    for (int64_t m = 12; m <= 30; m += 18) {
        grouped_rows some = {.X = X, .count = count, .rows = rows, .weight = w, .groups = 4, .group = group};
        assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, N, X}, m, &l));
        assert_true(l.steady);
        double *Phi = features(ctx, &l, N, X);
        assert_ok(ctx, la_new(ctx, &ctx->scratch, l.m, l.m, &M));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, S, l.m * l.m));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, sums, l.m * 4));
        la_put(S, M);
        assert_ok(ctx, landmarks_moments(ctx, &l, &some, 1, M, sums));
        la_get(M, S);
        for (int64_t a = 0; a < l.m; a++) {
            for (int64_t b = 0; b < l.m; b++) {
                double s = 0;
                for (int64_t i = 0; i < count; i++) s += w[rows[i]] * Phi[a + rows[i] * l.m] * Phi[b + rows[i] * l.m];
                assert_close(S[a + b * l.m], s, 1e-12);
            }
            for (int q = 0; q < 4; q++) {
                double s = 0;
                for (int64_t i = 0; i < count; i++)
                    if (group[rows[i]] == q + 1) s += w[rows[i]] * Phi[a + rows[i] * l.m];
                assert_close(sums[a + q * l.m], s, 1e-12);
            }
        }
        for (int64_t first = 0; first < count; first += 15) {
            some.rows = rows + first;
            some.count = 15;
            assert_ok(ctx, landmarks_moments(ctx, &l, &some, -1, M, sums));
        }
        la_get(M, S);
        for (int64_t i = 0; i < l.m * l.m; i++) assert_close(S[i], 0, 1e-12);
        for (int64_t i = 0; i < l.m * 4; i++) assert_close(sums[i], 0, 1e-12);
    }
}

/* A ring: row i is joined with i - 1 and i + 1. */
static void ring(rung_ctx *ctx, int64_t n, la_csr *A)
{
    *A = (la_csr){.rows = n, .cols = n};
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A->start, n + 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A->col, 3 * n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A->value, 3 * n));
    for (int64_t i = 0; i < n; i++) {
        A->start[i + 1] = 3 * (i + 1);
        int64_t at = 3 * i;
        for (int64_t j = 0; j < n; j++)
            if (j == i || (j + 1) % n == i || (i + 1) % n == j) {
                A->col[at] = j;
                A->value[at++] = j == i ? 2 : -1;
            }
    }
}

/* In one block and in several, which make the features again; solved after the sum and before it. */
static void quadratic_forms_by_definition(void **state)
{
    rung_ctx *ctx = *state;
    static const double gamma[2] = {1.5, 0.1};
    double *X = draw(ctx, N), *one = NULL, *some = NULL;
    landmarks l;
    la_csr A;
    la_mat *M;
    ring(ctx, N, &A);
    for (int which = 0; which < 2; which++) {
        kernel k = {.kind = KERNEL_RBF, .gamma = gamma[which]};
        assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &(point_set){D, N, X}, 70, &l));
        assert_true(l.steady == (which == 0));
        double *Phi = features(ctx, &l, N, X);
        assert_ok(ctx, la_new(ctx, &ctx->scratch, l.m, l.m, &M));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, one, l.m * l.m));
        assert_ok(ctx, NEW(ctx, &ctx->scratch, some, l.m * l.m));
        assert_ok(ctx, landmarks_quadratic(ctx, &l, N, X, &A, 1e9, M));
        la_get(M, one);
        assert_ok(ctx, landmarks_quadratic(ctx, &l, N, X, &A, 0, M));
        la_get(M, some);
        for (int64_t a = 0; a < l.m; a++)
            for (int64_t b = 0; b < l.m; b++) {
                double s = 0;
                for (int64_t i = 0; i < N; i++) {
                    int64_t j = (i + 1) % N;
                    s += (Phi[a + i * l.m] - Phi[a + j * l.m]) * (Phi[b + i * l.m] - Phi[b + j * l.m]);
                }
                assert_close(one[a + b * l.m], s, 1e-11);
                assert_close(some[a + b * l.m], s, 1e-11);
            }
        assert_close(la_asymmetry(M), 0, 0);
    }
}

/* Rows that fill several tiles, the last one not quite. */
static void quadratic_forms_in_tiles(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 2 * 4096 + 100, M = 12 };
    double *X = draw(ctx, MANY), got[2][M * M];
    landmarks l;
    la_csr A = {.rows = MANY, .cols = MANY};
    la_mat *Q;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A.start, MANY + 1));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A.col, MANY));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, A.value, MANY));
    for (int64_t i = 0; i < MANY; i++) { /* neighbours in pairs, across the tiles too */
        A.start[i + 1] = i + 1;
        A.col[i] = MANY - 1 - i;
        A.value[i] = 1 + (double)(i < MANY / 2 ? i : MANY - 1 - i) / MANY;
    }
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, MANY, X}, M, &l));
    assert_int_equal(l.m, M);
    double *Phi = features(ctx, &l, MANY, X);
    assert_ok(ctx, la_new(ctx, &ctx->scratch, M, M, &Q));
    for (int one = 0; one < 2; one++) {
        assert_ok(ctx, landmarks_quadratic(ctx, &l, MANY, X, &A, one ? 1e9 : 0, Q));
        la_get(Q, got[one]);
    }
    for (int a = 0; a < M; a++)
        for (int b = 0; b < M; b++) {
            double s = 0;
            for (int64_t i = 0; i < MANY; i++) s += Phi[a + i * M] * A.value[i] * Phi[b + A.col[i] * M];
            for (int one = 0; one < 2; one++) assert_close(got[one][a + b * M], s, 1e-10);
        }
}

/* Of many rows a sample is looked at; what it leaves out is told about right of all. */
static void landmarks_of_a_sample(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 29000, M = 25 };
    double *X = draw(ctx, MANY), left = 0;
    landmarks l;
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, MANY, X}, M, &l));
    assert_int_equal(l.m, M);
    double *Phi = features(ctx, &l, MANY, X);
    for (int64_t i = 0; i < MANY; i++) left += 1 - dot(M, Phi + i * M, Phi + i * M);
    assert_close(l.error, left / MANY, 0.002);
    for (int64_t i = 0; i < M; i++) {
        assert_true(l.rows[i] >= 0 && l.rows[i] < MANY);
        assert_memory_equal(l.X + i * D, X + l.rows[i] * D, D * sizeof *X);
    }
}

static void threads_do_not_matter_and_the_seed_does(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, 3000);
    landmarks a, b, c;
    ctx->threads = 1;
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, 3000, X}, 150, &a));
    ctx->threads = 2;
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, 3000, X}, 150, &b));
    ctx->seed++;
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &kernels[0], &(point_set){D, 3000, X}, 150, &c));
    assert_memory_equal(a.rows, b.rows, 150 * sizeof *a.rows);
    assert_memory_not_equal(a.rows, c.rows, 150 * sizeof *a.rows);
    assert_true(a.error == b.error);
}

static void memory_may_run_out(void **state)
{
    rung_ctx *ctx = *state;
    double *X = draw(ctx, N);
    int64_t before = pool_live_blocks();
    for (int64_t after = 0;; after++) {
        pool own = {0};
        landmarks l;
        pool_mark mark = pool_here(&ctx->scratch);
        pool_fail_after(after);
        rung_status status = landmarks_new(ctx, &own, &kernels[0], &(point_set){D, N, X}, 20, &l);
        pool_fail_after(-1);
        pool_release(&ctx->scratch, mark);
        pool_free_all(&own);
        assert_int_equal(pool_live_blocks(), before);
        if (status == RUNG_OK) break;
        assert_int_equal(status, RUNG_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(all_rows_give_the_kernel_back),
        WITH_CONTEXT(few_landmarks_leave_what_they_say),
        WITH_CONTEXT(duplicates_are_chosen_once),
        WITH_CONTEXT(weights_become_an_expansion),
        WITH_CONTEXT(products_without_features),
        WITH_CONTEXT(moments_by_definition),
        WITH_CONTEXT(quadratic_forms_by_definition),
        WITH_CONTEXT(quadratic_forms_in_tiles),
        WITH_CONTEXT(landmarks_of_a_sample),
        WITH_CONTEXT(threads_do_not_matter_and_the_seed_does),
        WITH_CONTEXT(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("landmark", tests, NULL, NULL);
}
