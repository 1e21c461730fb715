// SPDX-License-Identifier: BSD-3-Clause
/* Two sets of predictions on the same rows. */
#include "helper.h"

enum { N = 40, CLASSES = 4 };

/* 12 rows where one alone is right: 10 times a, twice b; 20 where both are; the last row has no label. */
static void make(int *truth, int *a, int *b)
{
    for (int i = 0; i < N; i++) {
        truth[i] = a[i] = b[i] = 1 + i % CLASSES;
        int wrong = truth[i] == CLASSES ? CLASSES - 1 : truth[i] + 1;
        if (i < 10) b[i] = wrong;
        if (i >= 10 && i < 12) a[i] = wrong;
        if (i >= 32) a[i] = b[i] = wrong;
    }
    truth[N - 1] = 0;
    b[N - 1] = 0;
}

static void test_compare(void **state)
{
    rung_ctx *ctx = *state;
    int truth[N], a[N], b[N];
    rung_difference d = {.size = sizeof d}, again = {.size = sizeof again};
    make(truth, a, b);
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, NULL, a, b, &d));
    assert_int_equal(d.n, N - 1);
    assert_int_equal(d.only_a, 10);
    assert_int_equal(d.only_b, 2);
    assert_close(d.difference, 8.0 / (N - 1), 1e-14);
    assert_close(d.mcnemar, 2 * (1 + 12 + 66) / 4096.0, 1e-12); /* both tails of a fair coin, 12 throws */
    /* all differences are 1, so that the signs alone count: the same coin */
    assert_close(d.wilcoxon, d.mcnemar, 1e-12);
    assert_close(d.mae_p, d.mcnemar, 1e-12);
    assert_true(d.low > 0 && d.low < d.difference && d.high > d.difference && d.high < 0.4);
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, NULL, a, b, &again));
    assert_true(again.low == d.low && again.high == d.high);
    rung_ctx_set_seed(ctx, 2);
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, NULL, b, a, &again));
    assert_close(again.difference, -d.difference, 1e-14);
    assert_true(again.only_b == d.only_a && again.high < 0);
}

/* Errors of one that are rare but large: the mean differs, the number of right answers the other way. */
static void test_mean(void **state)
{
    enum { ROWS = 12 };
    rung_ctx *ctx = *state;
    int truth[ROWS], a[ROWS], b[ROWS];
    rung_difference d = {.size = sizeof d};
    for (int i = 0; i < ROWS; i++) truth[i] = a[i] = b[i] = 1;
    for (int i = 0; i < 3; i++) b[i] = 4; /* three times 3 */
    for (int i = 3; i < 7; i++) a[i] = 2; /* four times 1 */
    assert_ok(ctx, rung_compare(ctx, ROWS, CLASSES, truth, NULL, a, b, &d));
    double reached = 0;
    for (int signs = 0; signs < 128; signs++) { /* every pattern of the seven signs */
        int sum = 0;
        for (int i = 0; i < 7; i++) sum += (signs >> i & 1 ? 1 : -1) * (i < 3 ? 3 : 1);
        reached += abs(sum) >= 5;
    }
    assert_close(d.difference, 5.0 / ROWS, 1e-14);
    assert_close(d.mae_p, reached / 128, 1e-14);
    /* many rows: the normal approximation, near the coin of McNemar where all differences are 1 */
    enum { LARGE = 6000 };
    int *many = calloc(3 * LARGE, sizeof *many), *c = many + LARGE, *e = c + LARGE;
    for (int i = 0; i < LARGE; i++) {
        many[i] = c[i] = e[i] = 1;
        if (i < 3000) *(i % 100 < 52 ? &c[i] : &e[i]) = 2;
    }
    assert_ok(ctx, rung_compare(ctx, LARGE, CLASSES, many, NULL, c, e, &d));
    assert_close(d.mae_p, d.mcnemar, 0.002);
    free(many);
}

static void test_equal(void **state)
{
    rung_ctx *ctx = *state;
    int truth[N], a[N], b[N];
    rung_difference d = {.size = sizeof d};
    make(truth, a, b);
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, NULL, a, a, &d));
    assert_true(d.difference == 0 && d.low == 0 && d.high == 0 && d.wilcoxon == 1 && d.mcnemar == 1 && d.mae_p == 1);
}

/* A label that is an interval is right for every rank in it. */
static void test_intervals(void **state)
{
    rung_ctx *ctx = *state;
    int truth[N], upper[N], a[N], b[N];
    rung_difference d = {.size = sizeof d};
    make(truth, a, b);
    for (int i = 0; i < N; i++) {
        upper[i] = truth[i] ? CLASSES : 0;
        if (truth[i]) truth[i] = 1;
    }
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, upper, a, b, &d));
    assert_true(d.n == N - 1 && d.difference == 0 && d.only_a == 0 && d.only_b == 0);
}

static void test_holm(void **state)
{
    double p[] = {0.04, 0.01, 0.03};
    assert_ok(*state, rung_holm(*state, 3, p));
    assert_close(p[0], 0.06, 1e-15);
    assert_close(p[1], 0.03, 1e-15);
    assert_close(p[2], 0.06, 1e-15);
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    int truth[N], a[N], b[N];
    rung_difference d = {.size = sizeof d};
    make(truth, a, b);
    b[3] = CLASSES + 1;
    assert_int_equal(rung_compare(ctx, N, CLASSES, truth, NULL, a, b, &d), RUNG_EARG);
    assert_non_null(strstr(rung_ctx_message(ctx), "row 4 has the rank 5"));
    make(truth, a, b);
    int upper[N];
    memcpy(upper, truth, sizeof upper);
    assert_ok(ctx, rung_compare(ctx, N, CLASSES, truth, upper, a, b, &d));
    upper[2] = CLASSES + 1;
    assert_int_equal(rung_compare(ctx, N, CLASSES, truth, upper, a, b, &d), RUNG_EARG);
    upper[2] = truth[2] - 1;
    assert_int_equal(rung_compare(ctx, N, CLASSES, truth, upper, a, b, &d), RUNG_EARG);
    for (int i = 0; i < N; i++) truth[i] = 0;
    assert_int_equal(rung_compare(ctx, N, CLASSES, truth, NULL, a, b, &d), RUNG_EDATA);
    assert_int_equal(rung_compare(ctx, N, CLASSES, truth, NULL, a, b, &(rung_difference){0}), RUNG_EARG);
}

/* Numbers that have no order would be sorted into any. */
static void test_no_numbers(void **state)
{
    rung_ctx *ctx = *state;
    double x[] = {1, 2, 3}, y[] = {2, NAN, 1}, p[] = {0.5, NAN}, large[] = {0.5, 1.5};
    rung_wilcoxon_test t = {.size = sizeof t};
    assert_int_equal(rung_wilcoxon(ctx, 3, x, y, &t), RUNG_EARG);
    assert_non_null(strstr(rung_ctx_message(ctx), "pair 2"));
    y[1] = INFINITY;
    assert_int_equal(rung_wilcoxon(ctx, 3, y, x, &t), RUNG_EARG);
    assert_int_equal(rung_holm(ctx, 2, p), RUNG_EARG);
    assert_int_equal(rung_holm(ctx, 2, large), RUNG_EARG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_compare),   WITH_CONTEXT(test_mean), WITH_CONTEXT(test_equal),
                                       WITH_CONTEXT(test_intervals), WITH_CONTEXT(test_holm), WITH_CONTEXT(test_errors),
                                       WITH_CONTEXT(test_no_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
