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
    if (++r->calls == r->fail_at) return set_error(ctx, RUNG_EINTERRUPT, "stopped here");
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

/* A narrow bowl on a large constant, as an evidence is a sum over many rows: values are known to 1e-10, so that
 * comparing them places the minimum to 1e-5 at best. user: the curvatures. */
static rung_status deep_bowl(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    (void)ctx;
    const double *curvature = user;
    *value = -1e6;
    for (int i = 0; i < n; i++) {
        double off = x[i] - 0.1 * i, bend = 1 + 0.3 * sin(off); /* not quite a parabola */
        *value += 0.5 * curvature[i] * off * off * bend;
        gradient[i] = curvature[i] * off * (bend + 0.15 * off * cos(off));
    }
    return RUNG_OK;
}

/* A gradient of the wrong sign: no step leads down. */
static rung_status misled(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    (void)ctx, (void)user, (void)n;
    *value = x[0];
    gradient[0] = -1;
    return RUNG_OK;
}

/* The curvatures of deep_bowl. */
static rung_status by_curvature(rung_ctx *ctx, void *user, int n, double *v)
{
    (void)ctx;
    const double *curvature = user;
    for (int i = 0; i < n; i++) v[i] /= curvature[i];
    return RUNG_OK;
}

static rung_status no_scale(rung_ctx *ctx, void *user, int n, double *v)
{
    (void)user, (void)n, (void)v;
    return set_error(ctx, RUNG_ESINGULAR, "no scale");
}

/* A bowl whose gradient is known to 1e-4 only. */
static rung_status rough(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient)
{
    (void)ctx;
    int *calls = user;
    *value = -1e6;
    ++*calls;
    for (int i = 0; i < n; i++) {
        *value += 0.5 * x[i] * x[i];
        gradient[i] = x[i] + 1e-4 * sin(1000.0 * *calls + i);
    }
    return RUNG_OK;
}

/* A bowl in front of which a wall stands for as many points as a line search looks at. */
static rung_status walled(rung_ctx *ctx, void *calls_, int n, const double *x, double *value, double *gradient)
{
    (void)ctx;
    int *calls = calls_, call = ++*calls;
    *value = call > 5 && call <= 30 ? 1e6 : 0;
    for (int i = 0; i < n; i++) {
        *value += 0.5 * (i + 1) * x[i] * x[i];
        gradient[i] = (i + 1) * x[i];
    }
    return RUNG_OK;
}

/* Below 0 there are values, but no slopes. */
static rung_status without_slope(rung_ctx *ctx, void *unused, int n, const double *x, double *value, double *gradient)
{
    (void)ctx, (void)unused, (void)n;
    *value = (x[0] - 1) * (x[0] - 1);
    gradient[0] = x[0] < 0 ? NAN : 2 * (x[0] - 1);
    return RUNG_OK;
}

static rung_status upwards(rung_ctx *ctx, void *unused, int n, double *v)
{
    (void)ctx, (void)unused;
    for (int i = 0; i < n; i++) v[i] = -v[i];
    return RUNG_OK;
}

static const minimise_options usual = {.most = 200, .tolerance = 1e-10};

static void finds_the_minimum(void **state)
{
    record r = {0};
    double x[] = {-1.2, 1};
    minimise_result got;
    assert_ok(*state, minimise(*state, valley, &r, &usual, 2, x, &got));
    assert_close(x[0], 1, 1e-8);
    assert_close(x[1], 1, 1e-8);
    assert_int_equal(got.end, MINIMISE_FOUND);
    assert_true(got.value < 1e-16 && got.slope <= usual.tolerance);
    assert_true(got.iterations > 5 && got.iterations < r.calls);
}

/* To the precision of the gradient, not to the root of that of the values. */
static void values_that_are_the_same_do_not_stop_it(void **state)
{
    double curvature[] = {1, 30, 1000, 0.05, 7}, x[] = {3, -2, 1, 2, -1};
    const minimise_options options = {.most = 200, .tolerance = 1e-15}; /* 1e-9 of 1e6 */
    minimise_result got;
    assert_ok(*state, minimise(*state, deep_bowl, curvature, &options, 5, x, &got));
    assert_int_equal(got.end, MINIMISE_FOUND);
    for (int i = 0; i < 5; i++) assert_true(fabs(x[i] - 0.1 * i) < 1e-7);
}

/* What is known of the Hessian saves steps, and the minimum is the same. */
static void a_scale_saves_steps(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 60 };
    double curvature[N], x[N] = {0}, z[N] = {0};
    minimise_result plain, scaled;
    minimise_options options = {.most = 1000, .tolerance = 1e-12, .scale = by_curvature};
    for (int i = 0; i < N; i++) curvature[i] = pow(10, 5.0 * i / N);
    assert_ok(ctx,
              minimise(ctx, deep_bowl, curvature, &(minimise_options){.most = 1000, .tolerance = 1e-12}, N, x, &plain));
    assert_ok(ctx, minimise(ctx, deep_bowl, curvature, &options, N, z, &scaled));
    assert_int_equal(scaled.end, MINIMISE_FOUND);
    assert_true(3 * scaled.iterations < plain.iterations);
    for (int i = 0; i < N; i++) assert_close(z[i], 0.1 * i, 1e-6);
    options.scale = no_scale;
    assert_fails(ctx, minimise(ctx, deep_bowl, curvature, &options, N, z, &scaled), RUNG_ESINGULAR, "no scale");
}

/* The search ends where steps are noise, at the flattest point it has seen. */
static void noise_ends_it(void **state)
{
    rung_ctx *ctx = *state;
    double x[5] = {3, 1, 4, 1, 5};
    int calls = 0;
    minimise_result found;
    minimise_options options = {.most = 100000, .tolerance = 1e-15, .enough = 1e-3};
    assert_ok(ctx, minimise(ctx, rough, &calls, &options, 5, x, &found));
    assert_int_equal(found.end, MINIMISE_STUCK);
    assert_true(found.slope < 2e-4 && calls < 2000);
    for (int i = 0; i < 5; i++) assert_true(fabs(x[i]) < 1e-2);
}

static void few_iterations_give_the_point_reached(void **state)
{
    record r = {0};
    const minimise_options short_of = {.most = 3, .tolerance = 1e-10};
    double x[] = {-1.2, 1}, gradient[2] = {0}, again = NAN;
    minimise_result got;
    assert_ok(*state, minimise(*state, valley, &r, &short_of, 2, x, &got));
    assert_int_equal(got.iterations, 3);
    assert_int_equal(got.end, MINIMISE_CUT);
    assert_ok(*state, valley(*state, &r, 2, x, &again, gradient));
    assert_true(got.value == again && got.value < 24.2); /* lower than where it began */
    assert_true(got.slope == fmax(fabs(gradient[0]), fabs(gradient[1])));
}

static void no_way_down_is_told(void **state)
{
    double x[] = {2};
    minimise_result got;
    assert_ok(*state, minimise(*state, misled, NULL, &usual, 1, x, &got));
    assert_int_equal(got.end, MINIMISE_STUCK);
    assert_true(x[0] == 2 && got.value == 2 && got.slope == 1 && got.iterations == 0);
}

/* What was learned may mislead: it is forgotten, and the search goes on from the gradient. */
static void what_misleads_is_forgotten(void **state)
{
    double x[] = {3, -2, 1};
    int calls = 0;
    minimise_result got;
    assert_ok(*state, minimise(*state, walled, &calls, &usual, 3, x, &got));
    assert_int_equal(got.end, MINIMISE_FOUND);
    assert_true(calls > 30);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i]) < 1e-8);
    /* A scale that leads upwards from the start. */
    const minimise_options options = {.most = 200, .tolerance = 1e-10, .scale = upwards};
    double z[] = {3, -2, 1};
    calls = 100;
    assert_ok(*state, minimise(*state, walled, &calls, &options, 3, z, &got));
    assert_int_equal(got.end, MINIMISE_STUCK);
    assert_true(got.iterations == 0 && calls == 101 && z[0] == 3);
}

static void points_without_a_value_are_left_again(void **state)
{
    double x[] = {8};
    minimise_result got;
    assert_ok(*state, minimise(*state, half_line, NULL, &usual, 1, x, &got));
    assert_close(x[0], 1, 1e-8);
    x[0] = -1;
    assert_fails(*state, minimise(*state, half_line, NULL, &usual, 1, x, &got), RUNG_ENOCONV, "no value at the start");
    x[0] = 30; /* a first step of 1, then longer ones: over the end, and back */
    assert_ok(*state, minimise(*state, without_slope, NULL, &usual, 1, x, &got));
    assert_close(x[0], 1, 1e-8);
    x[0] = -1;
    assert_fails(*state, minimise(*state, without_slope, NULL, &usual, 1, x, &got), RUNG_ENOCONV,
                 "no value at the start");
}

/* At the minimum already: no step, no complaint. */
static void nothing_to_do(void **state)
{
    record r = {0};
    double x[] = {1, 1};
    minimise_result got;
    assert_ok(*state, minimise(*state, valley, &r, &usual, 2, x, &got));
    assert_int_equal(got.end, MINIMISE_FOUND);
    assert_true(x[0] == 1 && x[1] == 1 && got.value == 0 && got.iterations == 0 && r.calls == 1);
}

static void a_failure_is_passed_on(void **state)
{
    for (int k = 1; k < 12; k += 5) {
        record r = {.fail_at = k};
        double x[] = {-1.2, 1};
        minimise_result got;
        assert_fails(*state, minimise(*state, valley, &r, &usual, 2, x, &got), RUNG_EINTERRUPT, "stopped here");
        assert_int_equal(r.calls, k); /* and nothing is asked again */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(finds_the_minimum),
        WITH_CONTEXT(values_that_are_the_same_do_not_stop_it),
        WITH_CONTEXT(few_iterations_give_the_point_reached),
        WITH_CONTEXT(no_way_down_is_told),
        WITH_CONTEXT(what_misleads_is_forgotten),
        WITH_CONTEXT(points_without_a_value_are_left_again),
        WITH_CONTEXT(nothing_to_do),
        WITH_CONTEXT(a_scale_saves_steps),
        WITH_CONTEXT(noise_ends_it),
        WITH_CONTEXT(a_failure_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
