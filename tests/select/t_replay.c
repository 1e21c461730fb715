// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "data/dataset.h"
#include "select/curve.h"

static const char *const both[] = {"random", "suggest", NULL}, *const pom[] = {"pom", NULL};

static rung_data *toy_data(rung_ctx *ctx, int64_t rows, double unlabelled)
{
    rung_data *data;
    assert_ok(ctx, rung_data_generate(ctx, "toy", rows, -1, unlabelled, &data));
    return data;
}

/* Two labels of each of five classes, then batches; both strategies start with the same labels, and differ later. */
static void test_lines_and_sizes(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 150, 0);
    rung_curve_options o = {.size = sizeof o, .methods = pom, .strategies = both, .repeats = 3};
    rung_curve *c;
    assert_ok(ctx, rung_curve_run(ctx, &o, data, &c));
    int64_t labels, last = 0, most = 150 - rung_curve_test_rows(c);
    int n = 0;
    for (; rung_curve_size(c, n, &labels); n++) {
        assert_int_equal(labels, n == 0 ? 10 : last + 12 < most ? last + 12 : most);
        last = labels;
    }
    assert_int_equal(last, most);
    const rung_curve_line *random = rung_curve_at(c, 0), *suggest = rung_curve_at(c, 1);
    assert_null(rung_curve_at(c, 2));
    assert_string_equal(random->strategy, "random");
    assert_string_equal(suggest->strategy, "suggest");
    bool differ = false;
    for (int i = 0; i < n * 3; i++) {
        assert_true(isfinite(random->values[i]) && isfinite(suggest->values[i]));
        bool same = random->values[i] == suggest->values[i];
        if (i < 3) assert_true(same);
        if (i >= (n - 1) * 3) assert_true(same); /* all labels, whoever chose them first */
        differ = differ || !same;
    }
    assert_true(differ);
    rung_curve_free(c);
    rung_data_free(data);
}

/* The same values for one and two threads, also with rows that are never labelled and rows that are equal. */
static void test_same_bits(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 160, 0.3);
    const int sizes[] = {16, 30};
    for (int64_t i = 0; i < data->n * data->d; i++) data->X[i] = round(20 * data->X[i]);
    rung_curve_options o = {
        .size = sizeof o, .methods = pom, .strategies = both, .repeats = 3, .sizes = sizes, .n_sizes = 2};
    rung_curve *c[2];
    for (int t = 0; t < 2; t++) {
        rung_ctx_set_threads(ctx, t + 1);
        assert_ok(ctx, rung_curve_run(ctx, &o, data, &c[t]));
    }
    int64_t labels;
    rung_curve_size(c[0], 2, &labels);
    assert_int_equal(labels, 30);
    for (int l = 0; l < 2; l++)
        assert_memory_equal(rung_curve_at(c[0], l)->values, rung_curve_at(c[1], l)->values, 9 * sizeof(double));
    for (int t = 0; t < 2; t++) rung_curve_free(c[t]);
    rung_data_free(data);
}

static void test_arguments(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *data = toy_data(ctx, 100, 0);
    rung_curve *c;
    const char *const unknown[] = {"random", "clever", NULL}, *const none[] = {NULL};
    const int small[] = {10}, large[] = {40, 90};
    rung_curve_options o = {.size = sizeof o, .methods = pom, .strategies = unknown};
    assert_fails(ctx, rung_curve_run(ctx, &o, data, &c), RUNG_EARG, "unknown strategy 'clever'");
    o.strategies = none;
    assert_fails(ctx, rung_curve_run(ctx, &o, data, &c), RUNG_EARG, "no strategy");
    o.strategies = both;
    o.sizes = small;
    o.n_sizes = 1;
    assert_fails(ctx, rung_curve_run(ctx, &o, data, &c), RUNG_EARG, "above 10");
    o.sizes = large;
    o.n_sizes = 2;
    assert_fails(ctx, rung_curve_run(ctx, &o, data, &c), RUNG_EARG, "90 labels");
    rung_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_lines_and_sizes),
        WITH_CONTEXT(test_same_bits),
        WITH_CONTEXT(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
