// SPDX-License-Identifier: BSD-3-Clause
/* ORML against its definition: the graph, the form and the optimality conditions written out in long double. */
#include "manifold_cases.h"

#include "kernel/kernel.h"
#include "method/projection/manifold.h"

enum { NEIGHBOURS = 6 };

/* The conditions of optimality of
 *     minimise b'Z b - C rho  subject to  b'D_q >= rho :
 * Z b = 1/2 D a, a >= 0, sum a = C, b'D_q >= rho with equality where a_q > 0. Z is m x m, D is m x (K-1). */
static void check_optimal(int64_t m, int K, const real *Z, const real *D, const double *b, const double *alpha,
                          double C)
{
    real sum = 0, largest = 0, rho = INFINITY, scale = 0;
    for (int64_t i = 0; i < m; i++) {
        real left = 0, right = 0;
        for (int64_t j = 0; j < m; j++) left += Z[i + j * m] * b[j];
        for (int q = 0; q < K - 1; q++) right += D[i + q * m] * alpha[q] / 2;
        largest = fmaxl(largest, fabsl(left - right));
        scale = fmaxl(scale, fabsl(right));
    }
    assert_true(largest <= 1e-9L * scale);
    real margin[10];
    for (int q = 0; q < K - 1; q++) {
        assert_true(alpha[q] >= 0);
        sum += alpha[q];
        margin[q] = 0;
        for (int64_t i = 0; i < m; i++) margin[q] += b[i] * D[i + q * m];
        rho = fminl(rho, margin[q]);
    }
    assert_close((double)sum, C, 1e-12);
    assert_true(rho > 0);
    for (int q = 0; q < K - 1; q++)
        if (alpha[q] > 1e-6 * C) assert_close((double)margin[q], (double)rho, 1e-8);
}

/* M (d x d) = X L X', L of the ordinal graph; returns its trace. */
static real graph_form(rung_ctx *ctx, const sample *s, real *M)
{
    static double D[MOST * MOST];
    real *L = reals(ctx, s->n * s->n), trace = 0;
    ordinal_distances(s, D);
    laplacian_by_definition(s->n, NEIGHBOURS, D, true, L);
    form_by_definition(s, L, M);
    for (int64_t j = 0; j < s->d; j++) trace += M[j + j * s->d];
    return trace;
}

/* ---- linear ---- */

static void linear_with_a_ridge_is_optimal(void **state)
{
    rung_ctx *ctx = *state;
    static const int64_t shapes[][3] = {{50, 4, 4}, {40, 3, 2}, {20, 30, 3}, {12, 60, 5}};
    for (size_t i = 0; i < 4; i++)
        for (int unlabelled = 0; unlabelled < 2; unlabelled++) {
            sample s;
            draw(&s, shapes[i][0], shapes[i][1], (int)shapes[i][2], i, unlabelled);
            real *M = reals(ctx, s.d * s.d), *D = reals(ctx, s.d * s.K), trace = graph_form(ctx, &s, M);
            mean_steps(&s, D);
            fitted f = fit_settings(ctx, "orml",
                                    SETTINGS("kernel", "linear", "ridge", "0.1", "neighbours", "6", "C", "3"), &s);
            for (int64_t j = 0; j < s.d; j++) M[j + j * s.d] += 0.1L * trace / s.d;
            check_optimal(s.d, s.K, M, D, f.own.score.coef, reported(&f, "alpha")->value, 3);
            assert_int_equal(f.n_expansion, s.d);
        }
}

static void the_pseudo_inverse_solves_where_the_form_is_regular(void **state)
{
    rung_ctx *ctx = *state;
    for (int K = 2; K < 5; K++) {
        sample s;
        draw(&s, 50, 4, K, 10 + (uint64_t)K, false);
        real *M = reals(ctx, s.d * s.d), *D = reals(ctx, s.d * s.K);
        graph_form(ctx, &s, M);
        mean_steps(&s, D);
        fitted f = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", "0", "neighbours", "6"), &s);
        check_optimal(s.d, s.K, M, D, f.own.score.coef, reported(&f, "alpha")->value, 1);
        if (K == 2) { /* one constraint: w = 1/2 M^-1 (m_2 - m_1) */
            solve_real(s.d, M, 1, D);
            for (int64_t j = 0; j < s.d; j++) assert_close(f.own.score.coef[j], (double)D[j] / 2, 1e-9);
        }
    }
}

/* What M does not see gets no weight: a constant column, and directions outside the span of the rows. */
static void the_pseudo_inverse_stays_in_the_range(void **state)
{
    rung_ctx *ctx = *state;
    sample s, wide;
    draw(&s, 30, 3, 3, 15, false);
    for (int64_t i = 0; i < s.n; i++) s.X[2 + i * 3] = 5;
    fitted f = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", "0"), &s);
    assert_close(f.own.score.coef[2], 0, 1e-12);
    draw(&wide, 20, 30, 3, 16, false);
    fitted g = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", "0", "neighbours", "6"), &wide);
    for (int64_t i = 0; i < wide.n; i++)
        for (int64_t j = 0; j < wide.d; j++) wide.X[j + i * wide.d] += j == 3 ? 1e3 : 0; /* moved */
    fitted moved = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", "0", "neighbours", "6"), &wide);
    double size = 0;
    for (int64_t j = 0; j < wide.d; j++) size = fmax(size, fabs(g.own.score.coef[j]));
    for (int64_t j = 0; j < wide.d; j++) assert_true(fabs(g.own.score.coef[j] - moved.own.score.coef[j]) < 1e-8 * size);
}

/* ---- kernels ---- */

/* (L K + e I) c = 1/2 Ed a, and the constraints on the means of f = K c. */
static void kernel_form_is_optimal(void **state)
{
    rung_ctx *ctx = *state;
    for (int unlabelled = 0; unlabelled < 2; unlabelled++)
        for (int K = 2; K < 5; K++) {
            static double D[MOST * MOST], gram[MOST * MOST];
            sample s;
            draw(&s, 45, 3, K, 20 + (uint64_t)K, unlabelled);
            int64_t n = s.n;
            kernel k = {.kind = KERNEL_RBF, .gamma = 0.4};
            la_mat *G = NULL;
            assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &G));
            assert_ok(ctx, kernel_gram(ctx, &k, s.d, n, s.X, G));
            la_get(G, gram);
            real *L = reals(ctx, n * n), *Z = reals(ctx, n * n), *E = reals(ctx, n * K), *KD = reals(ctx, n * K), e = 0;
            ordinal_distances(&s, D);
            laplacian_by_definition(n, NEIGHBOURS, D, true, L);
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < n; j++) {
                    for (int64_t t = 0; t < n; t++) Z[i + j * n] += L[i + t * n] * gram[t + j * n];
                    if (i == j) e += 0.05L * Z[i + j * n] / n;
                }
            for (int64_t i = 0; i < n; i++) Z[i + i * n] += e;
            for (int q = 0; q < K - 1; q++) {
                real size[2] = {0};
                for (int64_t i = 0; i < n; i++)
                    for (int u = 0; u < 2; u++) size[u] += s.y[i] == q + 1 + u;
                for (int64_t i = 0; i < n; i++)
                    E[i + q * n] = s.y[i] == q + 1 ? -1 / size[0] : s.y[i] == q + 2 ? 1 / size[1] : 0;
            }
            fitted f = fit_settings(ctx, "orml", SETTINGS("gamma", "0.4", "ridge", "0.05", "neighbours", "6"), &s);
            assert_int_equal(f.own.score.m, n);
            /* In terms of b = c the problem is c'(K Z)c - C rho with constraints c'K Ed: K Z is symmetric. */
            real *KZ = reals(ctx, n * n);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < n; j++)
                    for (int64_t t = 0; t < n; t++) KZ[i + j * n] += gram[i + t * n] * Z[t + j * n];
                for (int q = 0; q < K - 1; q++)
                    for (int64_t t = 0; t < n; t++) KD[i + q * n] += gram[i + t * n] * E[t + q * n];
            }
            check_optimal(n, K, KZ, KD, f.own.score.coef, reported(&f, "alpha")->value, 1);
        }
}

/* k = x'z given as numbers: the graph is that of the feature space, here the rows themselves. */
static void a_precomputed_kernel_has_its_own_distances(void **state)
{
    rung_ctx *ctx = *state;
    for (int unlabelled = 0; unlabelled < 2; unlabelled++) {
        sample s, given;
        double a[MOST], b[MOST];
        draw(&s, 40, 3, 3, 30, unlabelled);
        fitted f = fit_settings(ctx, "orml", SETTINGS("kernel", "poly", "degree", "1", "coef0", "0", "gamma", "1"), &s);
        given = s;
        given.d = s.n;
        for (int64_t i = 0; i < s.n; i++)
            for (int64_t j = 0; j < s.n; j++) {
                given.X[j + i * s.n] = 0;
                for (int64_t c = 0; c < 3; c++) given.X[j + i * s.n] += s.X[c + i * 3] * s.X[c + j * 3];
            }
        fitted g = fit_settings(ctx, "orml", SETTINGS("kernel", "precomputed"), &given);
        scores(ctx, &f, &s, a);
        scores(ctx, &g, &given, b);
        double size = 0;
        for (int64_t i = 0; i < s.n; i++) size = fmax(size, fabs(a[i]));
        for (int64_t i = 0; i < s.n; i++) assert_true(fabs(a[i] - b[i]) <= 1e-9 * size);
    }
}

static void kernels_need_a_ridge(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    fitted f;
    draw(&s, 20, 2, 2, 35, false);
    assert_fails(ctx, try_settings(ctx, "orml", SETTINGS("ridge", "0"), &s, false, &f), RUNG_EARG, "needs ridge > 0");
}

/* ---- graph ---- */

static void the_graph_is_the_ordinal_one(void **state)
{
    rung_ctx *ctx = *state;
    static double D[MOST * MOST];
    for (uint64_t stream = 40; stream < 46; stream++) {
        sample s;
        problem p;
        la_csr L;
        double sigma;
        static bool near[MOST * MOST];
        draw(&s, 50, 2, 4, stream, stream % 2);
        if (stream > 43) /* ties: whole numbers */
            for (int64_t i = 0; i < s.n * s.d; i++) s.X[i] = floor(s.X[i]);
        problem_new(&ctx->scratch, &(problem_rows){s.d, s.n, s.X, s.y, NULL, s.origin, s.K}, &p);
        assert_ok(ctx, ordinal_laplacian(ctx, &p, NULL, NEIGHBOURS, &L, &sigma));
        real *want = reals(ctx, s.n * s.n);
        ordinal_distances(&s, D);
        laplacian_by_definition(s.n, NEIGHBOURS, D, true, want);
        assert_close(sigma, nearest_by_definition(s.n, NEIGHBOURS, D, near), 1e-12);
        for (int64_t i = 0; i < s.n; i++) {
            int64_t e = L.start[i];
            for (int64_t j = 0; j < s.n; j++) {
                bool there = e < L.start[i + 1] && L.col[e] == j;
                assert_close(there ? L.value[e] : 0, (double)want[i + j * s.n], 1e-12);
                e += there;
            }
        }
    }
}

/* ---- what follows ---- */

static void means_are_in_order_and_a_tie_goes_up(void **state)
{
    rung_ctx *ctx = *state;
    for (int linear = 0; linear < 2; linear++) {
        sample s;
        draw(&s, 50, 3, 4, 50, true);
        fitted f =
            fit_settings(ctx, "orml", SETTINGS("kernel", linear ? "linear" : "rbf", "thresholds", "weighted"), &s);
        const double *mean = reported(&f, "means")->value;
        double size[4] = {0};
        for (int64_t i = 0; i < s.n; i++)
            if (s.y[i]) size[s.y[i] - 1]++;
        for (int q = 0; q < 3; q++) {
            double want = (size[q] * mean[q] + size[q + 1] * mean[q + 1]) / (size[q] + size[q + 1]);
            assert_true(mean[q] < mean[q + 1]);
            assert_close(f.own.decide.thresholds[q], want, 1e-12);
            assert_int_equal(decision_rank(&f.own.decide, f.own.decide.thresholds[q]), q + 2);
            assert_int_equal(decision_rank(&f.own.decide, nextafter(f.own.decide.thresholds[q], -INFINITY)), q + 1);
        }
    }
}

static void C_scales_everything_and_changes_nothing(void **state)
{
    rung_ctx *ctx = *state;
    for (int linear = 0; linear < 2; linear++) {
        sample s;
        double a[MOST], b[MOST];
        draw(&s, 40, 3, 3, 60, false);
        const char *kind = linear ? "linear" : "rbf";
        fitted f = fit_settings(ctx, "orml", SETTINGS("kernel", kind, "C", "1"), &s);
        fitted g = fit_settings(ctx, "orml", SETTINGS("kernel", kind, "C", "8"), &s);
        scores(ctx, &f, &s, a);
        scores(ctx, &g, &s, b);
        for (int64_t i = 0; i < s.n; i++) {
            assert_close(b[i], 8 * a[i], 1e-12);
            assert_int_equal(decision_rank(&f.own.decide, a[i]), decision_rank(&g.own.decide, b[i]));
        }
    }
}

static void hard_rows_have_an_answer(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const ridges[] = {"0", "0.1"};
    for (int linear = 0; linear < 2; linear++)
        for (int c = 0; c < 6; c++) {
            sample s;
            double f[MOST];
            draw(&s, c == 4 ? 3 : 24, c == 5 ? 40 : 3, 3, 70, c == 3);
            for (int64_t i = 0; i < s.n; i++)
                for (int64_t j = 0; j < s.d; j++) {
                    double *x = &s.X[j + i * s.d];
                    if (c == 0) *x = s.X[j];                   /* all rows the same */
                    if (c == 1) *x = j == 1 ? 0 : *x;          /* a constant column */
                    if (c == 2) *x = s.X[j + i / 4 * 4 * s.d]; /* each row four times */
                    if (c == 3) *x = floor(*x);                /* ties */
                }
            for (int ridge = linear ? 0 : 1; ridge < 2; ridge++) {
                const char *kind = linear ? "linear" : "rbf";
                fitted fit = fit_settings(ctx, "orml", SETTINGS("kernel", kind, "ridge", ridges[ridge]), &s);
                scores(ctx, &fit, &s, f);
                for (int64_t i = 0; i < s.n; i++) assert_true(isfinite(f[i]));
                for (int q = 1; q < 2; q++)
                    assert_true(fit.own.decide.thresholds[q] >= fit.own.decide.thresholds[q - 1]);
            }
        }
}

/* Only copies of a row are joined: no direction costs anything but its length, and the widest step for its length is
 * along the difference of the means. */
static void copies_alone_leave_the_directions_free(void **state)
{
    rung_ctx *ctx = *state;
    for (int tensor = 0; tensor < 2; tensor++) {
        sample s = {.n = 60, .d = 2, .K = 2};
        double step = 0; /* of the second column; 3 / 1.7 in the first */
        for (int64_t i = 0; i < s.n; i++) {
            double q = (double)(i % 6), *x = s.X + 2 * i;
            s.y[i] = q < 3 ? 1 : 2;
            x[0] = q / 1.7;
            x[1] = sin(q);
            step += (q < 3 ? -x[1] : x[1]) / 30;
        }
        fitted f = tensor ? fit_settings(ctx, "orml-m", SETTINGS("shape", "2", "neighbours", "9"), &s)
                          : fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "neighbours", "9"), &s);
        assert_true(f.own.score.coef[0] > 0);
        assert_close(f.own.score.coef[1] / f.own.score.coef[0], step * 1.7 / 3, 1e-12);
    }
}

/* Where no direction orders the means (the middle one lies outside the other two): told, and first to last is taken. */
static void without_an_order_the_first_and_last_mean_tell_the_direction(void **state)
{
    rung_ctx *ctx = *state;
    sample s = {.n = 6, .d = 1, .K = 3, .X = {0, 0.1, 5, 5.1, 1, 1.1}, .y = {1, 1, 2, 2, 3, 3}};
    fitted f = fit_settings(ctx, "orml", SETTINGS("kernel", "linear", "ridge", "0.1"), &s);
    assert_true(reported(&f, "degenerate")->value[0] == 1);
    assert_true(f.own.score.coef[0] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(linear_with_a_ridge_is_optimal),
        WITH_CONTEXT(the_pseudo_inverse_solves_where_the_form_is_regular),
        WITH_CONTEXT(the_pseudo_inverse_stays_in_the_range),
        WITH_CONTEXT(kernel_form_is_optimal),
        WITH_CONTEXT(a_precomputed_kernel_has_its_own_distances),
        WITH_CONTEXT(kernels_need_a_ridge),
        WITH_CONTEXT(the_graph_is_the_ordinal_one),
        WITH_CONTEXT(means_are_in_order_and_a_tie_goes_up),
        WITH_CONTEXT(C_scales_everything_and_changes_nothing),
        WITH_CONTEXT(hard_rows_have_an_answer),
        WITH_CONTEXT(copies_alone_leave_the_directions_free),
        WITH_CONTEXT(without_an_order_the_first_and_last_mean_tell_the_direction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
