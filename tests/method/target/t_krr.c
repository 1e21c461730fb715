// SPDX-License-Identifier: BSD-3-Clause
#include "target_checks.h"

/* Ridge regression with an intercept from its normal equations in long double: values at the rows of the problem of a
 * fit to the rows that `in` allows (NULL: all). */
static real *fit_by_definition(rung_ctx *ctx, const small *s, const char *kind, double gamma, real lambda,
                               const double *y, const bool *in, bool centre)
{
    int64_t n = s->p.n, m = 0, *rows = NULL;
    real *K = gram_of(ctx, s, kind, gamma), *values = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, rows, n));
    assert_ok(ctx, pool_alloc(ctx, &ctx->scratch, n, sizeof *values, "values", (void **)&values));
    for (int64_t i = 0; i < n; i++)
        if (!in || in[i]) rows[m++] = i;
    /* [K + lambda I, 1; 1', 0] [a; b] = [y; 0] */
    int64_t size = m + centre;
    real *A = new_square(ctx, size);
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) A[i + j * size] = K[rows[i] + rows[j] * n];
        A[i + i * size] += lambda;
        if (centre) A[i + m * size] = A[m + i * size] = 1;
    }
    real *inverse = inverse_of(ctx, size, A);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++) {
            real weight = centre ? inverse[m + j * size] : 0;
            for (int64_t k = 0; k < m; k++) weight += K[i + rows[k] * n] * inverse[k + j * size];
            values[i] += weight * y[rows[j]];
        }
    return values;
}

static void equals_its_definition(void **state)
{
    rung_ctx *ctx = *state;
    const char *options[] = {"kernel=rbf gamma=0.3", "kernel=linear"};
    for (int shape = 0; shape < 3; shape++)
        for (int k = 0; k < 2; k++)
            for (int centre = 0; centre < 2; centre++) {
                small s = make_small(ctx, shape == 2 ? 6 : 25, shape == 1 ? 30 : 3, 0, 1, 1);
                char text[200];
                snprintf(text, sizeof text, "%s lambda=0.2 lambda-kind=absolute centre=%s", options[k],
                         centre ? "yes" : "no");
                fitted fit = fit_small(ctx, &s, "krr", text, NULL, NULL);
                double *f = outputs_of(ctx, &fit, s.p.n, s.X);
                real *expected = fit_by_definition(ctx, &s, k ? "linear" : "rbf", 0.3, 0.2L, s.t, NULL, centre);
                for (int64_t i = 0; i < s.p.n; i++) assert_close(f[i], (double)expected[i], 1e-10);
                assert_int_equal(fit.own.decide.kind, DECISION_NONE);
            }
}

/* Every held-out score equals that of a fit without the fold, centring and intercept too. */
static void folds_equal_refits(void **state)
{
    rung_ctx *ctx = *state;
    for (int k = 0; k < 2; k++)
        for (int K = 2; K <= 4; K++) {
            small s = make_small(ctx, 30, 3, K, 1, 2);
            folds f;
            held_out held;
            char text[200];
            snprintf(text, sizeof text, "kernel=%s gamma=0.3 lambda=0.4 lambda-kind=absolute", k ? "linear" : "rbf");
            assert_ok(ctx, folds_stratified(ctx, &ctx->scratch, &(ranked_rows){.n = 30, .y = s.y, .K = K}, 4, 2, &f));
            fitted fit = fit_small(ctx, &s, "krr", text, &f, &held);
            assert_int_equal(held.n, 60);
            double y[30];
            for (int i = 0; i < 30; i++) y[i] = K == 2 ? 2 * s.y[i] - 3 : s.y[i];
            for (int r = 0; r < 2; r++)
                for (int fold = 0; fold < 4; fold++) {
                    bool in[30];
                    for (int i = 0; i < 30; i++) in[i] = f.fold[r * 30 + i] != fold;
                    real *value = fit_by_definition(ctx, &s, k ? "linear" : "rbf", 0.3, 0.4L, y, in, true);
                    for (int64_t i = 0; i < held.n; i++) {
                        if (held.repeat[i] != r || held.fold[i] != fold) continue;
                        double expected = rank_score(&fit.own.map, (double)value[held.row[i]]);
                        assert_close(held.score[i], expected, 1e-9);
                        int rank = 1;
                        for (int q = 1; q < K; q++) rank += expected > q + 0.5;
                        assert_int_equal(held.rank[i], rank);
                    }
                }
        }
}

/* The whole path of leave-one-out errors, each by n refits. */
static void leave_one_out_equals_refits(void **state)
{
    rung_ctx *ctx = *state;
    for (int k = 0; k < 2; k++) {
        small s = make_small(ctx, 18, 2, 0, 1, 3);
        char text[100];
        snprintf(text, sizeof text, "kernel=%s gamma=0.3 lambda=auto", k ? "linear" : "rbf");
        fitted fit = fit_small(ctx, &s, "krr", text, NULL, NULL);
        const report_entry *lambda = reported_list(&fit, "path_lambda"), *loo = reported_list(&fit, "path_loo");
        assert_int_equal(lambda->n, 25);
        double best = INFINITY, at = 0;
        for (int64_t c = 0; c < lambda->n; c++) {
            real sum = 0;
            for (int i = 0; i < 18 && c % 6 == 0; i++) {
                bool in[18];
                for (int j = 0; j < 18; j++) in[j] = j != i;
                real e =
                    s.t[i] - fit_by_definition(ctx, &s, k ? "linear" : "rbf", 0.3, lambda->value[c], s.t, in, true)[i];
                sum += e * e / 18;
            }
            if (c % 6 == 0) assert_close(loo->value[c], (double)sum, 1e-7);
            if (loo->value[c] < best) at = lambda->value[c];
            best = fmin(best, loo->value[c]);
        }
        assert_close(reported(&fit, "lambda"), at, 0);
        assert_close(reported(&fit, "loo"), best, 0);
        snprintf(text, sizeof text, "kernel=%s gamma=0.3 lambda-kind=absolute lambda=%.17g", k ? "linear" : "rbf", at);
        fitted again = fit_small(ctx, &s, "krr", text, NULL, NULL);
        assert_close(reported(&again, "loo"), best, 1e-9);
        double *a = outputs_of(ctx, &fit, 18, s.X), *b = outputs_of(ctx, &again, 18, s.X);
        for (int i = 0; i < 18; i++) assert_close(a[i], b[i], 1e-12);
    }
}

/* lambda is a multiple of the mean eigenvalue: scaling the data by c scales a linear kernel by c^2 and changes nothing.
 */
static void relative_lambda_has_no_unit(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 20, 3, 3, 1, 4);
    fitted fit = fit_small(ctx, &s, "krr", "kernel=linear lambda=0.7", NULL, NULL);
    double *before = outputs_of(ctx, &fit, 20, s.X);
    for (int i = 0; i < 60; i++) s.X[i] *= 1000;
    fit = fit_small(ctx, &s, "krr", "kernel=linear lambda=0.7", NULL, NULL);
    double *after = outputs_of(ctx, &fit, 20, s.X);
    for (int i = 0; i < 20; i++) assert_close(after[i], before[i], 1e-10);
}

/* Without n x n matrices and with them. */
static void thin_equals_whole(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 24, 3, 3, 1, 5), whole = s;
    double *K = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, K, 24 * 24));
    real *gram = gram_of(ctx, &s, "linear", 0);
    for (int i = 0; i < 24 * 24; i++) K[i] = (double)gram[i];
    problem_new(&ctx->scratch, &(problem_rows){24, 24, K, s.y, NULL, s.p.origin, 3}, &whole.p);
    const char *options[] = {"lambda=0.3 ", "lambda=auto "};
    for (int k = 0; k < 2; k++) {
        char text[100];
        snprintf(text, sizeof text, "%skernel=linear", options[k]);
        fitted a = fit_small(ctx, &s, "krr", text, NULL, NULL);
        snprintf(text, sizeof text, "%skernel=precomputed", options[k]);
        fitted b = fit_small(ctx, &whole, "krr", text, NULL, NULL);
        double *f = outputs_of(ctx, &a, 24, s.X), *g = outputs_of(ctx, &b, 24, K);
        for (int i = 0; i < 24; i++) assert_close(f[i], g[i], 1e-9);
        assert_int_equal(a.own.score.kind, SCORER_LINEAR);
        assert_int_equal(b.own.score.kind, SCORER_KERNEL);
    }
}

static void check_refused(rung_ctx *ctx, small *s, const char *options, rung_status status, const char *text)
{
    rung_spec *spec = make_spec(ctx, "krr", options);
    fitted out = {0};
    assert_fails(ctx,
                 method_krr.fit(ctx, &ctx->scratch,
                                &(fit_input){.method = &method_krr, .p = &s->p, .params = spec->params}, &out),
                 status, text);
    spec_free(spec);
}

static void rows_that_do_not_differ(void **state)
{
    rung_ctx *ctx = *state;
    for (int k = 0; k < 2; k++) {
        small s = make_small(ctx, 10, 2, 2, 1, 6);
        for (int i = 0; i < 20; i++) s.X[i] = 1.1 + i % 2;
        s.p.varying = 0;
        check_refused(ctx, &s, k ? "kernel=linear" : "gamma=1", RUNG_EDATA, "all rows are equal");
        s = make_small(ctx, 10, 2, 2, 1, 6);
        for (int i = 0; i < 20 && k; i++) s.X[i] += 1e8; /* rows that differ, but not to the kernel */
        check_refused(ctx, &s, k ? "kernel=linear" : "gamma=1e-20", RUNG_EDATA, "the rows differ, but to rounding");
    }
}

static void lambda_out_of_all_proportion(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 10, 2, 2, 1, 7);
    const char *kernels[] = {"kernel=linear ", "gamma=1 "};
    for (int k = 0; k < 2; k++)
        for (int large = 0; large < 2; large++) {
            char text[100];
            snprintf(text, sizeof text, "%slambda=%s", kernels[k], large ? "1e7" : "1e-61");
            check_refused(ctx, &s, text, RUNG_EARG, "times the mean eigenvalue of the kernel matrix");
        }
}

static void one_row(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 1, 2, 0, 1, 8);
    check_refused(ctx, &s, "gamma=1", RUNG_EDATA, "one row is not enough");
    check_refused(ctx, &s, "kernel=linear", RUNG_EDATA, "one row is not enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(equals_its_definition),
        WITH_CONTEXT(folds_equal_refits),
        WITH_CONTEXT(leave_one_out_equals_refits),
        WITH_CONTEXT(relative_lambda_has_no_unit),
        WITH_CONTEXT(thin_equals_whole),
        WITH_CONTEXT(rows_that_do_not_differ),
        WITH_CONTEXT(lambda_out_of_all_proportion),
        WITH_CONTEXT(one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
