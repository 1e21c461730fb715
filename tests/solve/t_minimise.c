// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "solve/minimise.h"

typedef struct {
    int calls, fail_at; /* 0: never */
} record;

/* Rosenbrock's valley; its minimum is 0 at (1, 1). */
static rung_status valley(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    record *r = user;
    assert_int_equal(n, 2);
    if (++r->calls == r->fail_at) return (fail)(ctx, RUNG_EINTERRUPT, "stopped here");
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    *value = a * a + 100 * b * b;
    gradient[0] = -2 * a - 400 * x[0] * b;
    gradient[1] = 200 * b;
    return RUNG_OK;
}

/* x - log x, which has no value left of 0: the search must come back from there. */
static rung_status half_line(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    (void)ctx, (void)user, (void)n;
    *value = x[0] > 0 ? x[0] - log(x[0]) : INFINITY;
    gradient[0] = x[0] > 0 ? 1 - 1 / x[0] : NAN;
    return RUNG_OK;
}

static const minimise_options usual = {.most = 200, .tolerance = 1e-10};

static void finds_the_minimum(void **state)
{
    record r = {0};
    double x[] = {-1.2, 1}, value;
    int iterations;
    assert_ok(*state, minimise(*state, valley, &r, &usual, 2, x, &value, &iterations));
    assert_close(x[0], 1, 1e-8);
    assert_close(x[1], 1, 1e-8);
    assert_true(value < 1e-16 && iterations > 5 && iterations <= r.calls);
}

static void few_iterations_give_the_best_point_met(void **state)
{
    record r = {0};
    const minimise_options short_of = {.most = 3, .tolerance = 1e-10};
    double x[] = {-1.2, 1}, value, gradient[2], again = NAN;
    int iterations;
    assert_ok(*state, minimise(*state, valley, &r, &short_of, 2, x, &value, &iterations));
    assert_int_equal(iterations, 3);
    assert_ok(*state, valley(*state, &r, 2, x, &again, gradient));
    assert_true(value == again && value < 24.2); /* lower than where it began */
}

static void points_without_a_value_are_left_again(void **state)
{
    double x[] = {8}, value;
    int iterations;
    assert_ok(*state, minimise(*state, half_line, NULL, &usual, 1, x, &value, &iterations));
    assert_close(x[0], 1, 1e-8);
    x[0] = -1;
    assert_fails(*state, minimise(*state, half_line, NULL, &usual, 1, x, &value, &iterations), RUNG_ENOCONV,
                 "no finite value at the start");
}

/* At the minimum already: no step, no complaint. */
static void nothing_to_do(void **state)
{
    record r = {0};
    double x[] = {1, 1}, value;
    int iterations;
    assert_ok(*state, minimise(*state, valley, &r, &usual, 2, x, &value, &iterations));
    assert_true(x[0] == 1 && x[1] == 1 && value == 0 && iterations == 0);
}

static void a_failure_is_passed_on(void **state)
{
    for (int k = 1; k < 12; k += 5) {
        record r = {.fail_at = k};
        double x[] = {-1.2, 1}, value;
        int iterations;
        assert_fails(*state, minimise(*state, valley, &r, &usual, 2, x, &value, &iterations), RUNG_EINTERRUPT,
                     "stopped here");
        assert_int_equal(r.calls, k); /* and nothing is asked again */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(finds_the_minimum),
        WITH_CONTEXT(few_iterations_give_the_best_point_met),
        WITH_CONTEXT(points_without_a_value_are_left_again),
        WITH_CONTEXT(nothing_to_do),
        WITH_CONTEXT(a_failure_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
