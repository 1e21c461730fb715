// SPDX-License-Identifier: BSD-3-Clause
/* Every method that takes landmarks, by the table: all rows as landmarks give the exact fit, few give a valid one,
 * threads change no bit, and memory is what was said. */
#include "helper.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/rng.h"
#include "fit/method.h"

enum { N = 60, D = 5, K = 3, ROOM = N * 8 };

typedef struct {
    double x[N * D];
    int y[N];
    rung_data *data;
} sample;

static void draw(rung_ctx *ctx, sample *s)
{
    rng r;
    rng_open(&r, 44, 0);
    for (int i = 0; i < N; i++) {
        int q = 1 + i % K;
        s->y[i] = i < 4 * K || rng_uniform(&r) < 0.5 ? q : 0;
        for (int j = 0; j < D; j++) s->x[i * D + j] = rng_normal(&r) + (j == 0 ? q : 0);
    }
    rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, s->y, NULL, K, &s->data));
}

static bool has(const rung_method *m, const char *name) { return rung_method_param_find(m, name) != NULL; }

/* mu NULL: as it is by default. */
static rung_model *fit(rung_ctx *ctx, const rung_method *m, const sample *s, const char *count, const char *mu)
{
    static const char *const settings[][2] = {{"thresholds", "midpoint"}, {"calibrate", "0"},    {"rank", "1"},
                                              {"gamma", "0.5"},           {"tolerance", "1e-9"}, {"neighbours", "6"}};
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (has(m, settings[i][0])) assert_ok(ctx, rung_spec_set(ctx, spec, settings[i][0], settings[i][1]));
    if (mu) assert_ok(ctx, rung_spec_set(ctx, spec, "mu", mu));
    assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", count));
    assert_ok(ctx, rung_model_fit(ctx, spec, s->data, &model));
    rung_spec_free(spec);
    return model;
}

static int predict(rung_ctx *ctx, const rung_model *model, const sample *s, double *score)
{
    rung_view view = {.v = s->x, .n = N, .d = D, .row = D, .col = 1};
    rung_output out = {.size = sizeof out, .score = score};
    assert_true(N * rung_model_outputs(model) <= ROOM);
    assert_ok(ctx, rung_model_predict(ctx, model, &view, NULL, &out));
    return rung_model_outputs(model);
}

static void assert_exact(rung_ctx *ctx, const rung_method *m, const sample *s, const char *mu)
{
    double exact[ROOM], low[ROOM], scale = 0;
    rung_model *a = fit(ctx, m, s, "exact", mu), *b = fit(ctx, m, s, "60", mu);
    int outputs = predict(ctx, a, s, exact);
    assert_int_equal(predict(ctx, b, s, low), outputs);
    for (int j = 0; j < N * outputs; j++) scale = fmax(scale, fabs(exact[j]));
    for (int j = 0; j < N * outputs; j++)
        if (!(fabs(exact[j] - low[j]) <= 1e-6 * scale))
            fail_msg("%s: score %d is %.12g, exactly %.12g", m->name, j, low[j], exact[j]);
    rung_model_free(a);
    rung_model_free(b);
}

static void all_rows_give_the_exact_fit(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    int seen = 0;
    draw(ctx, &s);
    for (int i = 0; rung_method_at(i); i++) {
        const rung_method *m = rung_method_at(i);
        if (!has(m, "landmarks")) continue;
        assert_exact(ctx, m, &s, NULL);
        if (has(m, "mu")) assert_exact(ctx, m, &s, "0.3");
        seen++;
    }
    assert_true(seen > 5);
    rung_data_free(s.data);
}

static void few_landmarks_on_one_and_two_threads(void **state)
{
    rung_ctx *ctx = *state;
    sample s;
    draw(ctx, &s);
    for (int i = 0; rung_method_at(i); i++) {
        const rung_method *m = rung_method_at(i);
        double one[ROOM], two[ROOM];
        if (!has(m, "landmarks")) continue;
        rung_ctx_set_threads(ctx, 1);
        rung_model *a = fit(ctx, m, &s, "8", NULL);
        rung_ctx_set_threads(ctx, 2);
        rung_model *b = fit(ctx, m, &s, "8", NULL);
        int outputs = predict(ctx, a, &s, one);
        predict(ctx, b, &s, two);
        assert_memory_equal(one, two, (size_t)(N * outputs) * sizeof *one);
        for (int j = 0; j < N * outputs; j++) assert_true(isfinite(one[j]));
        rung_model_free(a);
        rung_model_free(b);
    }
    rung_data_free(s.data);
}

#ifndef __SANITIZE_ADDRESS__ /* it measures memory, not mistakes: the plain build does it */
enum { MANY = 3000 };

static rung_data *draw_many(rung_ctx *ctx, double *x, int *y)
{
    rng r;
    rung_data *data;
    rng_open(&r, 45, 0);
    for (int i = 0; i < MANY; i++) {
        int q = 1 + i % K;
        y[i] = rng_uniform(&r) < 0.15 ? q : 0;
        for (int j = 0; j < D; j++) x[i * D + j] = rng_normal(&r) + (j == 0 ? q : 0);
    }
    rung_view view = {.v = x, .n = MANY, .d = D, .row = D, .col = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    return data;
}

/* One fit under a limit (0: none): it stays below it, or says so before it starts; and it takes what it said. */
static void check_memory(rung_ctx *ctx, const rung_method *m, const rung_data *data, const problem_shape *shape,
                         const char *count, int64_t limit)
{
    rung_spec *spec;
    rung_model *model = NULL;
    double estimate;
    assert_ok(ctx, rung_spec_new(ctx, m->name, 0, &spec));
    assert_ok(ctx, rung_spec_set(ctx, spec, "landmarks", count));
    if (has(m, "align-iterations")) assert_ok(ctx, rung_spec_set(ctx, spec, "align-iterations", "1"));
    rung_ctx_set_memory(ctx, limit);
    memory_hold(ctx, data->mem.bytes);
    assert_ok(ctx, method_bytes(ctx, spec, shape, &estimate));
    ctx->scratch.peak = 0;
    rung_status status = rung_model_fit(ctx, spec, data, &model);
    double measured = (double)ctx->scratch.peak + (model ? (double)model->mem.peak : 0);
    if (status != RUNG_OK) {
        assert_fails(ctx, status, RUNG_ELIMIT, "above the memory limit");
        assert_true(estimate + (double)data->mem.bytes > (double)limit);
    } else {
        if (limit > 0 && !(measured <= (double)limit))
            fail_msg("%s took %.0f bytes, not %.0f", m->name, measured, (double)limit);
        if (measured > estimate)
            fail_msg("%s: estimated %.0f bytes, measured %.0f under %.0f", m->name, estimate, measured, (double)limit);
    }
    rung_ctx_set_memory(ctx, 0);
    rung_model_free(model);
    rung_spec_free(spec);
}

static void limits_are_kept_and_estimates_true(void **state)
{
    rung_ctx *ctx = *state;
    double *x = malloc(MANY * D * sizeof *x);
    int *y = malloc(MANY * sizeof *y);
    rung_data *data = draw_many(ctx, x, y);
    problem_shape shape = {.n = MANY, .d = D, .K = K};
    for (int i = 0; i < MANY; i++) shape.labelled += y[i] > 0;
    for (int i = 0; rung_method_at(i); i++) {
        const rung_method *m = rung_method_at(i);
        if (!has(m, "landmarks")) continue;
        for (int64_t limit = 4 << 20; limit <= 16 << 20; limit *= 2) check_memory(ctx, m, data, &shape, "auto", limit);
        check_memory(ctx, m, data, &shape, "200", 0);
    }
    rung_data_free(data);
    free(x);
    free(y);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(all_rows_give_the_exact_fit),
        WITH_CONTEXT(few_landmarks_on_one_and_two_threads),
#ifndef __SANITIZE_ADDRESS__
        WITH_CONTEXT(limits_are_kept_and_estimates_true),
#endif
    };
    return cmocka_run_group_tests_name("landmark_fits", tests, NULL, NULL);
}
