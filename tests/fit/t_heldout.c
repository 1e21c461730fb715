// SPDX-License-Identifier: BSD-3-Clause
/* The error of a fit and that of always predicting the median stand on the same rows: those held out, drawn at random
 * and labelled by one class, with the same weights and groups. */
#include "helper.h"

#include <math.h>

#include "base/rng.h"
#include "rung/rung.h"

enum { N = 120, D = 2, K = 4, MEDIAN = 2 };

typedef struct {
    double X[N * D], weight[N];
    int y[N], group[N], chosen[N];
} table;

/* Class 4 has a single row, which no fold holds out: one more fit does, for the error alone. */
static void draw(table *t)
{
    rng r;
    rng_open(&r, 3, 0);
    for (int i = 0; i < N; i++) {
        t->y[i] = i == 0 ? K : 1 + (int)rng_below(&r, 3);
        for (int j = 0; j < D; j++) t->X[i * D + j] = t->y[i] + 2 * rng_normal(&r);
        t->weight[i] = 1 + (double)rng_below(&r, 3);
        t->group[i] = i / 8;
        t->chosen[i] = i % 4 == 3;
    }
}

typedef struct {
    rung_metrics cv, median;
    int rank;
} both;

static both fit(rung_ctx *ctx, const table *t, const char *method, bool weights, bool groups, bool chosen)
{
    rung_view X = {.v = t->X, .n = N, .d = D, .row = D, .col = 1};
    both out = {.cv.size = sizeof out.cv, .median.size = sizeof out.median};
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    assert_ok(ctx, rung_data_new(ctx, &X, t->y, weights ? t->weight : NULL, K, &data));
    if (groups) assert_ok(ctx, rung_data_set_groups(ctx, data, t->group));
    if (chosen) assert_ok(ctx, rung_data_set_chosen(ctx, data, t->chosen));
    assert_ok(ctx, rung_spec_new(ctx, method, 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_true(rung_model_cv(model, &out.cv));
    out.rank = rung_model_cv_median(model, &out.median);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    return out;
}

/* The mean over the rows that count; rows: how many these are. */
static double of_median(const table *t, bool weights, bool chosen, int64_t *rows)
{
    double sum = 0, total = 0;
    *rows = 0;
    for (int i = 0; i < N; i++) { /* the only row of its class, too, is held out */
        double w = weights ? t->weight[i] : 1;
        if (chosen && t->chosen[i]) continue;
        sum += w * abs(t->y[i] - MEDIAN);
        total += w;
        ++*rows;
    }
    return sum / total;
}

static void the_same_rows(void **state)
{
    rung_ctx *ctx = *state;
    table t;
    draw(&t);
    for (int weights = 0; weights < 2; weights++)
        for (int chosen = 0; chosen < 2; chosen++) {
            both b = fit(ctx, &t, "pom", weights, false, chosen);
            int64_t rows;
            double expected = of_median(&t, weights, chosen, &rows);
            assert_int_equal(b.rank, MEDIAN);
            assert_int_equal(b.cv.n, rows);
            assert_int_equal(b.median.n, rows);
            if (!(fabs(b.median.mae - expected) < 1e-12)) fail_msg("%g instead of %g", b.median.mae, expected);
        }
}

/* All rows of a group have one error of the constant, so that its range is that of fifteen numbers. */
static void the_same_groups(void **state)
{
    rung_ctx *ctx = *state;
    table t;
    draw(&t);
    for (int i = 1; i < N; i++) t.y[i] = 1 + i / 8 % 3;
    both apart = fit(ctx, &t, "pom", false, false, false), grouped = fit(ctx, &t, "pom", false, true, false);
    double narrow = apart.median.mae_high - apart.median.mae_low,
           wide = grouped.median.mae_high - grouped.median.mae_low;
    if (!(wide > 2 * narrow)) fail_msg("range %g of groups, %g of rows", wide, narrow);
}

/* Of many rows a hundredth are held out; what they are of is said by both. */
static void many_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { MANY = 60000 };
    double *x = malloc(sizeof *x * MANY);
    int *y = malloc(sizeof *y * MANY);
    assert_true(x && y);
    rung_view X = {.v = x, .n = MANY, .d = 1, .row = 1, .col = 1};
    rung_metrics cv = {.size = sizeof cv}, median = cv;
    rung_data *data;
    rung_spec *spec;
    rung_model *model;
    rng r;
    rng_open(&r, 4, 0);
    for (int i = 0; i < MANY; i++) {
        x[i] = rng_normal(&r);
        double f = x[i] + rng_normal(&r);
        y[i] = 1 + (f > -0.5) + (f > 0.5);
    }
    assert_ok(ctx, rung_data_new(ctx, &X, y, NULL, 3, &data));
    assert_ok(ctx, rung_spec_new(ctx, "pom", 0, &spec));
    assert_ok(ctx, rung_model_fit(ctx, spec, data, &model));
    assert_true(rung_model_cv(model, &cv) && cv.n == MANY / 100);
    assert_true(rung_model_cv_median(model, &median) == 2 && median.n == cv.n);
    rung_model_free(model);
    rung_spec_free(spec);
    rung_data_free(data);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(the_same_rows), WITH_CONTEXT(the_same_groups),
                                       WITH_CONTEXT(many_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
