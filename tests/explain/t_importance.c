// SPDX-License-Identifier: BSD-3-Clause
/* Importance by permutation, on data whose effects are known. */
#include "explain/reports.h"

#include "base/rng.h"

enum { COLUMNS = 6, CLASSES = 4 };

/* y follows 2 x1 + x2; x3 is nearly x1; x4 and x5 are noise; x6 is constant but for one row. */
static rung_data *known_data(rung_ctx *ctx, int64_t n, uint64_t seed, bool real)
{
    double *X = calloc((size_t)(n * COLUMNS), sizeof *X), *target = calloc((size_t)n, sizeof *target);
    int *y = calloc((size_t)n, sizeof *y);
    rng r;
    rng_open(&r, seed, 1);
    for (int64_t i = 0; i < n; i++) {
        double *x = X + i * COLUMNS;
        for (int j = 0; j < COLUMNS; j++) x[j] = rng_normal(&r);
        x[2] = x[0] + 0.3 * x[2];
        x[5] = i == 0;
        target[i] = 2 * x[0] + x[1] + 0.5 * rng_normal(&r);
        y[i] = 1 + (target[i] > -1.5) + (target[i] > 0) + (target[i] > 1.5);
    }
    rung_view view = {.v = X, .n = n, .d = COLUMNS, .row = COLUMNS, .col = 1};
    rung_data *data;
    if (real)
        assert_ok(ctx, rung_data_new_real(ctx, &view, target, NULL, &data));
    else
        assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, CLASSES, &data));
    free(X);
    free(y);
    free(target);
    return data;
}

/* pom on columns that are independent: the order is that of the coefficients, noise has ranges around 0. */
static void test_order(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *train = known_data(ctx, 400, 1, false), *test = known_data(ctx, 600, 2, false);
    rung_model *model = fitted(ctx, "pom", NULL, train);
    rung_importance *found;
    assert_ok(ctx, rung_importance_run(ctx, model, test, NULL, &found));
    assert_false(rung_importance_about(found)->seen);
    assert_int_equal(rung_importance_about(found)->rows, 600);
    assert_string_equal(rung_importance_at(found, 0)->column[0], "x1");
    assert_string_equal(rung_importance_at(found, 1)->column[0], "x2");
    assert_int_equal(rung_importance_at(found, COLUMNS - 1)->n, 1);
    const rung_permuted *first = permuted(found, "x1"), *second = permuted(found, "x2"), *noise = permuted(found, "x4");
    assert_true(first->rise[0].low > second->rise[0].high);
    assert_true(second->rise[0].low > 0 && second->rise[1].low > 0);
    assert_true(noise->rise[0].low < 0.02 && noise->rise[0].high > -0.02);
    /* x1 and x3 are a group; alone x3 can nearly be told from x1, the noise from nothing. */
    const rung_permuted *group = rung_importance_at(found, COLUMNS);
    assert_int_equal(group->n, 2);
    assert_string_equal(group->column[0], "x1");
    assert_string_equal(group->column[1], "x3");
    assert_null(rung_importance_at(found, COLUMNS + 1));
    assert_null(rung_importance_at(found, -1));
    assert_int_equal(group->group, 1);
    assert_int_equal(first->group, 1);
    assert_int_equal(noise->group, 0);
    assert_true(permuted(found, "x3")->others > 0.85);
    assert_true(noise->others < 0.05);
    assert_true(group->rise[0].mean > 0.3);
    rung_importance_free(found);
    rung_model_free(model);
    rung_data_free(train);
    rung_data_free(test);
}

/* A tree that never splits on a column, and a constant column: exactly 0, and no range. */
static void test_ignored(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *train = known_data(ctx, 300, 3, false), *test = known_data(ctx, 200, 4, false);
    rung_model *model = fitted(ctx, "median", NULL, train);
    rung_importance *found;
    assert_ok(ctx, rung_importance_run(ctx, model, test, NULL, &found));
    const rung_permuted *one;
    assert_true(rung_importance_about(found)->error[0].mean > 0.5);
    for (int i = 0; (one = rung_importance_at(found, i)) && one->n == 1; i++) {
        char name[24];
        snprintf(name, sizeof name, "x%d", i + 1); /* equal ones in the order of the file */
        assert_string_equal(one->column[0], name);
        assert_true(one->rise[0].mean == 0 && one->rise[0].low == 0 && one->rise[0].high == 0);
        assert_true(one->rise[1].mean == 0);
    }
    rung_importance_free(found);
    rung_model_free(model);
    rung_data_free(train);
    rung_data_free(test);
}

/* The rise that a report shows is that of predicting permuted rows: recomputed for one repeat of one column. */
static void test_by_hand(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *train = known_data(ctx, 200, 5, false), *test = known_data(ctx, 150, 6, false);
    rung_model *model = fitted(ctx, "pom", NULL, train);
    rung_importance_options o = {.size = sizeof o, .repeats = 1};
    rung_importance *found;
    assert_ok(ctx, rung_importance_run(ctx, model, test, &o, &found));
    rung_view X = rung_data_view(test);
    double *moved = calloc((size_t)(X.n * X.d), sizeof *moved);
    int64_t *from = calloc((size_t)X.n, sizeof *from);
    int *rank = calloc((size_t)X.n, sizeof *rank);
    rng r;
    for (int64_t i = 0; i < X.n; i++) from[i] = i;
    rng_open(&r, 1, 0x696d7000);
    rng_shuffle(&r, from, X.n);
    rung_metrics before = {.size = sizeof before}, after = {.size = sizeof after};
    assert_ok(ctx, rung_model_predict(ctx, model, &X, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    assert_ok(ctx, rung_metrics_compute(ctx, X.n, CLASSES, rung_data_ranks(test), rank, NULL, &before));
    for (int64_t i = 0; i < X.n; i++)
        for (int64_t j = 0; j < X.d; j++) moved[i * X.d + j] = X.v[(j == 1 ? from[i] : i) * X.row + j * X.col];
    rung_view view = {.v = moved, .n = X.n, .d = X.d, .row = X.d, .col = 1};
    assert_ok(ctx,
              rung_model_predict(ctx, model, &view, NULL, &(rung_output){.size = sizeof(rung_output), .rank = rank}));
    assert_ok(ctx, rung_metrics_compute(ctx, X.n, CLASSES, rung_data_ranks(test), rank, NULL, &after));
    assert_close(permuted(found, "x2")->rise[0].mean, after.mae - before.mae, 1e-12);
    assert_close(rung_importance_about(found)->error[0].mean, before.mae, 1e-12);
    rung_importance_free(found);
    free(moved);
    free(from);
    free(rank);
    rung_model_free(model);
    rung_data_free(train);
    rung_data_free(test);
}

/* The same bits for any number of threads, another for another seed; rows that were trained on are noticed. */
static void test_same_bits(void **state)
{
    rung_ctx *ctx = *state;
    rung_data *train = known_data(ctx, 120, 7, false);
    rung_model *model = fitted(ctx, "kdlor", NULL, train);
    rung_importance *found[3];
    for (int i = 0; i < 3; i++) {
        rung_ctx_set_threads(ctx, i == 0 ? 1 : 3);
        rung_ctx_set_seed(ctx, i == 2 ? 2 : 1);
        assert_ok(ctx, rung_importance_run(ctx, model, train, NULL, &found[i]));
    }
    assert_true(same_importance(found[0], found[1]));
    assert_false(same_importance(found[0], found[2]));
    assert_true(rung_importance_about(found[0])->seen);
    for (int i = 0; i < 3; i++) rung_importance_free(found[i]);
    rung_model_free(model);
    rung_data_free(train);
}

/* Of a method: no row is predicted by a model that saw it, so noise that a flexible model learns by heart stays at 0.
 * */
static void test_held_out(void **state)
{
    rung_ctx *ctx = *state;
    for (int real = 0; real < 2; real++) {
        rung_data *data = known_data(ctx, 150, 8, real);
        rung_spec *spec;
        rung_importance *found, *again[2];
        assert_ok(ctx, rung_spec_new(ctx, real ? "krr" : "pom", 0, &spec));
        for (int i = 0; i < 2; i++) {
            rung_ctx_set_threads(ctx, 1 + i);
            assert_ok(ctx, rung_importance_held_out(ctx, spec, data, NULL, &again[i]));
        }
        found = again[0];
        assert_true(same_importance(found, again[1]));
        rung_importance_free(again[1]);
        assert_string_equal(rung_importance_about(found)->loss[1], real ? "mse" : "rps");
        assert_false(rung_importance_about(found)->seen);
        assert_int_equal(rung_importance_about(found)->folds, 5);
        assert_int_equal(rung_importance_about(found)->rows, 150);
        assert_true(permuted(found, "x1")->rise[0].low > 0.1);
        assert_true(permuted(found, "x4")->rise[0].low < 0.02);
        assert_true(permuted(found, "x1")->rise[1].low > 0);
        rung_importance_free(found);
        rung_spec_free(spec);
        rung_data_free(data);
    }
}

/* Labels that mean nothing, every row three times: a fit that has seen the others of a row must not predict it, or
 * noise would be important. Rows that were chosen to be labelled do not count. */
static void test_copies_and_chosen_rows(void **state)
{
    enum { ROWS = 90 };
    rung_ctx *ctx = *state;
    double X[3 * ROWS];
    int y[ROWS], chosen[ROWS] = {0};
    rng r;
    rng_open(&r, 3, 1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 3; j++) X[3 * i + j] = i % 3 ? X[3 * (i - 1) + j] : rng_normal(&r);
    for (int i = 0; i < ROWS; i++) y[i] = i % 3 ? y[i - 1] : 1 + (int)rng_below(&r, 4);
    for (int i = 0; i < 30; i++) chosen[i] = 1;
    rung_view view = {.v = X, .n = ROWS, .d = 3, .row = 3, .col = 1};
    for (int marked = 0; marked < 2; marked++) {
        rung_data *data;
        rung_spec *spec;
        rung_importance *found;
        assert_ok(ctx, rung_data_new(ctx, &view, y, NULL, 4, &data));
        if (marked) assert_ok(ctx, rung_data_set_chosen(ctx, data, chosen));
        assert_ok(ctx, rung_spec_new(ctx, "boost", 0, &spec));
        assert_ok(ctx, rung_importance_held_out(ctx, spec, data, NULL, &found));
        assert_int_equal(rung_importance_about(found)->rows, marked ? ROWS - 30 : ROWS);
        double error = rung_importance_about(found)->error[0].mean;
        if (error < 0.8) fail_msg("mae %g: the copies of a row are seen", error);
        rung_importance_free(found);
        rung_spec_free(spec);
        rung_data_free(data);
    }
}

/* The error with its range: rows with weights are as many copies of them, and rows of a group are not independent. */
static void test_weights_and_groups(void **state)
{
    enum { ROWS = 60 };
    rung_ctx *ctx = *state;
    rung_data *train = known_data(ctx, 200, 11, false), *test = known_data(ctx, ROWS, 12, false), *data;
    rung_model *model = fitted(ctx, "pom", NULL, train);
    double X[3 * ROWS * COLUMNS], weight[ROWS], low[3], high[3], mean[3];
    int y[3 * ROWS], group[3 * ROWS], n = 0;
    for (int i = 0; i < ROWS; i++) {
        weight[i] = i % 4; /* some rows count for nothing */
        for (int k = 0; k < i % 4; k++) {
            memcpy(X + n * COLUMNS, rung_data_view(test).v + i * COLUMNS, COLUMNS * sizeof *X);
            group[n] = i;
            y[n++] = rung_data_ranks(test)[i];
        }
    }
    for (int k = 0; k < 3; k++) { /* weights; copies that are known as such; copies that are not */
        rung_view view = rung_data_view(test), copies = {X, n, COLUMNS, COLUMNS, 1};
        rung_importance *found;
        assert_ok(ctx, rung_data_new(ctx, k ? &copies : &view, k ? y : rung_data_ranks(test), k ? NULL : weight,
                                     CLASSES, &data));
        if (k == 1) assert_ok(ctx, rung_data_set_groups(ctx, data, group));
        assert_ok(ctx, rung_importance_run(ctx, model, data, NULL, &found));
        mean[k] = rung_importance_about(found)->error[0].mean;
        low[k] = rung_importance_about(found)->error[0].low;
        high[k] = rung_importance_about(found)->error[0].high;
        rung_importance_free(found);
        rung_data_free(data);
    }
    assert_true(fabs(mean[0] - mean[1]) < 1e-12 && fabs(mean[1] - mean[2]) < 1e-12);
    assert_true(fabs(low[0] - low[1]) < 1e-12 && fabs(high[0] - high[1]) < 1e-12);
    assert_true(high[1] - low[1] > 1.3 * (high[2] - low[2]));
    rung_model_free(model);
    rung_data_free(train);
    rung_data_free(test);
}

static void test_rejected(void **state)
{
    rung_ctx *ctx = *state;
    static const int unknown[80];
    rung_data *train = known_data(ctx, 80, 9, false), *none;
    rung_model *model = fitted(ctx, "pom", NULL, train), *scores;
    rung_importance_options o = {.size = sizeof o, .repeats = -1};
    rung_view X = rung_data_view(train);
    rung_importance *found;
    assert_ok(ctx, rung_data_new(ctx, &X, unknown, NULL, CLASSES, &none));
    scores = fitted(ctx, "kpca", NULL, none);
    assert_fails(ctx, rung_importance_run(ctx, model, train, &o, &found), RUNG_EARG, "-1 repeats: expected 1 to 1000");
    assert_null(found);
    assert_fails(ctx, rung_importance_run(ctx, scores, train, NULL, &found), RUNG_EARG, "gives scores, not classes");
    assert_fails(ctx, rung_importance_run(ctx, model, none, NULL, &found), RUNG_EDATA, "no row is labelled");
    rung_model_free(model);
    rung_model_free(scores);
    rung_data_free(none);
    rung_data_free(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_order),
                                       WITH_CONTEXT(test_ignored),
                                       WITH_CONTEXT(test_by_hand),
                                       WITH_CONTEXT(test_same_bits),
                                       WITH_CONTEXT(test_held_out),
                                       WITH_CONTEXT(test_copies_and_chosen_rows),
                                       WITH_CONTEXT(test_weights_and_groups),
                                       WITH_CONTEXT(test_rejected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
