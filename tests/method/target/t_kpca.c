// SPDX-License-Identifier: BSD-3-Clause
#include "target_checks.h"

/* K~ v = k v, |v| = 1, largest first, a training row has v sqrt(k), and the largest entry is positive. */
static void components_are_eigenvectors(void **state)
{
    rung_ctx *ctx = *state;
    for (int k = 0; k < 3; k++) {
        int64_t n = k == 2 ? 7 : 30, d = k == 2 ? 20 : 4; /* more columns than rows */
        small s = make_small(ctx, n, d, 3, 2, 1);
        fitted fit =
            fit_small(ctx, &s, "kpca", k ? "kernel=linear components=3" : "gamma=0.2 components=3", NULL, NULL);
        real *K = centred(ctx, n, gram_of(ctx, &s, k ? "linear" : "rbf", 0.2));
        double *f = outputs_of(ctx, &fit, n, s.X);
        const report_entry *value = reported_list(&fit, "eigenvalues");
        assert_int_equal(value->n, 3);
        assert_true(value->value[0] > value->value[1] && value->value[1] > value->value[2]);
        for (int j = 0; j < 3; j++) {
            real size = 0, largest = 0;
            for (int64_t i = 0; i < n; i++) {
                real image = 0;
                for (int64_t p = 0; p < n; p++) image += K[i + p * n] * f[p * 3 + j];
                assert_close((double)image, value->value[j] * f[i * 3 + j], 1e-9 * value->value[0]);
                size += (real)f[i * 3 + j] * f[i * 3 + j];
                if (fabsl(f[i * 3 + j]) > fabsl(largest)) largest = f[i * 3 + j];
            }
            assert_close((double)size / value->value[j], 1, 1e-10);
            assert_true(largest > 0);
            for (int q = 0; q < j; q++) {
                real dot = 0;
                for (int64_t i = 0; i < n; i++) dot += (real)f[i * 3 + j] * f[i * 3 + q];
                assert_true(fabsl(dot) < 1e-9 * value->value[0]);
            }
        }
        const report_entry *left = reported_list(&fit, "left_by_ridge");
        assert_true(left->value[0] < left->value[1] && left->value[1] < left->value[2] && left->value[2] < 1);
    }
}

static void labels_change_no_component(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 40, 3, 3, 2, 2);
    fitted fit = fit_small(ctx, &s, "kpca", "", NULL, NULL);
    double *before = outputs_of(ctx, &fit, 40, s.X);
    assert_int_equal(fit.own.decide.kind, DECISION_NEAREST_MEAN);
    for (int j = 0; j < 2; j++) { /* the mean of the labelled rows of class 2 */
        double mean = 0, count = 0;
        for (int i = 0; i < 40; i++)
            if (s.y[i] == 2) {
                mean += before[i * 2 + j];
                count++;
            }
        assert_close(fit.own.decide.means[2 + j], mean / count, 1e-10);
    }
    memset(s.y, 0, 40 * sizeof *s.y);
    s.p.K = 0;
    fit = fit_small(ctx, &s, "kpca", "lambda=5", NULL, NULL);
    double *after = outputs_of(ctx, &fit, 40, s.X);
    assert_int_equal(fit.own.decide.kind, DECISION_NONE);
    assert_memory_equal(before, after, 80 * sizeof *before);
}

/* Iteration (many rows) against LAPACK on the same kind of data, by the eigenvalue equation. */
static void many_rows(void **state)
{
    rung_ctx *ctx = *state;
    int64_t n = 900;
    small s = make_small(ctx, n, 5, 3, 2, 3);
    fitted fit = fit_small(ctx, &s, "kpca", "gamma=0.2 components=3", NULL, NULL);
    double *f = outputs_of(ctx, &fit, n, s.X), *v = NULL;
    const report_entry *value = reported_list(&fit, "eigenvalues");
    la_mat *K, *V;
    kernel k = {.kind = KERNEL_RBF, .gamma = 0.2};
    double expected[400];
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, n, &K));
    assert_ok(ctx, la_new(ctx, &ctx->scratch, n, 400, &V));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, v, n * 400));
    assert_ok(ctx, kernel_gram(ctx, &k, 5, n, s.X, K));
    assert_ok(ctx, la_centre(ctx, LA_CENTRE_BOTH, K));
    assert_ok(ctx, la_eigen(ctx, K, 400, expected, V));
    la_get(V, v);
    for (int j = 0; j < 3; j++) {
        assert_close(value->value[j], expected[j], 1e-11);
        double sign = v[j * n] * f[j] > 0 ? 1 : -1;
        for (int64_t i = 0; i < n; i++) assert_close(f[i * 3 + j], sign * v[i + j * n] * sqrt(expected[j]), 1e-9);
    }
}

static void components_beyond_the_rank_are_zero(void **state)
{
    rung_ctx *ctx = *state;
    small s = make_small(ctx, 12, 2, 2, 2, 4);
    fitted fit = fit_small(ctx, &s, "kpca", "kernel=linear components=4", NULL, NULL);
    double *f = outputs_of(ctx, &fit, 12, s.X);
    for (int i = 0; i < 12; i++) assert_true(f[i * 4 + 1] != 0 && f[i * 4 + 2] == 0 && f[i * 4 + 3] == 0);
    assert_int_equal(reported_list(&fit, "eigenvalues")->n, 2);
    rung_spec *spec = make_spec(ctx, "kpca", "components=13");
    fitted out = {0};
    assert_fails(ctx,
                 method_kpca.fit(ctx, &ctx->scratch,
                                 &(fit_input){.method = &method_kpca, .p = &s.p, .params = spec->params}, &out),
                 RUNG_EARG, "components=13");
    spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(components_are_eigenvectors),
        WITH_CONTEXT(labels_change_no_component),
        WITH_CONTEXT(many_rows),
        WITH_CONTEXT(components_beyond_the_rank_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
