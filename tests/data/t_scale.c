// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <float.h>

#include "data/scale.h"

static scaling fit(rung_ctx *ctx, scale_kind kind, int64_t d, int64_t n, const double *X)
{
    scaling s;
    assert_ok(ctx, scale_fit(ctx, &ctx->scratch, kind, &(scale_rows){d, n, X, NULL, NULL}, &s));
    return s;
}

static void apply(const scaling *s, int64_t n, const double *X, double *out)
{
    rung_view view = {X, n, s->d, s->d, 1};
    scale_apply(s, n, &view, NULL, out);
}

static double apply_one(const scaling *s, double x)
{
    double y;
    apply(s, 1, &x, &y);
    return y;
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[] = {"standard", "minmax", "rank", "none"};
    for (int k = 0; k < 4; k++) {
        scale_kind kind;
        assert_true(scale_parse(names[k], &kind));
        assert_int_equal(kind, k);
        assert_string_equal(scale_name(kind), names[k]);
    }
    scale_kind kind;
    assert_false(scale_parse("Standard", &kind) || scale_parse("", &kind));
}

static void test_standard(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {1, 0.1, 5, 2, 0.1, 5, 3, 0.1, 5, 6, 0.1, 9}, Z[12]; /* 3 columns, 4 rows; the second is constant */
    scaling s = fit(ctx, SCALE_STANDARD, 3, 4, X);
    assert_true(s.shift[0] == 3 && s.shift[1] == 0.1 && s.shift[2] == 6);
    assert_close(1 / s.factor[0], sqrt(3.5), 1e-15); /* population variance */
    assert_true(s.factor[1] == 0);
    apply(&s, 4, X, Z);
    double a = sqrt(3.5), b = sqrt(3);
    double expected[] = {-2 / a, 0, -1 / b, -1 / a, 0, -1 / b, 0, 0, -1 / b, 3 / a, 0, 3 / b};
    assert_arrays_close(12, Z, expected, 1e-15);
    double far[] = {4, 1e300, 6};
    apply(&s, 1, far, Z);
    assert_true(Z[1] == 0);
}

/* A mean far above the spread: a one-pass variance would lose every digit. */
static void test_standard_is_accurate(void **state)
{
    rung_ctx *ctx = *state;
    double X[1000], Z[1000], mean = 0, square = 0;
    for (int i = 0; i < 1000; i++) X[i] = 1e9 + (double)(i % 10) * 0.5;
    scaling s = fit(ctx, SCALE_STANDARD, 1, 1000, X);
    assert_true(s.shift[0] == 1e9 + 2.25);
    assert_close(s.factor[0], 2 / sqrt(8.25), 1e-14);
    apply(&s, 1000, X, Z);
    for (int i = 0; i < 1000; i++) mean += Z[i] / 1000, square += Z[i] * Z[i] / 1000;
    assert_close(mean, 0, 1e-13);
    assert_close(square, 1, 1e-13);
}

static void test_extremes(void **state)
{
    rung_ctx *ctx = *state;
    static const double units[] = {1e-310, 1e-300, 1e-150, 1e150, 1e300, DBL_MAX / 4};
    double plain[] = {-3, 1, 2}, expected[3];
    scaling s = fit(ctx, SCALE_STANDARD, 1, 3, plain);
    apply(&s, 3, plain, expected);
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        double X[3], Z[3];
        for (int i = 0; i < 3; i++) X[i] = plain[i] * units[u];
        for (scale_kind kind = SCALE_STANDARD; kind <= SCALE_MINMAX; kind++) {
            scaling one = fit(ctx, kind, 1, 3, X);
            apply(&one, 3, X, Z);
            if (one.factor[0] == 0) { /* so narrow that its inverse is no number: as if constant */
                assert_true(units[u] == 1e-310);
                assert_true(Z[0] == 0 && Z[1] == 0 && Z[2] == 0);
            } else if (kind == SCALE_STANDARD) {
                assert_arrays_close(3, Z, expected, 1e-12);
            } else {
                assert_arrays_close(3, Z, ((double[]){0, 0.8, 1}), 1e-12);
            }
        }
    }
    /* What a prediction may bring stays finite, and so does its square. */
    double narrow[] = {0, 1e-200};
    for (scale_kind kind = SCALE_STANDARD; kind <= SCALE_RANK; kind++) {
        s = fit(ctx, kind, 1, 2, narrow);
        double y = apply_one(&s, DBL_MAX), z = apply_one(&s, -DBL_MAX);
        assert_true(y > 0 && isfinite(y * y) && z < 0 && isfinite(z * z));
    }
}

static void test_minmax(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {2, 7, 6, 7, 3, 7}, Z[6];
    scaling s = fit(ctx, SCALE_MINMAX, 2, 3, X);
    assert_true(s.shift[0] == 2 && s.factor[0] == 0.25 && s.shift[1] == 7 && s.factor[1] == 0);
    apply(&s, 3, X, Z);
    assert_arrays_close(6, Z, ((double[]){0, 0, 1, 0, 0.25, 0}), 0);
    double outside[] = {10, 8};
    apply(&s, 1, outside, Z);
    assert_arrays_close(2, Z, ((double[]){2, 0}), 0);
}

static void test_rank(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {30, 10, 10, 20}, Z[4];
    scaling s = fit(ctx, SCALE_RANK, 1, 4, X);
    assert_int_equal(s.knots_first[1], 3);
    assert_arrays_close(3, s.knot, ((double[]){10, 20, 30}), 0);
    assert_arrays_close(3, s.knot_cdf, ((double[]){0.5, 0.75, 1}), 0); /* rows at or below */
    assert_close(s.shift[0], 0.5, 1e-15);
    double sd = sqrt((0.375 * 0.375 + 2 * 0.25 * 0.25 + 0.125 * 0.125) / 4);
    apply(&s, 4, X, Z);
    assert_arrays_close(4, Z, ((double[]){0.375 / sd, -0.25 / sd, -0.25 / sd, 0.125 / sd}), 1e-14);
    assert_close(apply_one(&s, 15), 0, 1e-14); /* between two knots: half of the rows are below */
    assert_close(apply_one(&s, 25), 0.25 / sd, 1e-14);
    assert_close(apply_one(&s, -1e300), -0.5 / sd, 1e-14);
    assert_close(apply_one(&s, 31), 0.5 / sd, 1e-14);

    double two[] = {5, 1, 5, 2}; /* 2 columns, one of them constant */
    s = fit(ctx, SCALE_RANK, 2, 2, two);
    assert_int_equal(s.knots_first[1], 1);
    assert_int_equal(s.knots_first[2], 3);
    apply(&s, 2, two, Z);
    assert_arrays_close(4, Z, ((double[]){0, -1, 0, 1}), 1e-15);

    double wide[] = {-DBL_MAX, DBL_MAX};
    s = fit(ctx, SCALE_RANK, 1, 2, wide);
    assert_close(apply_one(&s, 0), 0, 1e-15);
}

static void test_none(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {1, -1e300, 3, 4};
    scaling s = fit(ctx, SCALE_NONE, 2, 2, X);
    assert_null(s.shift);
    double Z[4];
    apply(&s, 2, X, Z);
    assert_arrays_close(4, Z, X, 0);
}

/* Any strides, any rows. */
static void test_views(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {0, 10, 1, 20, 2, 30, 3, 50}, by_columns[] = {0, 1, 2, 3, 10, 20, 30, 50}, Z[8], W[4];
    scaling s = fit(ctx, SCALE_STANDARD, 2, 4, X);
    apply(&s, 4, X, Z);
    rung_view view = {by_columns, 4, 2, 1, 4};
    int64_t rows[] = {3, 1};
    scale_apply(&s, 2, &view, rows, W);
    assert_arrays_close(4, W, ((double[]){Z[6], Z[7], Z[2], Z[3]}), 0);
    rung_view backwards = {by_columns + 3, 4, 2, -1, 4};
    scale_apply(&s, 2, &backwards, NULL, W);
    assert_arrays_close(4, W, ((double[]){Z[6], Z[7], Z[4], Z[5]}), 0);
}

static void test_copy(void **state)
{
    rung_ctx *ctx = *state;
    double X[] = {1, 5, 2, 5, 4, 6}, Z[6], W[6];
    for (scale_kind kind = SCALE_STANDARD; kind <= SCALE_NONE; kind++) {
        pool first = {0}, second = {0};
        scaling s, copy;
        assert_ok(ctx, scale_fit(ctx, &first, kind, &(scale_rows){2, 3, X, NULL, NULL}, &s));
        apply(&s, 3, X, Z);
        assert_ok(ctx, scale_copy(ctx, &second, &s, &copy));
        pool_free_all(&first);
        apply(&copy, 3, X, W);
        assert_arrays_close(6, W, Z, 0);
        pool_free_all(&second);
    }
}

typedef struct {
    rung_ctx *ctx;
    scale_kind kind;
} memory_call;

static rung_status fit_and_copy(void *argument)
{
    memory_call *call = argument;
    double X[] = {1, 5, 2, 5, 4, 6};
    pool mem = {0};
    scaling s, copy;
    rung_status status = scale_fit(call->ctx, &mem, call->kind, &(scale_rows){2, 3, X, NULL, NULL}, &s);
    if (status == RUNG_OK) status = scale_copy(call->ctx, &mem, &s, &copy);
    pool_free_all(&mem);
    return status;
}

static void test_memory(void **state)
{
    static const int64_t least[] = {4, 4, 8, 0};
    for (scale_kind kind = SCALE_STANDARD; kind <= SCALE_NONE; kind++) {
        memory_call call = {*state, kind};
        assert_true(fail_each_allocation(fit_and_copy, &call) >= least[kind]);
    }
    rung_ctx *ctx = *state;
    scaling s;
    assert_fails(ctx, scale_fit(ctx, &ctx->scratch, SCALE_STANDARD, &(scale_rows){1, 0, NULL, NULL, NULL}, &s),
                 RUNG_EDATA, "no rows");
}

/* A row of weight k is k rows, one of weight 0 none: to the last bit. */
static void weights_are_counts(void **state)
{
    rung_ctx *ctx = *state;
    static const double X[] = {1, 5, 100, -100, 2, 5, 2, 7}, weight[] = {2, 0, 1, 3};
    static const double repeated[] = {1, 5, 1, 5, 2, 5, 2, 7, 2, 7, 2, 7};
    for (int kind = SCALE_STANDARD; kind <= SCALE_RANK; kind++) {
        scaling a, b;
        double x[] = {1.5, 6, 2, 7, 1, 5, 9, 9}, y[8], z[8];
        rung_view view = {.v = x, .n = 4, .d = 2, .row = 2, .col = 1};
        assert_ok(ctx, scale_fit(ctx, &ctx->scratch, (scale_kind)kind, &(scale_rows){2, 4, X, NULL, weight}, &a));
        assert_ok(ctx, scale_fit(ctx, &ctx->scratch, (scale_kind)kind, &(scale_rows){2, 6, repeated, NULL, NULL}, &b));
        scale_apply(&a, 4, &view, NULL, y);
        scale_apply(&b, 4, &view, NULL, z);
        for (int i = 0; i < 8; i++) assert_true(fabs(y[i] - z[i]) <= 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(weights_are_counts), WITH_CONTEXT(test_names),
        WITH_CONTEXT(test_standard),      WITH_CONTEXT(test_standard_is_accurate),
        WITH_CONTEXT(test_extremes),      WITH_CONTEXT(test_minmax),
        WITH_CONTEXT(test_rank),          WITH_CONTEXT(test_none),
        WITH_CONTEXT(test_views),         WITH_CONTEXT(test_copy),
        WITH_CONTEXT(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
