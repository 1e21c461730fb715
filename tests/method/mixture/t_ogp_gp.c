// SPDX-License-Identifier: BSD-3-Clause
/* The ordinal probit Gaussian process with inferred thresholds: numbers of an independent implementation, and closed
 * leave-one-out predictions against fits without the row. */
#include <float.h>

#include "helper.h"

#include "kernel/kernel.h"
#include "method/mixture/ogp_gp.h"
#include "method/mixture/ordinal_sites.h"

enum { ROWS = 24, N = 12, D = 3, K = 3, J = K - 1 };

/* The labelled (even) rows of the check values, standardised by all 24 rows; gamma = 0.1/3, s2 = 30. */
static void make(double *X, int *y)
{
    double all[ROWS * D], mean[D] = {0}, sd[D] = {0};
    for (int i = 0; i < ROWS; i++) {
        all[i * D] = sin(1.7 * i);
        all[i * D + 1] = cos(2.3 * i + 0.5 * sin(i));
        all[i * D + 2] = (7 * i % 11) / 5.0;
        for (int j = 0; j < D; j++) mean[j] += all[i * D + j] / ROWS;
    }
    for (int i = 0; i < ROWS * D; i++) sd[i % D] += (all[i] - mean[i % D]) * (all[i] - mean[i % D]) / ROWS;
    for (int i = 0; i < N; i++) {
        const double *x = all + 2 * i * D;
        double z = x[0] + x[1] * x[1] / 2;
        y[i] = 1 + (z > -0.2) + (z > 0.6);
        for (int j = 0; j < D; j++) X[i * D + j] = (x[j] - mean[j]) / sqrt(sd[j]);
    }
}

static la_mat *gram_of(rung_ctx *ctx, int n, const double *X)
{
    la_mat *G;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.1 / 3};
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &G));
    assert_ok(ctx, kernel_gram(ctx, &k, D, n, X, G));
    return G;
}

static void test_check_values(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], a[N], b[J], loo[N * J];
    int y[N];
    make(X, y);
    ogp_gp p = {.n = N, .K = K, .y = y, .gram = gram_of(ctx, N, X), .variance = 30, .prior_variance = 30};
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    assert_arrays_close(J, b, ((double[]){-1.42918562, 1.05677079}), 1e-8);
    assert_close(a[0], -0.32372780, 1e-8);
    assert_arrays_close(J, loo, ((double[]){0.87817697, 0.47346076}), 1e-8);
}

/* From the latent values and thresholds of another variance, the same mode. */
static void a_warm_start_ends_at_the_same_mode(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], a[N], b[J], loo[N * J], warm_a[N], warm_b[J], warm_loo[N * J];
    int y[N];
    make(X, y);
    ogp_gp p = {.n = N, .K = K, .y = y, .gram = gram_of(ctx, N, X), .variance = 10, .prior_variance = 10};
    assert_ok(ctx, ogp_gp_fit(ctx, &p, warm_a, warm_b, warm_loo));
    for (int i = 0; i < N; i++) warm_a[i] *= 10.0 / 30;
    p.variance = p.prior_variance = 30;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    p.warm = true;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, warm_a, warm_b, warm_loo));
    assert_arrays_close(N, warm_a, a, 1e-7);
    assert_arrays_close(J, warm_b, b, 1e-7);
    assert_arrays_close(N * J, warm_loo, loo, 1e-7);
}

/* P(y > q) at a row by a fit to the others. */
static void predict(rung_ctx *ctx, const ogp_gp *p, const double *X, const double *x, double *P)
{
    double a[N], b[J], loo[N * J], coef[N * (K + N)], spread[J * J], out[K + N] = {0}, common = 0;
    int n = (int)p->n;
    assert_ok(ctx, ogp_gp_fit(ctx, p, a, b, loo));
    assert_ok(ctx, ogp_gp_expansion(ctx, p, a, b, &(int){(int)p->n}, coef, spread, NULL));
    for (int i = 0; i < n; i++) {
        double d2 = 0;
        for (int j = 0; j < D; j++) d2 += (X[i * D + j] - x[j]) * (X[i * D + j] - x[j]);
        for (int o = 0; o < K + n; o++) out[o] += coef[i + o * n] * exp(-0.1 / 3 * d2);
    }
    double v = p->variance, VD[J];
    for (int r = 0; r < n; r++) v -= out[K + r] * out[K + r];
    for (int q = 0; q < J; q++) {
        VD[q] = 0;
        for (int t = 0; t < J; t++) VD[q] += spread[q + t * J] * out[1 + t];
        common += VD[q] * out[1 + q];
    }
    for (int q = 0; q < J; q++)
        P[q] = 0.5 * erfc((b[q] - out[0]) / sqrt(2 * (1 + v + spread[q + q * J] + 2 * VD[q] + common)));
}

/* A row whose weight vanishes is predicted as by a fit without it; its variance may not be a difference of almost equal
 * numbers. */
static void leave_one_out_of_rows_that_hardly_count(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], a[N], b[J], loo[N * J], weight[N], P[J];
    int y[N];
    make(X, y);
    for (int i = 0; i < N; i++) weight[i] = i == N - 1 ? 1e-12 : 1;
    ogp_gp p = {
        .n = N, .K = K, .y = y, .weight = weight, .gram = gram_of(ctx, N, X), .variance = 100, .prior_variance = 100};
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    p.n = N - 1;
    p.weight = NULL;
    p.gram = gram_of(ctx, N - 1, X);
    predict(ctx, &p, X, X + (N - 1) * D, P);
    assert_arrays_close(J, loo + (N - 1) * J, P, 5e-10);
}

/* Laplace's approximation is not exact: neither is the leave-one-out from it, but close. */
static void loo_is_near_a_refit(rung_ctx *ctx, const int *widen)
{
    double X[N * D], a[N], b[J], loo[N * J], largest = 0, mean = 0;
    int y[N], upper[N];
    make(X, y);
    for (int i = 0; i < N; i++) upper[i] = y[i] < K && widen ? y[i] + widen[i] : y[i];
    ogp_gp p = {.n = N,
                .K = K,
                .y = y,
                .upper = widen ? upper : NULL,
                .gram = gram_of(ctx, N, X),
                .variance = 3,
                .prior_variance = 3};
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    for (int i = 0; i < N; i++) {
        double others[N * D], P[J];
        int ranks[N], highest[N];
        memcpy(highest, upper, sizeof highest);
        memmove(highest + i, upper + i + 1, sizeof(int) * (size_t)(N - 1 - i));
        memcpy(others, X, sizeof others);
        memmove(others + i * D, X + (i + 1) * D, sizeof(double) * (size_t)((N - 1 - i) * D));
        memcpy(ranks, y, sizeof ranks);
        memmove(ranks + i, y + i + 1, sizeof(int) * (size_t)(N - 1 - i));
        ogp_gp q = {.n = N - 1,
                    .K = K,
                    .y = ranks,
                    .upper = widen ? highest : NULL,
                    .gram = gram_of(ctx, N - 1, others),
                    .variance = 3,
                    .prior_variance = 3};
        predict(ctx, &q, others, X + i * D, P);
        for (int t = 0; t < J; t++) {
            mean += fabs(P[t] - loo[i * J + t]) / (N * J);
            largest = fmax(largest, fabs(P[t] - loo[i * J + t]));
        }
    }
    assert_true(mean < 0.02 && largest < 0.08); /* the prior of the thresholds moves with a row, too */
    assert_true(mean > 0);
}

static void test_loo_is_near_a_refit(void **state)
{
    loo_is_near_a_refit(*state, NULL);
    loo_is_near_a_refit(*state, (int[N]){0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1});
}

/* Curvatures and gradients of sites that are intervals, against differences of the log posterior. */
static void test_interval_sites(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS4 = 6, K4 = 5, J4 = K4 - 1, SIZE = ROWS4 + J4 };
    const int y[ROWS4] = {1, 2, 2, 3, 1, 5}, upper[ROWS4] = {1, 4, 3, 5, 5, 5};
    const double weight[ROWS4] = {1, 2, 0.5, 1, 1, 3}, h = 1e-4;
    double at[SIZE] = {-1, 0.3, 0.9, 0.1, 2, 1.4, -1.1, -0.2, 0.6, 1.5}, b0[J4], W[ROWS4], C[ROWS4 * J4], gb[J4],
           B[J4 * J4];
    ordinal_site sites[ROWS4];
    ordinal_rows rows = {.n = ROWS4, .K = K4, .y = y, .upper = upper, .weight = weight};
    assert_ok(ctx, ordinal_sites_prior(ctx, &rows, 2, b0));
    for (int q = 1; q < J4; q++) assert_true(b0[q] > b0[q - 1]);
    ordinal_sites s = {.rows = rows, .f = at, .b = at + ROWS4, .sites = sites, .W = W, .C = C, .gb = gb, .B = B};
    ordinal_sites_at(&s, b0, 2);
#define VALUE ordinal_sites_log(&rows, at, at + ROWS4, b0, 2)
    for (int u = 0; u < SIZE; u++) {
        double here = at[u], slope;
        at[u] = here + h;
        slope = VALUE / (2 * h);
        at[u] = here - h;
        slope -= VALUE / (2 * h);
        at[u] = here;
        assert_close(u < ROWS4 ? -(sites[u].g1 + sites[u].g2) : gb[u - ROWS4], slope, 1e-6);
        for (int v = 0; v < SIZE; v++) {
            double second = 0, expected = 0;
            for (int side = 0; side < 4; side++) {
                double from_u = at[u], from_v = at[v];
                at[u] += side % 2 ? h : -h;
                at[v] += side / 2 ? h : -h;
                second -= (side % 2 == side / 2 ? 1 : -1) * VALUE / (4 * h * h);
                at[u] = from_u;
                at[v] = from_v;
            }
            if (u < ROWS4 && v < ROWS4) expected = u == v ? W[u] : 0;
            if (u < ROWS4 && v >= ROWS4) expected = C[u + (v - ROWS4) * ROWS4];
            if (u >= ROWS4 && v < ROWS4) expected = C[v + (u - ROWS4) * ROWS4];
            if (u >= ROWS4 && v >= ROWS4) expected = B[u - ROWS4 + (v - ROWS4) * J4];
            assert_close(expected, second, 1e-5);
        }
    }
#undef VALUE
}

enum { M = N + 2 };

/* The first row three times, once with another rank; the three are a group. */
static void make_repeated(double *X, int *y, int *group)
{
    make(X, y);
    for (int i = 0; i < M; i++) group[i] = i < N ? i : 0;
    for (int i = N; i < M; i++) {
        memcpy(X + i * D, X, D * sizeof *X);
        y[i] = i == N ? y[0] : 2;
    }
}

/* The prediction of the repeated row is near that of a fit without all three, and far from one that has seen two of
 * them. */
static void test_equal_rows_leave_together(void **state)
{
    rung_ctx *ctx = *state;
    double X[M * D], a[M], b[J], loo[M * J], seen[M * J], P[J], off = 0, flattered = 0;
    int y[M], group[M];
    row_groups together;
    make_repeated(X, y, group);
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, M, group, &together));
    ogp_gp p = {.n = M, .K = K, .y = y, .gram = gram_of(ctx, M, X), .variance = 3, .prior_variance = 3};
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, seen));
    p.together = &together;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    assert_arrays_close((N - 1) * J, loo + J, seen + J, 0); /* the others as before */
    ogp_gp q = {.n = N - 1, .K = K, .y = y + 1, .gram = gram_of(ctx, N - 1, X + D), .variance = 3, .prior_variance = 3};
    predict(ctx, &q, X + D, X, P);
    for (int t = 0; t < J; t++) {
        off = fmax(off, fabs(P[t] - loo[t]));
        flattered = fmax(flattered, fabs(P[t] - seen[t]));
        assert_close(loo[N * J + t], loo[t], 1e-9);
        assert_close(loo[(N + 1) * J + t], loo[t], 1e-9);
    }
    assert_true(off < 0.08 && flattered > 2 * off);
}

/* The form for groups of rows that differ: on equal rows it is the form for these, and elsewhere it is near a fit
 * without the group. */
static void test_groups_leave_together(void **state)
{
    rung_ctx *ctx = *state;
    double X[M * D], a[M], b[J], loo[M * J], equal[M * J], seen[N * J], P[J], mean = 0, flattered = 0;
    int y[M], group[M];
    row_groups together;
    make_repeated(X, y, group);
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, M, group, &together));
    ogp_gp p = {.n = M, .K = K, .y = y, .gram = gram_of(ctx, M, X), .variance = 3, .prior_variance = 3};
    p.together = &together;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, equal));
    together.mixed = true;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    assert_arrays_close(M * J, loo, equal, 1e-8);
    p.n = N;
    p.gram = gram_of(ctx, N, X);
    p.together = NULL;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, seen));
    for (int i = 0; i < N; i++) group[i] = i / 3;
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, N, group, &together));
    together.mixed = true;
    p.together = &together;
    assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
    for (int g = 0; g < N / 3; g++) {
        double others[N * D];
        int ranks[N], n = 0;
        for (int i = 0; i < N; i++) {
            if (group[i] == g) continue;
            memcpy(others + n * D, X + i * D, D * sizeof *X);
            ranks[n++] = y[i];
        }
        ogp_gp q = {.n = n, .K = K, .y = ranks, .gram = gram_of(ctx, n, others), .variance = 3, .prior_variance = 3};
        for (int i = 3 * g; i < 3 * g + 3; i++) {
            predict(ctx, &q, others, X + i * D, P);
            for (int t = 0; t < J; t++) {
                mean += fabs(P[t] - loo[i * J + t]) / (N * J);
                flattered += fabs(P[t] - seen[i * J + t]) / (N * J);
            }
        }
    }
    assert_true(mean < 0.05 && flattered > 2 * mean);
}

/* Priors of any size: an answer is the mode, or there is none. Beyond 1e4 it is told by coefficients whose rounding the
 * prior magnifies, so only that it is finite. */
static void test_mode_or_nothing(void **state)
{
    rung_ctx *ctx = *state;
    double X[N * D], a[N], b[J], loo[N * J], decrement, objective;
    int y[N], answers = 0;
    make(X, y);
    la_mat *G = gram_of(ctx, N, X);
    for (int k = -10; k <= 300; k += k < 20 ? 1 : 20) {
        ogp_gp p = {
            .n = N, .K = K, .y = y, .gram = G, .variance = pow(10, k), .prior_variance = k % 2 ? 1 : pow(10, k)};
        rung_status status = ogp_gp_fit(ctx, &p, a, b, loo);
        if (status == RUNG_ESINGULAR || status == RUNG_ENOCONV) continue;
        assert_ok(ctx, status);
        for (int i = 0; i < N; i++) assert_true(isfinite(a[i]) && loo[i * J] >= loo[i * J + 1]);
        assert_true(b[0] < b[1]);
        if (k > 4) continue;
        assert_ok(ctx, ogp_gp_decrement(ctx, &p, a, b, &decrement, &objective));
        if (!(decrement <= 1e-8 * (1 + fabs(objective)))) fail_msg("variance 1e%d: decrement %g", k, decrement);
        answers++;
    }
    assert_int_equal(answers, 15); /* from 1e-10 to 1e4 */
}

/* A model stores variance a, rounded: the covariance from what it gives back differs by rounding, as far as is said. */
static void test_magnified(void **state)
{
    rung_ctx *ctx = *state;
    enum { MOST = 400 };
    static double X[MOST], a[MOST], b[1], loo[MOST], coef[2][MOST * (2 + MOST)], spread[2];
    double worst = 0;
    int y[MOST];
    for (int round = 0, n = 100; n <= MOST; n = 100 + 25 * (++round / 2)) {
        pool_mark mark = pool_here(&ctx->scratch);
        la_mat *G;
        kernel k = {.kind = round % 2 ? KERNEL_RBF : KERNEL_LINEAR, .gamma = 0.1};
        for (int i = 0; i < n; i++) {
            X[i] = i % 4 - 1.5; /* few distinct rows */
            y[i] = 1 + (i % 4 > 1);
        }
        assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &G));
        assert_ok(ctx, kernel_gram(ctx, &k, 1, n, X, G));
        for (double variance = 3; variance < 400; variance *= 3) {
            ogp_gp p = {.n = n, .K = 2, .y = y, .gram = G, .variance = variance, .prior_variance = variance};
            double magnified;
            int rank[2] = {n, n};
            assert_ok(ctx, ogp_gp_fit(ctx, &p, a, b, loo));
            assert_ok(ctx, ogp_gp_expansion(ctx, &p, a, b, &rank[0], coef[0], &spread[0], &magnified));
            for (int i = 0; i < n; i++) a[i] = coef[0][i] / variance;
            assert_ok(ctx, ogp_gp_expansion(ctx, &p, a, b, &rank[1], coef[1], &spread[1], NULL));
            double size = 0, off = 0;
            for (int i = n; i < 2 * n; i++) {
                size = fmax(size, fabs(coef[0][i]));
                off = fmax(off, fabs(coef[0][i] - coef[1][i]));
            }
            off = fmax(off / size, fabs(spread[1] / spread[0] - 1)) / (DBL_EPSILON * magnified);
            worst = fmax(worst, off);
        }
        pool_release(&ctx->scratch, mark);
    }
    if (!(worst < 1)) fail_msg("%g times the rounding that is said", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_check_values),
                                       WITH_CONTEXT(a_warm_start_ends_at_the_same_mode),
                                       WITH_CONTEXT(leave_one_out_of_rows_that_hardly_count),
                                       WITH_CONTEXT(test_loo_is_near_a_refit),
                                       WITH_CONTEXT(test_interval_sites),
                                       WITH_CONTEXT(test_equal_rows_leave_together),
                                       WITH_CONTEXT(test_groups_leave_together),
                                       WITH_CONTEXT(test_magnified),
                                       WITH_CONTEXT(test_mode_or_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
