// SPDX-License-Identifier: BSD-3-Clause
/* The identity ridge as published, 1e-8: right at any scale of the columns, whatever their rank and the kernel. */
#include "helper.h"

#include "base/rng.h"
#include "linalg/la.h"
#include "model/model.h"

enum { N = 90, D = 7, VARYING = 5 };

typedef struct {
    double x[N * D];
    int y[N];
    int K;
} rows;

/* Five columns of numbers, one of them again, and one of zeros. */
static void make_rows(rows *s, int K, double scale)
{
    rng r;
    rng_open(&r, 5, (uint64_t)K);
    s->K = K;
    for (int i = 0; i < N; i++) {
        double score = 0.5 * rng_normal(&r);
        for (int j = 0; j < VARYING; j++) {
            double x = rng_normal(&r);
            s->x[i * D + j] = scale * x;
            score += x * (j - 1.5) / 2;
        }
        s->x[i * D + 5] = s->x[i * D + 2];
        s->x[i * D + 6] = 0;
        s->y[i] = 1;
        for (int q = 1; q < K; q++) s->y[i] += score > 2.0 * q / K - 1;
    }
}

/* A fit that meets all conditions of --verify. */
static rung_model *fit_kernel(rung_ctx *ctx, const rows *s, const char *name, const char *kind)
{
    rung_data *data;
    rung_spec *spec;
    rung_model *out;
    rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, s->y, NULL, s->K, &data));
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, "none"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "kernel", kind));
    assert_ok(ctx, rung_spec_set(ctx, spec, "ridge-kind", "identity"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "ridge", "1e-8"));
    assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "0"));
    if (strstr(name, "kda") == NULL) assert_ok(ctx, rung_spec_set(ctx, spec, "thresholds", "midpoint"));
    if (strcmp(name, "s-dl") == 0) assert_ok(ctx, rung_spec_set(ctx, spec, "mu", "0.01"));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &out));
    rung_verification *found;
    assert_ok(ctx, rung_model_verify(ctx, spec, data, out, &found));
    const rung_condition *c;
    for (int i = 0; (c = rung_verification_at(found, i)); i++)
        if (!(c->value <= c->tolerance)) fail_msg("%s: %s: %g above %g", name, c->name, c->value, c->tolerance);
    rung_verification_free(found);
    rung_spec_free(spec);
    rung_data_free(data);
    return out;
}

static rung_model *fit(rung_ctx *ctx, const rows *s, const char *name) { return fit_kernel(ctx, s, name, "linear"); }

static void ranks_do_not_depend_on_the_scale(void **state)
{
    static const char *const methods[] = {"kdlor", "kda", "skda", "ws-dl", "s-dl"};
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    for (int m = 0; m < 5; m++) {
        int first[N];
        for (int e = 0; e <= 4; e++) {
            int rank[N];
            make_rows(s, 4, ldexp(1, 5 * e));
            rung_model *model = fit(ctx, s, methods[m]);
            rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
            rung_output out = {.size = sizeof out, .rank = e ? rank : first};
            assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
            for (int i = 0; i < N && e; i++) assert_int_equal(rank[i], first[i]);
            rung_model_free(model);
        }
    }
    free(s);
}

/* The same ranks where one column is ten million times as large as the others. */
static void ranks_do_not_depend_on_one_column(void **state)
{
    static const char *const methods[] = {"kdlor", "kda", "s-dl"};
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    for (int m = 0; m < 3; m++) {
        int first[N], rank[N];
        for (int e = 0; e < 2; e++) {
            make_rows(s, 4, 1);
            for (int i = 0; i < N && e; i++) s->x[i * D] *= 1e7;
            rung_model *model = fit(ctx, s, methods[m]);
            rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
            rung_output out = {.size = sizeof out, .rank = e ? rank : first};
            assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
            rung_model_free(model);
        }
        for (int i = 0; i < N; i++) assert_int_equal(rank[i], first[i]);
    }
    free(s);
}

/* Kernel matrices from 1 to 1e12, of low rank and of full rank. */
static void kernels_of_any_size(void **state)
{
    static const char *const methods[] = {"kdlor", "kda", "s-dl", "skda"}, *const kernels[] = {"poly", "rbf",
                                                                                               "laplacian"};
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    for (int m = 0; m < 4; m++)
        for (int k = 0; k < 3; k++)
            for (int scale = 1; scale <= 30; scale += 29) {
                make_rows(s, 4, scale);
                rung_model_free(fit_kernel(ctx, s, methods[m], kernels[k]));
            }
    free(s);
}

/* Two classes: w is a multiple of S^-1 (m_2 - m_1), S the scatter within the classes of the columns that vary. */
static void two_classes_by_hand(void **state)
{
    rung_ctx *ctx = *state;
    rows *s = malloc(sizeof *s);
    for (int e = 0; e <= 2; e++) {
        make_rows(s, 2, ldexp(1, 7 * e));
        rung_model *model = fit(ctx, s, "kdlor");
        double mean[2 * VARYING] = {0}, count[2] = {0}, S[VARYING * VARYING] = {0}, v[VARYING];
        for (int i = 0; i < N; i++) count[s->y[i] - 1]++;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < VARYING; j++) mean[j + (s->y[i] - 1) * VARYING] += s->x[i * D + j] / count[s->y[i] - 1];
        for (int i = 0; i < N; i++)
            for (int j = 0; j < VARYING; j++)
                for (int k = 0; k < VARYING; k++)
                    S[j + k * VARYING] += (s->x[i * D + j] - mean[j + (s->y[i] - 1) * VARYING]) *
                                          (s->x[i * D + k] - mean[k + (s->y[i] - 1) * VARYING]);
        for (int j = 0; j < VARYING; j++) v[j] = mean[j + VARYING] - mean[j];
        assert_ok(ctx, la_small_spd_solve(ctx, VARYING, S, 1, v));
        const double *w = model->members[0].score.coef;
        double got[VARYING] = {w[0], w[1], w[2] + w[5], w[3], w[4]};
        for (int j = 0; j < VARYING; j++) assert_close(got[j] / got[4], v[j] / v[4], 1e-6);
        assert_close(w[5], w[2], 1e-9); /* equal columns share */
        assert_close(w[6], 0, 0);
        rung_model_free(model);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(ranks_do_not_depend_on_the_scale),
                                       WITH_CONTEXT(ranks_do_not_depend_on_one_column),
                                       WITH_CONTEXT(kernels_of_any_size), WITH_CONTEXT(two_classes_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
