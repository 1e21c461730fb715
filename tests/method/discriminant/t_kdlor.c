// SPDX-License-Identifier: BSD-3-Clause
/* KDLOR against its definition: the primal problem, written out in long double from the Gram matrix alone. */
#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"
#include "solve/simplex_qp.h"

enum { MOST = 80 }; /* rows of a test problem */

typedef struct {
    int64_t n, d;
    int K;
    double X[MOST * 5], w[MOST];
    int y[MOST];
    int64_t origin[MOST];
} sample;

/* Classes along the first feature, with noise; every class has a row. */
static void draw(sample *s, int64_t n, int64_t d, int K, uint64_t stream)
{
    rng r;
    rng_open(&r, 11, stream);
    *s = (sample){.n = n, .d = d, .K = K};
    for (int64_t i = 0; i < n; i++) {
        s->y[i] = i < K ? (int)i + 1 : 1 + (int)rng_below(&r, K);
        s->w[i] = 0.2 + 2 * rng_uniform(&r);
        s->origin[i] = i;
        for (int64_t j = 0; j < d; j++) s->X[j + i * d] = rng_normal(&r) + (j == 0 ? 0.8 * s->y[i] : 0);
    }
}

static rung_spec *spec_of(rung_ctx *ctx, const char *const *settings)
{
    rung_spec *spec;
    assert_ok(ctx, spec_new(ctx, "kdlor", false, &spec));
    for (; settings[0]; settings += 2) assert_ok(ctx, spec_set(ctx, spec, settings[0], settings[1]));
    return spec;
}

/* ---- the definition ---- */

typedef struct {
    int64_t n;
    int K;
    long double Z[MOST * MOST], D[MOST * 10], M[MOST * 10], Q[100];
    double alpha[10], beta[MOST], mean[10];
} direct;

static void solve_ld(int64_t n, long double *A, int64_t k, long double *B) /* Gauss with pivoting */
{
    for (int64_t c = 0; c < n; c++) {
        int64_t pivot = c;
        for (int64_t i = c + 1; i < n; i++)
            if (fabsl(A[i + c * n]) > fabsl(A[pivot + c * n])) pivot = i;
        for (int64_t j = 0; j < n; j++) {
            long double t = A[c + j * n];
            A[c + j * n] = A[pivot + j * n];
            A[pivot + j * n] = t;
        }
        for (int64_t j = 0; j < k; j++) {
            long double t = B[c + j * n];
            B[c + j * n] = B[pivot + j * n];
            B[pivot + j * n] = t;
        }
        for (int64_t i = c + 1; i < n; i++) {
            long double f = A[i + c * n] / A[c + c * n];
            for (int64_t j = c; j < n; j++) A[i + j * n] -= f * A[c + j * n];
            for (int64_t j = 0; j < k; j++) B[i + j * n] -= f * B[c + j * n];
        }
    }
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = n - 1; i >= 0; i--) {
            for (int64_t p = i + 1; p < n; p++) B[i + j * n] -= A[i + p * n] * B[p + j * n];
            B[i + j * n] /= A[i + i * n];
        }
}

/* Z = K P K + R, D = differences of the class means, b = 1/2 Z^-1 D a. */
static void fit_direct(rung_ctx *ctx, const double *K, const sample *s, bool weighted, bool kernel_ridge, double ridge,
                       double C, direct *out)
{
    int64_t n = s->n;
    static long double P[MOST * MOST], KP[MOST * MOST], A[MOST * MOST], B[MOST * 10];
    long double mass[10] = {0};
    out->n = n;
    out->K = s->K;
    for (int64_t i = 0; i < n; i++) mass[s->y[i] - 1] += weighted ? s->w[i] : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double wi = weighted ? s->w[i] : 1, wj = weighted ? s->w[j] : 1;
            P[i + j * n] = (i == j ? wi : 0) - (s->y[i] == s->y[j] ? wi * wj / mass[s->y[i] - 1] : 0);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            KP[i + j * n] = 0;
            for (int64_t p = 0; p < n; p++) KP[i + j * n] += (long double)K[i + p * n] * P[p + j * n];
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            long double z = (long double)ridge * (kernel_ridge ? (long double)K[i + j * n] : i == j);
            for (int64_t p = 0; p < n; p++) z += KP[i + p * n] * K[p + j * n];
            out->Z[i + j * n] = A[i + j * n] = z;
        }
    memset(out->M, 0, sizeof out->M);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            out->M[i + (s->y[j] - 1) * n] += (long double)K[i + j * n] * (weighted ? s->w[j] : 1) / mass[s->y[j] - 1];
    int m = s->K - 1;
    for (int q = 0; q < m; q++)
        for (int64_t i = 0; i < n; i++) B[i + q * n] = out->D[i + q * n] = out->M[i + (q + 1) * n] - out->M[i + q * n];
    solve_ld(n, A, m, B);
    double Q[100];
    for (int r = 0; r < m; r++)
        for (int c = 0; c < m; c++) {
            out->Q[r + c * m] = 0;
            for (int64_t i = 0; i < n; i++) out->Q[r + c * m] += out->D[i + r * n] * B[i + c * n];
            Q[r + c * m] = (double)out->Q[r + c * m];
        }
    assert_ok(ctx, simplex_qp(ctx, m, Q, C, out->alpha));
    for (int64_t i = 0; i < n; i++) {
        long double b = 0;
        for (int q = 0; q < m; q++) b += B[i + q * n] * out->alpha[q] / 2;
        out->beta[i] = (double)b;
    }
    for (int q = 0; q < s->K; q++) {
        long double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += out->M[i + q * n] * out->beta[i];
        out->mean[q] = (double)mean;
    }
}

/* ---- fits ---- */

static fitted fit_sample(rung_ctx *ctx, const rung_spec *spec, const sample *s, bool weighted, const folds *f,
                         held_out *held, double *gram)
{
    problem *p = NULL;
    fitted fit = {0};
    const la_mat *K;
    kernel k;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, p, 1));
    problem_new(&ctx->scratch, &(problem_rows){s->d, s->n, s->X, s->y, weighted ? s->w : NULL, s->origin, s->K}, p);
    fit_input in = {.method = spec->method, .p = p, .params = spec->params};
    assert_ok(ctx, f ? spec->method->hold_out(ctx, &ctx->scratch, &in, f, &fit, held)
                     : spec->method->fit(ctx, &ctx->scratch, &in, &fit));
    assert_ok(ctx, kernel_from_params(ctx, &ctx->scratch, spec->params, &k));
    k = problem_kernel(p, &k);
    assert_ok(ctx, problem_gram(ctx, p, &k, &K));
    la_get(K, gram);
    return fit;
}

static void scores_of(rung_ctx *ctx, const fitted *fit, const sample *s, double *f)
{
    assert_ok(ctx, scorer_apply(ctx, &fit->own.score, s->n, s->X, f));
}

static double largest(int64_t n, const double *v)
{
    double m = 0;
    for (int64_t i = 0; i < n; i++) m = fmax(m, fabs(v[i]));
    return m;
}

static void compare_with_definition(rung_ctx *ctx, const char *const *settings, const sample *s, bool weighted,
                                    bool kernel_ridge, double ridge, double C, double tolerance)
{
    static direct want;
    static double K[MOST * MOST];
    double f[MOST];
    pool_mark mark = pool_here(&ctx->scratch);
    rung_spec *spec = spec_of(ctx, settings);
    fitted fit = fit_sample(ctx, spec, s, weighted, NULL, NULL, K);
    fit_direct(ctx, K, s, weighted, kernel_ridge, ridge, C, &want);
    scores_of(ctx, &fit, s, f);
    double expected[MOST], scale = 0;
    for (int64_t i = 0; i < s->n; i++) {
        expected[i] = 0;
        for (int64_t j = 0; j < s->n; j++) expected[i] += K[i + j * s->n] * want.beta[j];
        scale = fmax(scale, fabs(expected[i]));
    }
    for (int64_t i = 0; i < s->n; i++)
        if (!(fabs(f[i] - expected[i]) <= tolerance * scale))
            fail_msg("%s ridge %g, K %d: score %d is %.15g, expected %.15g", kernel_ridge ? "kernel" : "identity",
                     ridge, s->K, (int)i, f[i], expected[i]);
    for (int q = 0; q < s->K - 1; q++)
        assert_true(fabs(fit.own.decide.thresholds[q] - (want.mean[q] + want.mean[q + 1]) / 2) <= tolerance * scale);

    /* optimality from data and model alone: margins, and the gap between primal and dual */
    double *beta = fit.own.score.coef;
    if (fit.own.score.kind == SCORER_KERNEL) {
        long double quadratic = 0, rho = 1e300L, dual = 0;
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t j = 0; j < s->n; j++) quadratic += beta[i] * want.Z[i + j * s->n] * beta[j];
        for (int q = 0; q < s->K - 1; q++) {
            long double margin = 0;
            for (int64_t i = 0; i < s->n; i++) margin += beta[i] * want.D[i + q * s->n];
            if (margin < rho) rho = margin;
            for (int r = 0; r < s->K - 1; r++) dual -= want.alpha[q] * want.Q[q + r * (s->K - 1)] * want.alpha[r] / 4;
        }
        long double primal = quadratic - C * rho;
        assert_true(rho > 0);
        assert_true(fabsl(primal - dual) <= 100 * (long double)tolerance * fabsl(dual));
    }
    for (int q = 1; q < s->K - 1; q++) assert_true(fit.own.decide.thresholds[q] >= fit.own.decide.thresholds[q - 1]);
    spec_free(spec);
    pool_release(&ctx->scratch, mark);
}

static void kernel_ridge_is_the_definition(void **state)
{
    sample s;
    for (int K = 2; K <= 6; K++)
        for (int weighted = 0; weighted < 2; weighted++) {
            draw(&s, 20 + 10 * K, 3, K, (uint64_t)K);
            compare_with_definition(
                *state, (const char *const[]){"gamma", "0.3", "ridge", "0.1", "thresholds", "midpoint", NULL}, &s,
                weighted, true, 0.1, 1, 1e-10);
            compare_with_definition(*state,
                                    (const char *const[]){"kernel", "laplacian", "gamma", "0.5", "ridge", "0.001", "C",
                                                          "7", "thresholds", "midpoint", NULL},
                                    &s, weighted, true, 0.001, 7, 1e-9);
        }
}

static void identity_ridge_is_the_definition(void **state)
{
    sample s;
    for (int K = 2; K <= 6; K++)
        for (int weighted = 0; weighted < 2; weighted++) {
            draw(&s, 20 + 10 * K, 3, K, 100 + (uint64_t)K);
            compare_with_definition(*state,
                                    (const char *const[]){"gamma", "0.3", "ridge", "0.001", "ridge-kind", "identity",
                                                          "thresholds", "midpoint", NULL},
                                    &s, weighted, false, 0.001, 1, 1e-9);
            compare_with_definition(*state,
                                    (const char *const[]){"gamma", "1", "ridge", "1e-8", "ridge-kind", "identity",
                                                          "thresholds", "midpoint", NULL},
                                    &s, weighted, false, 1e-8, 1, 1e-5);
            compare_with_definition(*state,
                                    (const char *const[]){"kernel", "poly", "gamma", "0.2", "degree", "2", "ridge",
                                                          "0.01", "ridge-kind", "identity", "thresholds", "midpoint",
                                                          NULL},
                                    &s, weighted, false, 0.01, 1, 1e-8);
        }
}

static void linear_kernel_becomes_one_weight_per_column(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    static double K[MOST * MOST];
    draw(&s, 40, 4, 3, 200);
    /* the definition needs a kernel matrix of full rank only for the kernel ridge */
    compare_with_definition(ctx,
                            (const char *const[]){"kernel", "linear", "ridge", "0.01", "ridge-kind", "identity",
                                                  "thresholds", "midpoint", NULL},
                            &s, false, false, 0.01, 1, 1e-9);
    rung_spec *spec = spec_of(ctx, (const char *const[]){"kernel", "linear", NULL});
    fitted fit = fit_sample(ctx, spec, &s, false, NULL, NULL, K);
    assert_int_equal(fit.own.score.kind, SCORER_LINEAR);
    assert_int_equal(fit.own.score.m, 4);
    assert_int_equal(fit.n_expansion, 40);
    spec_free(spec);
}

/* K = 2: one pair, so a = C and the direction is the kernel Fisher direction. */
static void two_classes_are_fisher(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    static double K[MOST * MOST];
    draw(&s, 30, 2, 2, 300);
    rung_spec *spec = spec_of(ctx, (const char *const[]){"C", "3", "thresholds", "midpoint", NULL});
    fitted fit = fit_sample(ctx, spec, &s, false, NULL, NULL, K);
    for (int i = 0; i < fit.n_report; i++)
        if (strcmp(fit.report[i].name, "alpha") == 0) assert_close(fit.report[i].value[0], 3, 1e-15);
    spec_free(spec);
}

static void C_changes_no_rank(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    static double K[MOST * MOST];
    double f[MOST], g[MOST];
    draw(&s, 50, 3, 4, 400);
    rung_spec *one = spec_of(ctx, (const char *const[]){"C", "1", "thresholds", "midpoint", NULL});
    rung_spec *many = spec_of(ctx, (const char *const[]){"C", "1000", "thresholds", "midpoint", NULL});
    fitted a = fit_sample(ctx, one, &s, false, NULL, NULL, K), b = fit_sample(ctx, many, &s, false, NULL, NULL, K);
    scores_of(ctx, &a, &s, f);
    scores_of(ctx, &b, &s, g);
    for (int64_t i = 0; i < s.n; i++) {
        assert_close(g[i], 1000 * f[i], 1e-9);
        assert_int_equal(decision_rank(&a.own.decide, f[i]), decision_rank(&b.own.decide, g[i]));
    }
    spec_free(one);
    spec_free(many);
}

/* Block deletion gives what a fit without the held-out rows gives. */
static void check_folds(rung_ctx *ctx, const sample *s, bool weighted, const folds *f)
{
    static double K[MOST * MOST];
    rung_spec *spec =
        spec_of(ctx, (const char *const[]){"gamma", "0.4", "ridge", "0.05", "thresholds", "weighted", NULL});
    held_out held = {0};
    fit_sample(ctx, spec, s, weighted, f, &held, K);
    assert_true(held.n > 0);
    for (int64_t i = 0; i < held.n; i++) {
        int64_t rows[MOST], n = folds_kept(f, held.repeat[i], held.fold[i], rows);
        for (int64_t j = 0; j < n; j++) assert_true(rows[j] != held.row[i]);
        pool_mark mark = pool_here(&ctx->scratch);
        problem all, sub;
        fitted fit = {0};
        int classes[10];
        double score;
        problem_new(&ctx->scratch, &(problem_rows){s->d, s->n, s->X, s->y, weighted ? s->w : NULL, s->origin, s->K},
                    &all);
        assert_ok(ctx, problem_subset(ctx, &ctx->scratch, &all, n, rows, &sub, classes));
        assert_ok(ctx,
                  spec->method->fit(ctx, &ctx->scratch,
                                    &(fit_input){.method = spec->method, .p = &sub, .params = spec->params}, &fit));
        assert_ok(ctx, scorer_apply(ctx, &fit.own.score, 1, s->X + held.row[i] * s->d, &score));
        for (int q = 0; q < fit.own.map.n; q++) fit.own.map.s[q] = classes[q];
        assert_close(held.score[i], rank_score(&fit.own.map, score), 1e-8);
        assert_int_equal(held.rank[i], classes[decision_rank(&fit.own.decide, score) - 1]);
        pool_release(&ctx->scratch, mark);
    }
    spec_free(spec);
}

static void block_deletion_is_a_fit_of_the_rest(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    folds f;
    for (int weighted = 0; weighted < 2; weighted++) {
        draw(&s, 45, 3, 4, 500 + (uint64_t)weighted);
        assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = s.n, .y = s.y, .K = s.K}, 5, 2, &f));
        check_folds(ctx, &s, weighted, &f);
        assert_ok(ctx, folds_holdout(ctx, &ctx->scratch, &(ranked_rows){.n = s.n, .y = s.y, .K = s.K}, 0.2, 2000, &f));
        check_folds(ctx, &s, weighted, &f);
        /* a fold that takes a whole class away */
        for (int64_t i = 0; i < s.n; i++) f.fold[i] = s.y[i] == 2 || i % 7 == 0 ? 0 : -1;
        check_folds(ctx, &s, weighted, &f);
    }
}

static void hard_cases_give_an_answer(void **state)
{
    rung_ctx *ctx = *state;
    static double K[MOST * MOST];
    static const char *const kinds[] = {"kernel", "identity"};
    for (int kind = 0; kind < 2; kind++) {
        rung_spec *spec =
            spec_of(ctx, (const char *const[]){"ridge-kind", kinds[kind], "thresholds", "midpoint", NULL});
        sample s;
        double f[MOST];
        draw(&s, 5, 2, 5, 600); /* one row per class */
        fitted fit = fit_sample(ctx, spec, &s, false, NULL, NULL, K);
        scores_of(ctx, &fit, &s, f);
        for (int i = 0; i < 5; i++) assert_int_equal(decision_rank(&fit.own.decide, f[i]), s.y[i]);
        draw(&s, 30, 2, 3, 601); /* the same point with every label: no direction orders the means */
        for (int64_t i = 0; i < s.n * s.d; i++) s.X[i] = 1;
        fit = fit_sample(ctx, spec, &s, false, NULL, NULL, K);
        scores_of(ctx, &fit, &s, f);
        assert_true(isfinite(largest(s.n, f)));
        bool degenerate = false;
        for (int i = 0; i < fit.n_report; i++)
            if (strcmp(fit.report[i].name, "degenerate") == 0) degenerate = fit.report[i].value[0] == 1;
        assert_true(degenerate);
        spec_free(spec);
    }
}

static double reported_value(const fitted *f, const char *name, int at)
{
    for (int i = 0; i < f->n_report; i++)
        if (!strcmp(f->report[i].name, name)) return f->report[i].value[at];
    fail_msg("%s is not reported", name);
    return 0;
}

/* Two points; 5 of 9, 5 of 8 and 4 of 7 rows of the classes are at the first: no direction orders their means. Those of
 * the direction that is taken are no rounding errors, as 1e-16 would be. */
static void shares_without_an_order_are_told(void **state)
{
    rung_ctx *ctx = *state;
    static double K[MOST * MOST];
    static const int first[] = {5, 5, 4}, all[] = {9, 8, 7};
    for (int apart = 1; apart < 20; apart++)
        for (int low = 0; low < 2; low++) {
            rung_spec *spec =
                spec_of(ctx, (const char *const[]){"thresholds", "midpoint", low ? "landmarks" : NULL, "2", NULL});
            sample s;
            int64_t i = 0;
            draw(&s, 24, 1, 3, 602);
            for (int q = 0; q < 3; q++)
                for (int r = 0; r < all[q]; r++, i++) {
                    s.y[i] = q + 1;
                    s.X[i] = r < first[q] ? -0.05 * apart : 0.07 * apart;
                }
            fitted fit = fit_sample(ctx, spec, &s, false, NULL, NULL, K);
            assert_true(reported_value(&fit, "degenerate", 0) == 1);
            assert_true(fabs(reported_value(&fit, "means", 1) - reported_value(&fit, "means", 0)) > 1e-7);
            spec_free(spec);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(kernel_ridge_is_the_definition),
        WITH_CONTEXT(identity_ridge_is_the_definition),
        WITH_CONTEXT(linear_kernel_becomes_one_weight_per_column),
        WITH_CONTEXT(two_classes_are_fisher),
        WITH_CONTEXT(C_changes_no_rank),
        WITH_CONTEXT(block_deletion_is_a_fit_of_the_rest),
        WITH_CONTEXT(hard_cases_give_an_answer),
        WITH_CONTEXT(shares_without_an_order_are_told),
    };
    la_enter();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    la_leave();
    return failed;
}
