// SPDX-License-Identifier: BSD-3-Clause
/* Columns weighted by relevance, the plan of a fit, and what both do to auto. */
#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"
#include "fit/training.h"
#include "method/boost/boost.h"
#include "method/mixture/plan.h"
#include "trees/relevance.h"

enum { D = 12, K = 3, FEW = 64, MOST = 650 }; /* 60 labels or fewer: auto would be fitted anew to every fold */

/* One column in D decides the rank; noise: none does. */
static rung_data *make_data(rung_ctx *ctx, int64_t n, uint64_t seed, bool noise)
{
    static double x[D * MOST];
    static int y[MOST];
    rng r;
    rng_open(&r, seed, 9);
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < D; j++) x[i * D + j] = rng_normal(&r);
        double f = noise ? rng_normal(&r) : x[i * D + 4] + 0.3 * rng_normal(&r);
        y[i] = 1 + (f > -0.4) + (f > 0.4);
    }
    rung_view view = {.v = x, .n = n, .d = D, .row = D, .col = 1};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, K, &data));
    return data;
}

/* name NULL: the defaults; "": as published, closed forms on plain columns alone. */
static rung_model *fit(rung_ctx *ctx, const rung_data *data, const char *name, const char *value)
{
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_spec_new(ctx, "auto", name && !*name, &spec));
    if (name && *name) assert_ok(ctx, rung_spec_set(ctx, spec, name, value));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    rung_spec_free(spec);
    return model;
}

static const report_entry *reported(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return &m->report[i];
    return NULL;
}

static void weights_find_the_column(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, FEW, 1, false);
    rung_model *m = fit(ctx, data, NULL, NULL);
    const report_entry *w = reported(m, "relevance");
    assert_non_null(w);
    assert_int_equal(w->n, D);
    double square = 0;
    for (int j = 0; j < D; j++) {
        square += w->value[j] * w->value[j];
        if (j != 4) assert_true(w->value[j] > 0 && w->value[j] < 0.5 * w->value[4]);
    }
    assert_close(square, D, 1e-9);
    rung_model *plain = fit(ctx, data, "", NULL);
    assert_null(reported(plain, "relevance"));
    assert_true(*reported(m, "loo_mae")->value < *reported(plain, "loo_mae")->value);
    rung_model_free(m);
    rung_model_free(plain);
    rung_data_free(data);
}

static double held_out_error(rung_ctx *ctx, const char *name, const char *scale, const rung_data *data)
{
    rung_spec *spec;
    rung_model *m;
    assert_ok(ctx, rung_spec_new(ctx, name, 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, scale));
    if (rung_method_param_find(rung_method_find(name), "calibrate"))
        assert_ok(ctx, rung_spec_set(ctx, spec, "calibrate", "5"));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
    assert_true(m->has_cv);
    double error = m->cv.mae;
    rung_model_free(m);
    rung_spec_free(spec);
    return error;
}

/* Of always answering the middle class. */
static double constant_error(const rung_data *data)
{
    double sum = 0;
    for (int64_t i = 0; i < data->n; i++) sum += abs(data->y[i] - 2);
    return sum / (double)data->n;
}

/* As a scaling for any method: better where one column matters, and honest where none does, though methods with closed
 * forms (kdlor, ckr) could have left rows out of the columns that all labels had weighted. */
static void any_method_may_weigh_columns(void **state)
{
    static const char *const methods[] = {"kdlor", "ckr"};
    rung_ctx *ctx = *state;
    rung_data *data;
    for (int i = 0; i < 2; i++) {
        double weighted = 0, plain = 0;
        for (uint64_t seed = 1; seed < 4; seed++) {
            data = make_data(ctx, FEW, seed, false);
            weighted += held_out_error(ctx, methods[i], "relevance", data) / 3;
            plain += held_out_error(ctx, methods[i], "standard", data) / 3;
            rung_data_free(data);
        }
        if (!(weighted < 0.9 * plain)) fail_msg("%s: %g with weights, %g without", methods[i], weighted, plain);
    }
    for (int i = 0; i < 2; i++) {
        double held = 0, median = 0;
        for (uint64_t seed = 0; seed < 4; seed++) {
            data = make_data(ctx, FEW, 40 + seed, true);
            held += held_out_error(ctx, methods[i], "relevance", data) / 4;
            median += constant_error(data) / 4;
            rung_data_free(data);
        }
        if (!(held > 0.95 * median)) fail_msg("%s: held-out %g, where %g is chance", methods[i], held, median);
    }
}

/* Where nothing is to be learned, weights that have seen the labels must not make it look otherwise. */
static void noise_is_not_flattered(void **state)
{
    rung_ctx *ctx = *state;
    double held = 0, median = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        rung_data *data = make_data(ctx, FEW, 20 + seed, true);
        rung_model *m = fit(ctx, data, NULL, NULL);
        held += *reported(m, "loo_mae")->value / 6;
        median += *reported(m, "median_mae")->value / 6;
        rung_model_free(m);
        rung_data_free(data);
    }
    if (!(held > 0.97 * median && held < 1.15 * median)) fail_msg("held-out %g, median %g", held, median);
}

/* Each row of the plan fits, verifies itself, and keeps its model small. */
static void every_size(void **state)
{
    static const struct {
        int64_t n;
        const char *effort;
    } cases[] = {{90, "normal"}, {310, "normal"}, {610, "normal"}, {90, "thorough"}};
    rung_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_data *data = make_data(ctx, cases[i].n, 5, false);
        rung_spec *spec;
        rung_model *m;
        rung_verification *found;
        const rung_condition *c;
        char *bytes;
        int64_t size;
        assert_ok(ctx, rung_spec_new(ctx, "auto", 0, &spec));
        assert_ok(ctx, rung_spec_set(ctx, spec, "effort", cases[i].effort));
        assert_ok(ctx, rung_model_fit(ctx, spec, data, &m));
        assert_true(m->has_cv && m->cv.mae < 0.3);
        assert_ok(ctx, rung_model_verify(ctx, spec, data, m, &found));
        for (int k = 0; (c = rung_verification_at(found, k)); k++)
            if (!c->ok)
                fail_msg("%lld rows: %s is %g, above %g", (long long)cases[i].n, c->name, c->value, c->tolerance);
        assert_ok(ctx, model_to_memory(ctx, m, &bytes, &size));
        assert_true(size < 2000000);
        rung_free(bytes);
        rung_verification_free(found);
        rung_model_free(m);
        rung_spec_free(spec);
        rung_data_free(data);
    }
}

/* With a single part held out, only its rows have predictions; errors and ranges come from them. */
static void some_rows_are_held_out(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = make_data(ctx, MOST, 6, false);
    rung_model *m = fit(ctx, data, "effort", "quick");
    assert_int_equal(m->ranges.n, MOST / 5);
    assert_int_equal(m->cv.n, MOST / 5);
    assert_true(m->cv.mae < 0.3);
    rung_model_free(m);
    rung_data_free(data);
}

static void the_plan_follows_the_labels(void **state)
{
    (void)state;
    for (int e = EFFORT_QUICK; e <= EFFORT_THOROUGH; e++)
        for (int64_t l = 10; l < 10000000; l *= 2) {
            const mixture_plan *plan = mixture_plan_for((effort_level)e, l),
                               *next = mixture_plan_for((effort_level)e, 2 * l);
            assert_true(next >= plan); /* a later row of the table */
            assert_true(plan->folds >= 1);
            if (e < EFFORT_THOROUGH) assert_true(mixture_plan_for((effort_level)(e + 1), l) <= plan);
        }
}

/* Relevance is of rows by their weights: the grades of light rows say nothing of theirs. */
static void light_rows_say_little(void **state)
{
    enum { ROWS = 120 };
    rung_ctx *ctx = *state;
    rung_data *plain = make_data(ctx, ROWS, 7, false), *data;
    rung_spec *spec;
    training t;
    double weight[ROWS];
    int y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        const double *row = plain->X + i * D;
        weight[i] = i % 2 ? 0.01 : 1;
        y[i] = i % 2 ? 1 + (row[0] > -0.4) + (row[0] > 0.4) : plain->y[i]; /* of column 4 */
    }
    rung_view view = rung_data_view(plain);
    assert_ok(ctx, rung_data_new(ctx, &view, y, weight, K, &data));
    assert_ok(ctx, rung_spec_new(ctx, "kdlor", 0, &spec));
    assert_ok(ctx, rung_spec_set_scale(ctx, spec, "relevance"));
    assert_ok(ctx, training_new(ctx, spec, data, false, true, &t));
    assert_true(t.relevance[0] < 0.5 * t.relevance[4]);
    rung_spec_free(spec);
    rung_data_free(data);
    rung_data_free(plain);
}

/* A column that says nothing because it is constant has no part in anything. */
static void a_constant_column_changes_nothing(void **state)
{
    rung_ctx *ctx = *state;
    static double x[(D + 1) * FEW], p[2][K * FEW];
    rung_data *data = make_data(ctx, FEW, 3, false), *more;
    for (int64_t i = 0; i < FEW; i++) {
        memcpy(x + i * (D + 1), data->X + i * D, D * sizeof *x);
        x[i * (D + 1) + D] = 7;
    }
    rung_view view = {.v = x, .n = FEW, .d = D + 1, .row = D + 1, .col = 1}, plain = rung_data_view(data);
    assert_ok(ctx, rung_data_new(ctx, &view, data->y, NULL, K, &more));
    rung_model *a = fit(ctx, data, NULL, NULL), *b = fit(ctx, more, NULL, NULL);
    assert_ok(ctx,
              rung_model_predict(ctx, a, &plain, NULL, &(rung_output){.size = sizeof(rung_output), .proba = p[0]}));
    assert_ok(ctx, rung_model_predict(ctx, b, &view, NULL, &(rung_output){.size = sizeof(rung_output), .proba = p[1]}));
    assert_arrays_close(K * FEW, p[1], p[0], 1e-9);
    assert_arrays_close(D, reported(b, "relevance")->value, reported(a, "relevance")->value, 1e-12);
    rung_model_free(a);
    rung_model_free(b);
    rung_data_free(data);
    rung_data_free(more);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(weights_find_the_column),
        WITH_CONTEXT(any_method_may_weigh_columns),
        WITH_CONTEXT(noise_is_not_flattered),
        WITH_CONTEXT(every_size),
        WITH_CONTEXT(some_rows_are_held_out),
        WITH_CONTEXT(the_plan_follows_the_labels),
        WITH_CONTEXT(a_constant_column_changes_nothing),
        WITH_CONTEXT(light_rows_say_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
