// SPDX-License-Identifier: BSD-3-Clause
#include "probit_checks.h"

enum { N = 60, MOST_M = 60 };

/* From data and model alone. With every precision where its update leaves it, alpha_j = 1 / (w_j^2 + Sigma_jj); and
 * Sigma^-1 = A + Phi'H Phi. Sigma is F'F of the link, H the curvature of the likelihood at the mean. */
static void check_fixed_point(rung_ctx *ctx, const rung_model *m, const rows *s)
{
    const member *one = &m->members[0];
    int64_t M = one->score.m;
    double f[N], phi[MOST_M], Sigma[MOST_M * MOST_M] = {0}, A[MOST_M * MOST_M] = {0}, slope[MOST_M] = {0};
    rung_view view = view_of(s, 0, s->n);
    assert_true(M <= MOST_M && one->link.rank == M);
    assert_ok(ctx, rung_model_predict(ctx, m, &view, NULL, &(rung_output){.size = sizeof(rung_output), .score = f}));
    for (int64_t j = 0; j < M; j++)
        for (int64_t k = 0; k < M; k++)
            for (int64_t r = 0; r < M; r++)
                Sigma[j + k * M] += one->link.factor[j + r * M] * one->link.factor[k + r * M];
    for (int64_t j = 0; j < M; j++) {
        double alpha = 1 / (one->score.coef[j] * one->score.coef[j] + Sigma[j + j * M]);
        A[j + j * M] = alpha;
        slope[j] = -alpha * one->score.coef[j];
    }
    for (int64_t i = 0; i < s->n; i++) {
        ordinal_probit o = ordinal_probit_at(f[i], s->y[i], s->y[i], s->K, one->link.b, 1);
        for (int64_t j = 0; j < M; j++) {
            double d2 = 0;
            for (int64_t k = 0; k < s->d; k++)
                d2 += (s->x[i * s->d + k] - one->score.rows[j * s->d + k]) *
                      (s->x[i * s->d + k] - one->score.rows[j * s->d + k]);
            phi[j] = exp(-one->score.k.gamma * d2);
            slope[j] += phi[j] * o.delta;
        }
        for (int64_t j = 0; j < M; j++)
            for (int64_t k = 0; k < M; k++) A[j + k * M] += o.H * phi[j] * phi[k];
    }
    for (int64_t j = 0; j < M; j++) {
        assert_true(fabs(slope[j]) < 1e-3 * (1 + fabs(one->score.coef[j]))); /* w is the maximum */
        for (int64_t k = 0; k < M; k++) {
            double product = 0;
            for (int64_t l = 0; l < M; l++) product += A[j + l * M] * Sigma[l + k * M];
            assert_close(product, j == k, 1e-2);
        }
    }
}

static void precisions_are_where_their_update_leaves_them(void **state)
{
    for (int K = 2; K <= 4; K++) {
        rows r = make_rows(N, 2, K, 0.3, 30 + (uint64_t)K);
        rung_model *m = fit_rows(*state, "sbor", "gamma=0.5 tolerance=1e-7 max-iterations=100000", &r, N, false);
        assert_true(m->n_expansion >= 1 && m->n_expansion < N / 2);
        assert_true(reported(m, "iterations") < 100000);
        check_fixed_point(*state, m, &r);
        check_uncertainty(*state, m, &r, 0.9);
        rung_model_free(m);
        free_rows(&r);
    }
}

/* Both climb the same evidence, by different ways: the tops are near each other. */
static void its_evidence_is_that_of_isbor(void **state)
{
    for (uint64_t stream = 40; stream < 44; stream++) {
        rows r = make_rows(100, 2, 3, 0.2, stream);
        double batch = evidence_of(*state, "sbor", "gamma=0.5", &r),
               step = evidence_of(*state, "isbor", "gamma=0.5 candidates=0 tolerance=1e-6", &r);
        assert_true(fabs(batch - step) < 0.12 * fabs(step));
        free_rows(&r);
    }
}

/* Without any update: all functions, of equal precision. */
static void no_update_keeps_every_function(void **state)
{
    rows r = make_rows(40, 2, 3, 0.2, 50);
    rung_model *m = fit_rows(*state, "sbor", "gamma=0.5 max-iterations=0 alpha0=1", &r, r.n, false),
               *linear = fit_rows(*state, "sbor", "kernel=linear max-iterations=0", &r, r.n, false);
    assert_int_equal(m->n_expansion, 40);
    assert_int_equal(linear->n_expansion, 2); /* the columns are the functions */
    rung_model_free(m);
    rung_model_free(linear);
    free_rows(&r);
}

static void note_cut(void *user, rung_log_level level, const char *text)
{
    *(int *)user += level == RUNG_LOG_WARNING && strstr(text, "sbor: the updates stopped at max-iterations=");
}

static void updates_cut_short_say_so(void **state)
{
    rung_ctx *ctx = *state;
    int told = 0;
    rows r = make_rows(60, 2, 3, 0.2, 51);
    rung_ctx_set_log(ctx, note_cut, &told);
    rung_model_free(fit_rows(ctx, "sbor", "gamma=0.5 max-iterations=2", &r, r.n, false));
    assert_int_equal(told, 1);
    rung_model_free(fit_rows(ctx, "sbor", "gamma=0.5 max-iterations=100000", &r, r.n, false));
    assert_int_equal(told, 1);
    free_rows(&r);
}

static void note_empty(void *user, rung_log_level level, const char *text)
{
    *(int *)user += level == RUNG_LOG_WARNING && strstr(text, "sbor: the precisions of all functions passed prune=");
}

/* Large values of the functions need small weights, so large precisions. */
static void a_model_without_functions_says_so(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const parameters[] = {"kernel=linear", "kernel=linear prune=1e20"};
    int told = 0;
    rows r = make_rows(60, 2, 3, 0.2, 52);
    for (int i = 0; i < r.n * 2; i++) r.x[i] *= 1e5;
    rung_ctx_set_log(ctx, note_empty, &told);
    for (int k = 0; k < 2; k++) {
        rung_model *m = fit_rows(ctx, "sbor", parameters[k], &r, r.n, false);
        assert_int_equal(m->n_expansion > 0, k);
        assert_int_equal(told, 1);
        rung_model_free(m);
    }
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(precisions_are_where_their_update_leaves_them),
        WITH_CONTEXT(its_evidence_is_that_of_isbor),
        WITH_CONTEXT(no_update_keeps_every_function),
        WITH_CONTEXT(updates_cut_short_say_so),
        WITH_CONTEXT(a_model_without_functions_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
