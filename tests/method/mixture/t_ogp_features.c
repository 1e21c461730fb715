// SPDX-License-Identifier: BSD-3-Clause
/* The probit process over features is the one over rows where the features are the whole kernel: the same mode, the
 * same leave-one-out predictions, the same variance; with fewer directions the variance is larger by little. */
#include "helper.h"

#include "base/rng.h"
#include "kernel/landmark.h"
#include "method/mixture/ogp_features.h"
#include "method/mixture/ogp_gp.h"

enum { N = 40, D = 2, K = 4, J = K - 1 };

typedef struct {
    double X[N * D], own[N];
    int y[N];
    row_groups together;
    la_mat *gram, *Phi;
    landmarks l;
} sample;

static void make(rung_ctx *ctx, sample *s)
{
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.5};
    int group[N];
    rng r;
    rng_open(&r, 3, 1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) s->X[i * D + j] = rng_normal(&r);
        double f = s->X[i * D] + 0.4 * rng_normal(&r);
        s->y[i] = 1 + (f > -0.7) + (f > 0) + (f > 0.7);
        s->own[i] = 1;
        group[i] = i == 5 ? 4 : i; /* rows 4 and 5 leave together */
    }
    memcpy(s->X + 5 * D, s->X + 4 * D, D * sizeof *s->X);
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &s->together));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, N, N, &s->gram));
    assert_ok(ctx, kernel_gram(ctx, &k, D, N, s->X, s->gram));
    assert_ok(ctx, landmarks_new(ctx, &ctx->scratch, &k, &(point_set){D, N, s->X}, N, &s->l));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, s->l.m, N, &s->Phi));
    assert_ok(ctx, landmarks_features(ctx, &s->l, N, s->X, s->Phi));
}

static ogp_features features_of(const sample *s, double variance)
{
    return (ogp_features){.n = N,
                          .K = K,
                          .y = s->y,
                          .together = &s->together,
                          .Phi = s->Phi,
                          .own = s->own,
                          .variance = variance,
                          .prior_variance = variance};
}

static void the_same_process(void **state)
{
    rung_ctx *ctx = *state;
    static sample s;
    double a[N], b[J], loo[N * J], w[N], c[J], left[N * J], decrement, objective;
    make(ctx, &s);
    for (double variance = 0.3; variance < 200; variance *= 10) {
        ogp_gp rows = {.n = N,
                       .K = K,
                       .y = s.y,
                       .together = &s.together,
                       .gram = s.gram,
                       .variance = variance,
                       .prior_variance = variance};
        ogp_features p = features_of(&s, variance);
        assert_ok(ctx, ogp_gp_fit(ctx, &rows, a, b, loo));
        assert_ok(ctx, ogp_features_fit(ctx, &p, w, c, left));
        assert_arrays_close(J, b, c, 1e-5);
        assert_arrays_close(N * J, loo, left, 1e-5);
        assert_ok(ctx, ogp_features_decrement(ctx, &p, w, c, &decrement, &objective));
        assert_true(decrement < 1e-8 * (1 + fabs(objective)));
        w[0] += 0.1;
        assert_ok(ctx, ogp_features_decrement(ctx, &p, w, c, &decrement, &objective));
        assert_true(decrement > 1e-4);
    }
}

/* Groups of three rows that differ leave together in both. */
static void the_same_without_groups(void **state)
{
    rung_ctx *ctx = *state;
    static sample s;
    double a[N], b[J], loo[N * J], w[N], c[J], left[N * J], alone[N * J], moved = 0;
    int group[N];
    make(ctx, &s);
    ogp_features p = features_of(&s, 3);
    ogp_gp rows = {.n = N, .K = K, .y = s.y, .gram = s.gram, .variance = 3, .prior_variance = 3};
    assert_ok(ctx, ogp_gp_fit(ctx, &rows, a, b, alone));
    for (int i = 0; i < N; i++) group[i] = i / 3;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &s.together));
    s.together.mixed = true;
    rows.together = &s.together;
    assert_ok(ctx, ogp_gp_fit(ctx, &rows, a, b, loo));
    assert_ok(ctx, ogp_features_fit(ctx, &p, w, c, left));
    assert_arrays_close(N * J, loo, left, 1e-5);
    for (int i = 0; i < N * J; i++) moved = fmax(moved, fabs(loo[i] - alone[i]));
    assert_true(moved > 0.01);
}

/* The mean over the rows of |z|^2, and the mean and D of the first row. */
static double lowered(rung_ctx *ctx, const la_mat *values, int64_t m, int rank, const double *coef, double *first)
{
    double sum = 0;
    static double all[N * N];
    la_get(values, all); /* m x N */
    (void)ctx;
    for (int i = 0; i < N; i++)
        for (int o = 0; o < K + rank; o++) {
            double value = 0;
            for (int64_t j = 0; j < m; j++) value += coef[j + o * m] * all[j + i * m];
            if (o < K && i == 0) first[o] = value;
            if (o >= K) sum += value * value / N;
        }
    return sum;
}

static void few_directions_are_enough(void **state)
{
    rung_ctx *ctx = *state;
    static sample s;
    static double exact[N * (K + N)], coef[N * (K + N)];
    double a[N], b[J], loo[N * J], w[N], c[J], spread[J * J], other[J * J], first[K], again[K];
    make(ctx, &s);
    ogp_gp rows = {.n = N, .K = K, .y = s.y, .gram = s.gram, .variance = 10, .prior_variance = 10};
    ogp_features p = features_of(&s, 10);
    int all = N, some = N - 1, rank = (int)s.l.m;
    assert_ok(ctx, ogp_gp_fit(ctx, &rows, a, b, loo));
    assert_ok(ctx, ogp_gp_expansion(ctx, &rows, a, b, &all, exact, spread, NULL));
    double most = lowered(ctx, s.gram, N, all, exact, first);
    assert_ok(ctx, ogp_gp_expansion(ctx, &rows, a, b, &some, coef, other, NULL));
    double less = lowered(ctx, s.gram, N, some, coef, again);
    assert_true(all == N && some < N && less <= most + 1e-9 && less >= most - 0.01);
    assert_arrays_close(K, first, again, 1e-9);
    assert_arrays_close(J * J, spread, other, 1e-9);
    assert_ok(ctx, ogp_features_fit(ctx, &p, w, c, NULL));
    assert_ok(ctx, ogp_features_expansion(ctx, &p, w, c, &rank, coef, other));
    double by_features = lowered(ctx, s.Phi, s.l.m, rank, coef, again);
    assert_true(rank < s.l.m && by_features <= most + 1e-6 && by_features >= most - 0.0101);
    assert_arrays_close(K, first, again, 1e-5);
    assert_arrays_close(J * J, spread, other, 1e-5);
    some = 2;
    assert_ok(ctx, ogp_gp_expansion(ctx, &rows, a, b, &some, coef, other, NULL));
    assert_int_equal(some, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(the_same_process), WITH_CONTEXT(the_same_without_groups),
                                       WITH_CONTEXT(few_directions_are_enough)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
