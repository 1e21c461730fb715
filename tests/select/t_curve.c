// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <jansson.h>

#include "data/dataset.h"
#include "data/generate.h"
#include "select/curve.h"

static rung_data *toy_data(rung_ctx *ctx, int64_t rows, double unlabelled)
{
    rung_data *data;
    assert_ok(ctx, rung_data_generate(ctx, "toy", rows, -1, unlabelled, &data));
    return data;
}

static char *run_text(rung_ctx *ctx, const rung_curve_options *o, const rung_data *data)
{
    rung_curve *out;
    char *text;
    assert_ok(ctx, rung_curve_run(ctx, o, data, &out));
    assert_ok(ctx, rung_curve_describe(ctx, out, &text));
    rung_curve_free(out);
    return text;
}

static json_t *run(rung_ctx *ctx, const rung_curve_options *o, const rung_data *data, char **text)
{
    *text = run_text(ctx, o, data);
    json_t *json = json_loads(*text, 0, NULL);
    assert_non_null(json);
    return json;
}

static json_t *at(json_t *json, const char *key) { return json_object_get(json, key); }

static const char *const methods[] = {"kdlor", "llgc", NULL}, *const names[] = {"kdlor", "llgc", "llgc", "median"};

/* The same text for one and two threads, and another one for another seed. */
static void test_same_bits(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 90, 0);
    rung_curve_options o = {.size = sizeof o, .methods = methods, .repeats = 3};
    char *text[3];
    for (int i = 0; i < 3; i++) {
        rung_ctx_set_threads(ctx, i == 0 ? 1 : 2);
        if (i == 2) rung_ctx_set_seed(ctx, 2);
        text[i] = run_text(ctx, &o, data);
    }
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
    for (int i = 0; i < 3; i++) rung_free(text[i]);
    rung_data_free(data);
}

/* Lines: kdlor, llgc without and with, median; sizes as asked; a value for every repeat; all labels: the unlabelled
 * rows are gone, so with and without are the same. */
static void test_report(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 90, 0);
    const int sizes[] = {2, 4, 100};
    rung_curve_options o = {.size = sizeof o, .methods = methods, .repeats = 3, .sizes = sizes, .n_sizes = 3};
    char *text;
    json_t *json = run(ctx, &o, data, &text), *lines = at(json, "lines");
    assert_int_equal(json_array_size(lines), 4);
    assert_int_equal(json_array_size(at(json, "sizes")), 3);
    int64_t tests = json_integer_value(at(json, "test_rows"));
    assert_in_range(tests, 25, 35);
    assert_int_equal(json_integer_value(at(json_array_get(at(json, "sizes"), 0), "labels")), 10);
    assert_int_equal(json_integer_value(at(json_array_get(at(json, "sizes"), 2), "labels")), 90 - tests);
    for (size_t l = 0; l < 4; l++) {
        json_t *one = json_array_get(lines, l);
        assert_string_equal(json_string_value(at(one, "method")), names[l]);
        assert_true(json_is_true(at(one, "unlabelled")) == (l == 2));
        for (size_t s = 0; s < 3; s++)
            for (size_t r = 0; r < 3; r++)
                assert_true(json_is_real(json_array_get(json_array_get(at(one, "values"), s), r)));
    }
    json_t *without = json_array_get(at(json_array_get(lines, 1), "values"), 2);
    assert_true(json_equal(without, json_array_get(at(json_array_get(lines, 2), "values"), 2)));
    json_t *few = json_array_get(at(json_array_get(lines, 0), "values"), 0);
    json_t *many = json_array_get(at(json_array_get(lines, 0), "values"), 2);
    double difference = 0;
    for (size_t r = 0; r < 3; r++)
        difference += json_real_value(json_array_get(few, r)) - json_real_value(json_array_get(many, r));
    assert_true(difference > 0); /* more labels, less error */
    json_decref(json);
    rung_free(text);
    rung_data_free(data);
}

/* Few labels begin at one per class, many at five. */
static void test_sizes_by_the_data(void **state)
{
    rung_ctx *ctx = *state;
    const struct {
        int64_t rows;
        int first;
    } cases[] = {{30, 1}, {200, 5}};
    const char *const median[] = {"median", NULL};
    for (size_t c = 0; c < 2; c++) {
        rung_data *data = toy_data(ctx, cases[c].rows, 0);
        rung_curve_options o = {.size = sizeof o, .methods = median, .repeats = 2};
        char *text;
        json_t *json = run(ctx, &o, data, &text), *sizes = at(json, "sizes");
        assert_int_equal(json_integer_value(at(json_array_get(sizes, 0), "per_class")), cases[c].first);
        assert_int_equal(json_integer_value(at(json_array_get(sizes, 1), "per_class")), 2 * cases[c].first);
        json_t *last = json_array_get(sizes, json_array_size(sizes) - 1);
        assert_int_equal(json_integer_value(at(last, "labels")) + json_integer_value(at(json, "test_rows")),
                         cases[c].rows);
        json_decref(json);
        rung_free(text);
        rung_data_free(data);
    }
}

static void test_refusals(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 60, 0), *few = toy_data(ctx, 60, 1);
    const int falling[] = {5, 5}, large[] = {100, 200};
    const char *const wrong[] = {"nosuch", NULL}, *const fixed[] = {"ridge", NULL};
    rung_curve *out;
    assert_fails(
        ctx,
        rung_curve_run(ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .sizes = falling, .n_sizes = 2},
                       data, &out),
        RUNG_EARG, "labels per class must be increasing");
    assert_fails(ctx,
                 rung_curve_run(ctx,
                                &(rung_curve_options){.size = sizeof(rung_curve_options), .sizes = large, .n_sizes = 2},
                                data, &out),
                 RUNG_EARG, "200 labels per class: the largest class has only");
    assert_fails(
        ctx,
        rung_curve_run(ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .methods = wrong}, data, &out),
        RUNG_EARG, "nosuch");
    assert_fails(
        ctx, rung_curve_run(ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .fixed = fixed}, data, &out),
        RUNG_EARG, "NAME=VALUE");
    assert_fails(
        ctx, rung_curve_run(ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .metric = "x"}, data, &out),
        RUNG_EARG, "unknown metric");
    assert_fails(
        ctx, rung_curve_run(ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .repeats = -1}, data, &out),
        RUNG_EARG, "-1 repeats");
    assert_fails(ctx, rung_curve_run(ctx, NULL, few, &out), RUNG_EDATA, "at least two classes with two labelled rows");
    const int none[] = {0, 5}, many[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
    assert_fails(ctx,
                 rung_curve_run(ctx,
                                &(rung_curve_options){.size = sizeof(rung_curve_options), .sizes = none, .n_sizes = 2},
                                data, &out),
                 RUNG_EARG, "labels per class must be increasing and >= 1, but the value at position 1 is 0");
    assert_fails(ctx,
                 rung_curve_run(ctx,
                                &(rung_curve_options){.size = sizeof(rung_curve_options), .sizes = many, .n_sizes = 17},
                                data, &out),
                 RUNG_EARG, "17 sizes: at most 16");
    const double target[] = {0, 1, 2, 3};
    rung_data *real;
    rung_view view = {.v = target, .n = 4, .d = 1, .row = 1, .col = 1};
    assert_ok(ctx, rung_data_new_real(ctx, &view, target, NULL, &real));
    assert_fails(ctx, rung_curve_run(ctx, NULL, real, &out), RUNG_EARG,
                 "a curve grades classes: cut real targets into classes");
    assert_string_equal(rung_ctx_detail(ctx), "option bins");
    rung_data_free(real);
    rung_data_free(data);
    rung_data_free(few);
}

/* A limit of memory and many rows make cells come one by one, with the same text; a metric of which more is better; a
 * method without probabilities; the median where it was asked for. */
static void test_ways_of_running(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 90, 0), *large = toy_data(ctx, 1600, 0);
    const char *const list[] = {"median", "svorex", NULL};
    const int sizes[] = {4};
    rung_curve_options o = {
        .size = sizeof o, .methods = list, .repeats = 2, .metric = "kappa", .sizes = sizes, .n_sizes = 1};
    char *text[2], *other;
    rung_ctx_set_threads(ctx, 2);
    for (int limited = 0; limited < 2; limited++) {
        rung_ctx_set_memory(ctx, limited ? 1 << 30 : 0);
        text[limited] = run_text(ctx, &o, data);
    }
    rung_ctx_set_memory(ctx, 0);
    assert_string_equal(text[0], text[1]);
    json_t *json = json_loads(text[0], 0, NULL), *lines = at(json, "lines");
    assert_true(json_is_true(at(json, "more_is_better")));
    assert_int_equal(json_array_size(lines), 2); /* the median is not told twice */
    assert_string_equal(json_string_value(at(json_array_get(lines, 0), "method")), "median");
    for (size_t r = 0; r < 2; r++) { /* a constant agrees by chance alone */
        assert_true(json_real_value(json_array_get(json_array_get(at(json_array_get(lines, 0), "values"), 0), r)) == 0);
        assert_true(json_real_value(json_array_get(json_array_get(at(json_array_get(lines, 1), "values"), 0), r)) > 0);
    }
    json_decref(json);
    const char *const short_list[] = {"median", NULL};
    o = (rung_curve_options){.size = sizeof(rung_curve_options), .methods = short_list, .repeats = 1};
    json = run(ctx, &o, large, &other);
    json_t *last = json_array_get(at(json, "sizes"), json_array_size(at(json, "sizes")) - 1);
    assert_in_range(json_integer_value(at(last, "labels")), 250, 500); /* not all of about 1000 */
    json_decref(json);
    for (int i = 0; i < 2; i++) rung_free(text[i]);
    rung_free(other);
    rung_data_free(data);
    rung_data_free(large);
}

/* Every row is there twice, with another label: labels of rows equal to a test row are not used, and not counted. */
static void test_labels_that_cannot_be_used(void **state)
{
    rung_ctx *ctx = *state;
    double x[60];
    int y[60];
    for (int i = 0; i < 60; i++) {
        x[i] = sin(i / 2);
        y[i] = 1 + (i / 20) % 3;
        if (i % 2) y[i] = 1 + y[i] % 3;
    }
    rung_view view = {.v = x, .n = 60, .d = 1, .row = 1, .col = 1};
    rung_data *data;
    assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, 3, &data));
    const char *const median[] = {"median", NULL};
    rung_curve_options o = {.size = sizeof o, .methods = median, .repeats = 2, .equal_rows = "together"};
    char *text;
    json_t *json = run(ctx, &o, data, &text), *sizes = at(json, "sizes");
    int64_t tests = json_integer_value(at(json, "test_rows")), last = (int64_t)json_array_size(sizes) - 1;
    int64_t labels = json_integer_value(at(json_array_get(sizes, (size_t)last), "labels"));
    assert_in_range(labels, 6, 60 - tests - 3);
    json_decref(json);
    rung_free(text);
    rung_data_free(data);
}

/* A curve forecasts what a suggestion does from the same data; neither the median nor a line that hides rows does. */
static void test_forecast_is_that_of_a_suggestion(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 80, 0.5);
    rung_curve_options o = {.size = sizeof o, .methods = methods, .repeats = 2, .metric = "acc"};
    rung_curve *c[2];
    rung_forecast f = {.size = sizeof f}, again = f;
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &c[0]));
    o.more = 7;
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &c[1]));
    const int there[] = {1, 0, 1, 0, 0};
    for (int i = 0; i < 5; i++) assert_int_equal(rung_curve_forecast(c[1], i, &f), there[i]);
    for (int line = 0; line < 3; line += 2)
        for (int k = 0; k < 2; k++) {
            rung_spec *spec;
            rung_suggestion *s;
            rung_suggest_options how = {.size = sizeof how, .n = 3, .more = k ? 7 : 40};
            assert_ok(ctx, rung_spec_new(ctx, names[line], 0, &spec));
            assert_ok(ctx, rung_suggest_run(ctx, spec, data, &how, &s));
            assert_true(rung_suggestion_forecast(s, &again) && rung_curve_forecast(c[k], line, &f));
            assert_memory_equal(&f, &again, sizeof f);
            assert_true(f.labels == 40 && f.more == (k ? 7 : 40));
            rung_suggestion_free(s);
            rung_spec_free(spec);
        }
    for (int k = 0; k < 2; k++) rung_curve_free(c[k]);
    o.more = -1;
    assert_fails(ctx, rung_curve_run(ctx, &o, data, &c[0]), RUNG_EARG, "-1 more labels");
    o.more = 0;
    o.no_forecast = 1;
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &c[0]));
    assert_int_equal(rung_curve_forecast(c[0], 0, &f), 0);
    rung_curve_free(c[0]);
    rung_data_free(data);
}

typedef struct {
    rung_ctx *ctx;
    const rung_data *data;
} work;

static rung_status curve_once(void *argument)
{
    work *w = argument;
    static const char *const one[] = {"kdlor", NULL};
    rung_curve *out;
    rung_status status = rung_curve_run(
        w->ctx, &(rung_curve_options){.size = sizeof(rung_curve_options), .methods = one, .repeats = 1}, w->data, &out);
    rung_curve_free(out);
    return status;
}

/* Rows without a weight have no part in the error of a curve: here those whose grades are wrong. */
static void test_weights(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 120 };
    double x[ROWS], weight[ROWS];
    int y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        x[i] = i * 37 % ROWS;
        y[i] = 1 + (x[i] >= ROWS / 2);
        weight[i] = i % 4 != 0;
        if (i % 4 == 0) y[i] = 3 - y[i];
    }
    rung_view view = {.v = x, .n = ROWS, .d = 1, .row = 1, .col = 1};
    rung_data *data;
    rung_curve *out;
    const int sizes[] = {30};
    const char *const pom[] = {"pom", NULL};
    rung_curve_options o = {
        .size = sizeof o, .methods = pom, .repeats = 3, .sizes = sizes, .n_sizes = 1, .no_forecast = 1};
    assert_ok(ctx, rung_data_new(ctx, &view, y, weight, 2, &data));
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &out));
    for (int r = 0; r < 3; r++) assert_true(rung_curve_at(out, 0)->values[r] < 0.1);
    rung_curve_free(out);
    rung_data_free(data);
}

static void test_memory_runs_out(void **state)
{
    rung_ctx *ctx = *state;
    rung_ctx_set_threads(ctx, 1);
    work w = {ctx, toy_data(ctx, 25, 0)};
    assert_true(fail_each_allocation(curve_once, &w) > 20);
    dataset_free((rung_data *)(uintptr_t)w.data);
}

static int64_t json_allowed;

static void *json_malloc(size_t n) { return json_allowed-- > 0 ? malloc(n) : NULL; }

/* The report is whole or there is none. */
static void test_jansson_runs_out(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 25, 0);
    static const char *const one[] = {"median", NULL};
    rung_curve_options o = {.size = sizeof o, .methods = one, .repeats = 1};
    rung_curve *out;
    rung_status status;
    int64_t k = 0;
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &out));
    json_set_alloc_funcs(json_malloc, free);
    do {
        char *text;
        json_allowed = k;
        status = rung_curve_describe(ctx, out, &text);
        if (status != RUNG_OK) assert_fails(ctx, status, RUNG_ENOMEM, "out of memory: the report of the curve");
        assert_true((text != NULL) == (status == RUNG_OK));
        rung_free(text);
        k += 1 + k / 20;
    } while (status != RUNG_OK);
    json_set_alloc_funcs(malloc, free);
    assert_true(k > 50);
    rung_curve_free(out);
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_same_bits),
                                       WITH_CONTEXT(test_report),
                                       WITH_CONTEXT(test_sizes_by_the_data),
                                       WITH_CONTEXT(test_refusals),
                                       WITH_CONTEXT(test_ways_of_running),
                                       WITH_CONTEXT(test_weights),
                                       WITH_CONTEXT(test_memory_runs_out),
                                       WITH_CONTEXT(test_labels_that_cannot_be_used),
                                       WITH_CONTEXT(test_forecast_is_that_of_a_suggestion),
                                       WITH_CONTEXT(test_jansson_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
