// SPDX-License-Identifier: BSD-3-Clause
/* What `inspect` shows of a model. */
#include "model/models.h"

#include <jansson.h>

static json_t *described(rung_ctx *ctx, model_kind kind)
{
    rung_model *m = make_model(ctx, kind);
    char *text = NULL;
    assert_ok(ctx, model_describe(ctx, m, &text));
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(root));
    rung_free(text);
    model_free(m);
    return root;
}

/* The value at "report.means.1"; the test fails where there is none. */
static const json_t *at(const json_t *json, const char *path)
{
    char copy[64], *rest = copy;
    snprintf(copy, sizeof copy, "%s", path);
    while (rest && *rest) {
        char *key = rest, *dot = strchr(rest, '.');
        rest = dot ? dot + 1 : NULL;
        if (dot) *dot = 0;
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10)) : json_object_get(json, key);
        if (!json) fail_msg("there is no %s", path);
    }
    return json;
}

#define assert_json_text(root, path, text) assert_string_equal(json_string_value(at(root, path)), text)
#define assert_json_int(root, path, x) assert_int_equal(json_integer_value(at(root, path)), x)
#define assert_json_real(root, path, x) assert_true(json_real_value(at(root, path)) == (x))
#define assert_json_null(root, path) assert_true(json_is_null(at(root, path)))
#define assert_json_true(root, path) assert_true(json_is_true(at(root, path)))
#define assert_json_false(root, path) assert_true(json_is_false(at(root, path)))

static void test_kernel_model(void **state)
{
    json_t *r = described(*state, MODEL_RBF);
    assert_json_text(r, "method", "kdlor");
    assert_json_text(r, "params.C", "10");
    assert_json_null(r, "params.width");
    assert_int_equal(json_array_size(at(r, "classes")), 4);
    assert_json_text(r, "classes.3", "d \"quoted\" \xc3\xa9");
    assert_int_equal(json_array_size(at(r, "present")), 3);
    assert_json_text(r, "present.1", "c");
    assert_json_int(r, "n_expansion", TERMS);
    assert_json_text(r, "kernel.kind", "rbf");
    assert_json_real(r, "kernel.gamma", 0.1);
    assert_null(json_object_get(at(r, "kernel"), "degree"));
    assert_json_text(r, "preprocessing.scale", "standard");
    assert_json_text(r, "preprocessing.label", "grade");
    assert_json_int(r, "preprocessing.coded_columns", D);
    assert_json_text(r, "preprocessing.columns.0.name", "age");
    assert_json_text(r, "preprocessing.columns.0.kind", "number");
    assert_json_real(r, "preprocessing.columns.0.fill", 0.1);
    assert_null(json_object_get(at(r, "preprocessing.columns.0"), "categories"));
    assert_json_text(r, "preprocessing.columns.1.kind", "nominal");
    assert_json_text(r, "preprocessing.columns.1.categories.0", "");
    assert_json_text(r, "preprocessing.columns.1.categories.2", "red");
    assert_json_null(r, "preprocessing.columns.1.fill");
    assert_json_null(r, "interval");
    assert_json_int(r, "format", 1);
    assert_json_text(r, "library", "0.1.0");
    assert_json_real(r, "report.rho", 1.0 / 3);
    assert_json_real(r, "report.means.0", -1);
    assert_json_null(r, "report.means.1"); /* NaN */
    assert_json_null(r, "report.means.2"); /* infinite */
    assert_json_real(r, "cv.mae", 0.1);
    assert_json_real(r, "cv.mae_high", 0.2);
    assert_json_null(r, "cv.rps");
    assert_json_int(r, "cv.n", 7);
    assert_int_equal(json_object_size(at(r, "cv")), 17);
    assert_json_int(r, "rows", 12);
    assert_json_int(r, "labelled", 7);
    assert_json_true(r, "contains_training_rows");
    assert_json_true(r, "probabilities");
    json_decref(r);
}

/* a s = c_q on the rank map through (-1, 1), (0.25, 2), (2, 3). */
static void test_recalibrated_thresholds(void **state)
{
    json_t *r = described(*state, MODEL_RBF);
    assert_int_equal(json_array_size(at(r, "thresholds")), 2);
    assert_close(json_real_value(at(r, "thresholds.0")), -1 + 1.25 * (2.3 / 1.7 - 1), 1e-12);
    assert_close(json_real_value(at(r, "thresholds.1")), 0.25 + 1.75 * (4.4 / 1.7 - 2), 1e-12);
    json_decref(r);
    r = described(*state, MODEL_LAPLACIAN); /* its own, the first one infinite */
    assert_int_equal(json_integer_value(json_object_get(r, "kept_rows")), 7);
    assert_json_null(r, "thresholds.0");
    assert_json_real(r, "thresholds.1", 0.3);
    json_decref(r);
}

static void test_what_a_model_does_not_have(void **state)
{
    json_t *r = described(*state, MODEL_CONSTANT);
    assert_json_null(r, "thresholds");
    assert_json_null(r, "kernel");
    assert_json_null(r, "cv");
    assert_int_equal(json_object_size(at(r, "report")), 0);
    assert_json_false(r, "contains_training_rows");
    assert_json_true(r, "probabilities");
    json_decref(r);
    r = described(*state, MODEL_LINEAR);
    assert_json_real(r, "thresholds.0", -1);
    assert_json_false(r, "probabilities");
    json_decref(r);
    r = described(*state, MODEL_PRECOMPUTED);
    assert_json_text(r, "kernel.kind", "precomputed");
    assert_json_text(r, "preprocessing.scale", "none");
    assert_json_false(r, "contains_training_rows");
    json_decref(r);
    r = described(*state, MODEL_PAIR);
    assert_json_null(r, "thresholds");
    assert_json_true(r, "contains_training_rows");
    json_decref(r);
}

static void test_kernel_parameters(void **state)
{
    json_t *r = described(*state, MODEL_POLY);
    assert_json_int(r, "kernel.degree", 3);
    assert_json_real(r, "kernel.coef0", 1);
    assert_json_null(r, "thresholds");
    json_decref(r);
    r = described(*state, MODEL_ARD);
    assert_json_real(r, "kernel.precisions.2", 2);
    assert_null(json_object_get(at(r, "kernel"), "gamma"));
    json_decref(r);
}

static void test_several_outputs(void **state)
{
    json_t *r = described(*state, MODEL_MEANS);
    assert_json_text(r, "target", "classes");
    assert_json_text(r, "scorer", "kernel");
    assert_json_text(r, "decision", "nearest-mean");
    assert_json_int(r, "outputs", 2);
    assert_json_null(r, "thresholds");
    assert_int_equal(json_array_size(at(r, "means")), 3);
    assert_int_equal(json_array_size(at(r, "means.2")), 2);
    assert_json_real(r, "means.2.0", 1.5);
    assert_json_real(r, "means.2.1", -3);
    assert_json_false(r, "probabilities");
    json_decref(r);
    r = described(*state, MODEL_RBF);
    assert_json_text(r, "decision", "calibrated");
    assert_json_int(r, "outputs", 1);
    assert_json_null(r, "means");
    assert_json_null(r, "neighbours");
    assert_json_false(r, "contains_training_answers");
    json_decref(r);
}

static void test_neighbours(void **state)
{
    json_t *r = described(*state, MODEL_GAUSSIAN);
    assert_json_text(r, "scorer", "neighbours");
    assert_json_text(r, "decision", "argmax");
    assert_json_int(r, "outputs", 1);
    assert_json_null(r, "kernel");
    assert_json_int(r, "neighbours.count", 3);
    assert_json_text(r, "neighbours.weights", "gaussian");
    assert_json_real(r, "neighbours.width", 1.5);
    assert_json_true(r, "probabilities");
    assert_json_true(r, "contains_training_rows");
    assert_json_true(r, "contains_training_answers");
    json_decref(r);
    r = described(*state, MODEL_BINARY);
    assert_json_text(r, "decision", "median");
    assert_json_text(r, "neighbours.weights", "binary");
    assert_null(json_object_get(at(r, "neighbours"), "width"));
    json_decref(r);
}

static void test_no_classes(void **state)
{
    json_t *r = described(*state, MODEL_REAL);
    assert_json_text(r, "target", "real");
    assert_json_text(r, "decision", "none");
    assert_int_equal(json_array_size(at(r, "classes")), 0);
    assert_json_null(r, "thresholds");
    assert_json_false(r, "probabilities");
    assert_json_true(r, "contains_training_answers");
    json_decref(r);
    r = described(*state, MODEL_UNLABELLED);
    assert_json_null(r, "target");
    assert_json_null(r, "preprocessing.label");
    assert_json_int(r, "outputs", 2);
    json_decref(r);
}

static void test_text_that_json_cannot_hold(void **state)
{
    rung_ctx *ctx = *state;
    const char *bad[] = {"\x80",
                         "a\xc3",
                         "\xc0\xaf",
                         "\xe0\x9f\xbf",
                         "\xed\xa0\x80",
                         "\xf0\x8f\xbf\xbf",
                         "\xf4\x90\x80\x80",
                         "\xf5\x80\x80\x80",
                         "\xe2\x82"};
    const char *good[] = {"\x7f",         "\xc2\x80",         "\xe0\xa0\x80",    "\xed\x9f\xbf",
                          "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    rung_model *m = make_model(ctx, MODEL_LINEAR);
    char *text = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        m->params[0].value = bad[i];
        assert_fails(ctx, model_describe(ctx, m, &text), RUNG_EDATA, "is not valid UTF-8 text");
        assert_null(text);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        m->params[0].value = good[i];
        assert_ok(ctx, model_describe(ctx, m, &text));
        rung_free(text);
    }
    model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_kernel_model),
        WITH_CONTEXT(test_recalibrated_thresholds),
        WITH_CONTEXT(test_what_a_model_does_not_have),
        WITH_CONTEXT(test_kernel_parameters),
        WITH_CONTEXT(test_several_outputs),
        WITH_CONTEXT(test_neighbours),
        WITH_CONTEXT(test_no_classes),
        WITH_CONTEXT(test_text_that_json_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
