// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "method/mixture/stack.h"
#include "solve/cumulative.h"

enum { ROWS = 14, K = 4, J = K - 1, MODELS = 5, FAMILIES = 3, SIZE = ROWS * J };

typedef struct {
    int y[ROWS];
    double P[MODELS][SIZE], constant[SIZE], penalty[MODELS], w[MODELS], mean[2][SIZE];
    double *of[MODELS];
    row_groups together;
    stack_rows rows;
    stack_part parts[FAMILIES];
} stack;

/* Two families of models that know more or less of the rank, one of which failed, and one without models. */
static void make(rung_ctx *ctx, stack *s)
{
    rng r;
    rng_open(&r, 5, 1);
    for (int i = 0; i < ROWS; i++) s->y[i] = i == 0 ? K : 1 + i % (K - 1); /* the last class has one row */
    assert_ok(ctx, row_groups_new(ctx, &ctx->scratch, ROWS, NULL, &s->together));
    assert_ok(ctx, stack_rows_new(ctx, &ctx->scratch, K, s->y, NULL, NULL, &s->together, &s->rows));
    for (int m = 0; m <= MODELS; m++)
        for (int i = 0; i < ROWS; i++) {
            double *P = m < MODELS ? s->P[m] : s->constant;
            for (int q = 0; q < J; q++) P[i * J + q] = (s->y[i] > q + 1) + (0.2 + 0.15 * m) * (rng_uniform(&r) - 0.3);
            cumulative_repair(K, P + i * J);
        }
    for (int m = 0; m < MODELS; m++) {
        s->of[m] = m == 3 ? NULL : s->P[m];
        s->penalty[m] = 0.05 * m;
    }
    stack_family(&s->rows, 8, 2, s->of, s->penalty, s->w, s->mean[0]);
    stack_family(&s->rows, 1, 3, s->of + 2, s->penalty + 2, s->w + 2, s->mean[1]);
    s->parts[0] = (stack_part){.n = 2, .P = s->of, .strength = 8, .w = s->w, .mean = s->mean[0], .prior = 1};
    s->parts[1] = (stack_part){.n = 3, .P = s->of + 2, .strength = 1, .w = s->w + 2, .mean = s->mean[1], .prior = 3};
    s->parts[2] = (stack_part){.mean = s->constant, .prior = 0.5};
}

/* Weights are positive, sum to one, and the best model of a family has the largest. */
static void test_weights(void **state)
{
    rung_ctx *ctx = *state;
    stack s = {0};
    double w[FAMILIES], P[SIZE];
    make(ctx, &s);
    assert_close(s.w[0] + s.w[1], 1, 1e-14);
    assert_close(s.w[2] + s.w[4], 1, 1e-14);
    assert_true(s.w[3] == 0 && s.w[0] > s.w[1] && s.w[2] > s.w[4]);
    double ratio = 8 * (stack_error(&s.rows, s.P[1]) - stack_error(&s.rows, s.P[0])) + 8 * 0.05;
    assert_close(log(s.w[0] / s.w[1]), ratio, 1e-10);
    assert_ok(ctx, stack_families(ctx, &s.rows, FAMILIES, s.parts, w, P));
    assert_close(w[0] + w[1] + w[2], 1, 1e-12);
    for (int i = 0; i < SIZE; i++)
        assert_close(P[i], w[0] * s.mean[0][i] + w[1] * s.mean[1][i] + w[2] * s.constant[i], 1e-14);
}

/* A family of which no model could be fitted says nothing. */
static void test_nothing_fitted(void **state)
{
    rung_ctx *ctx = *state;
    stack s = {0};
    double *none[2] = {NULL, NULL}, w[2] = {7, 7}, mean[SIZE];
    make(ctx, &s);
    stack_family(&s.rows, 8, 2, none, s.penalty, w, mean);
    assert_true(w[0] == 0 && w[1] == 0);
    for (int i = 0; i < SIZE; i++) assert_true(mean[i] == 0);
}

/* A row of weight 0 takes no part in any choice: with these choices it must be answered the same. */
static void test_left_out(void **state)
{
    rung_ctx *ctx = *state;
    stack s = {0};
    double P[SIZE], together[SIZE], w[FAMILIES], within[3], mean[SIZE], expected[J], t;
    make(ctx, &s);
    assert_ok(ctx, stack_left_out(ctx, &s.rows, FAMILIES, s.parts, P));
    for (int i = 0; i < ROWS; i++) {
        double own = s.rows.weight[i];
        assert_ok(ctx, stack_families(ctx, &s.rows, FAMILIES, s.parts, w, together));
        s.rows.weight[i] = 0;
        assert_ok(ctx, stack_sharpen(ctx, &s.rows, together, &t));
        assert_ok(ctx, stack_families(ctx, &s.rows, FAMILIES, s.parts, w, together));
        for (int q = 0; q < J; q++) expected[q] = w[2] * s.constant[i * J + q];
        stack_family(&s.rows, 8, 2, s.of, s.penalty, within, mean);
        for (int q = 0; q < J; q++) expected[q] += w[0] * mean[i * J + q];
        stack_family(&s.rows, 1, 3, s.of + 2, s.penalty + 2, within, mean);
        for (int q = 0; q < J; q++) expected[q] += w[1] * mean[i * J + q];
        cumulative_sharpen(K, t, expected);
        assert_arrays_close(J, P + i * J, expected, 1e-10);
        s.rows.weight[i] = own;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_weights), WITH_CONTEXT(test_nothing_fitted),
                                       WITH_CONTEXT(test_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
