// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "suggest/forecast.h"

enum { POINTS = 5 };
static const int64_t labels[POINTS] = {20, 30, 40, 50, 60};

typedef struct {
    double limit, scale, pace;
} law;

static double error_of(const law *l, double m) { return l->limit + l->scale * pow(m, -l->pace); }

/* How often the range contains the error of the law, over laws and noise of all kinds. */
static double coverage(rung_ctx *ctx, double noise, bool known, int64_t more, double *width)
{
    enum { RUNS = 300 };
    int inside = 0;
    rng r;
    rng_open(&r, 11, 1);
    *width = 0;
    for (int run = 0; run < RUNS; run++) {
        double error[POINTS], se[POINTS], now = 0.2 + rng_uniform(&r), part = rng_uniform(&r);
        law l = {.limit = now * part, .pace = 0.2 + 0.8 * rng_uniform(&r)};
        l.scale = now * (1 - part) * pow(60, l.pace);
        for (int i = 0; i < POINTS; i++) {
            double truth = error_of(&l, (double)labels[i]);
            se[i] = noise * truth;
            error[i] = fmax(0, truth + se[i] * rng_normal(&r));
        }
        rung_forecast f = {.size = sizeof f};
        assert_ok(ctx, rung_forecast_run(ctx, POINTS, labels, error, known ? se : NULL, more, &f));
        double truth = error_of(&l, (double)(60 + more));
        assert_true(f.low <= f.value && f.value <= f.high);
        inside += truth >= f.low && truth <= f.high;
        *width += (f.high - f.low) / now / RUNS;
    }
    return (double)inside / RUNS;
}

/* The range holds in nine of ten cases, whatever the noise and whether it is known; it is wider where there is more
 * noise, and further ahead. */
static void test_coverage(void **state)
{
    rung_ctx *ctx = *state;
    static const double noise[] = {0.03, 0.1};
    for (int known = 0; known < 2; known++)
        for (int n = 0; n < 2; n++) {
            double width[2];
            for (int far = 0; far < 2; far++) {
                double share = coverage(ctx, noise[n], known, far ? 120 : 20, &width[far]);
                if (share < 0.85 || share > 0.97)
                    fail_msg("noise %g %s, %d more: the range holds in %.3f", noise[n], known ? "known" : "unknown",
                             far ? 120 : 20, share);
            }
            assert_true(width[1] > width[0]);
        }
}

/* A curve that has become flat stays there; one that falls by a known law goes on falling. */
static void test_clear_curves(void **state)
{
    rung_ctx *ctx = *state;
    double flat[POINTS], falling[POINTS], se[POINTS];
    rung_forecast f = {.size = sizeof f};
    for (int i = 0; i < POINTS; i++) {
        flat[i] = 0.4;
        falling[i] = 8 / (double)labels[i];
        se[i] = 0.002;
    }
    assert_ok(ctx, rung_forecast_run(ctx, POINTS, labels, flat, se, 60, &f));
    assert_close(f.value, 0.4, 0.02);
    assert_true(f.high - f.low < 0.05);
    assert_int_equal(f.labels, 60);
    assert_int_equal(f.more, 60);
    assert_close(f.now, 0.4, 1e-12);
    assert_ok(ctx, rung_forecast_run(ctx, POINTS, labels, falling, se, 60, &f));
    assert_close(f.value, 8 / 120.0, 0.02);
    assert_ok(ctx, rung_forecast_run(ctx, POINTS, labels, (double[POINTS]){0}, NULL, 60, &f));
    assert_true(f.value == 0 && f.low == 0 && f.high == 0);
}

/* An error now that was measured by itself: its range is that of the forecast where the curve is flat, wider still
 * where fits vary, and a range that ends at no error is no failure. */
static void test_error_now(void **state)
{
    rung_ctx *ctx = *state;
    const double flat[POINTS] = {0.4, 0.4, 0.4, 0.4, 0.4}, se[POINTS] = {0.002, 0.002, 0.002, 0.002, 0.002};
    const known_error now[] = {{100, 0.5, 0.4, 0.7}, {100, 0, 0, 0.1}};
    learning_curve c = {.n = POINTS, .labels = labels, .error = flat, .se = se, .now = &now[0]};
    rung_forecast f, wider;
    assert_ok(ctx, forecast(ctx, &c, 50, &f));
    assert_true(f.labels == 100 && f.now == 0.5 && f.now_low == 0.4 && f.now_high == 0.7);
    assert_close(f.value, 0.5, 0.02);
    assert_close(f.low, 0.5 - 0.1 * 1.645 / 1.96, 0.02);
    assert_close(f.high, 0.5 + 0.2 * 1.645 / 1.96, 0.02);
    c.varies = 0.2;
    assert_ok(ctx, forecast(ctx, &c, 50, &wider));
    assert_true(wider.low < f.low - 0.02 && wider.high > f.high + 0.02);
    c.now = &now[1];
    assert_ok(ctx, forecast(ctx, &c, 50, &f));
    assert_true(f.low == 0 || f.low < 1e-12);
    assert_true(f.high > 0.05 && f.high < 0.2);
}

static void test_arguments(void **state)
{
    rung_ctx *ctx = *state;
    rung_forecast f = {.size = sizeof f}, unset = {0};
    double e[] = {0.5, 0.4}, bad[] = {0.5, NAN};
    assert_fails(ctx, rung_forecast_run(ctx, 1, labels, e, NULL, 5, &f), RUNG_EARG, "at least two");
    assert_fails(ctx, rung_forecast_run(ctx, 2, (int64_t[]){5, 5}, e, NULL, 5, &f), RUNG_EARG, "increasing");
    assert_fails(ctx, rung_forecast_run(ctx, 2, labels, bad, NULL, 5, &f), RUNG_EARG, "error 2");
    assert_fails(ctx, rung_forecast_run(ctx, 2, labels, e, bad, 5, &f), RUNG_EARG, "error 2");
    assert_fails(ctx, rung_forecast_run(ctx, 2, labels, e, NULL, -5, &f), RUNG_EARG, "-5 more");
    assert_fails(ctx, rung_forecast_run(ctx, 2, labels, e, NULL, 5, &unset), RUNG_EARG, "rung_forecast_run");
    assert_ok(ctx, rung_forecast_run(ctx, 2, labels, e, NULL, 0, &f));
    assert_close(f.value, 0.4, 0.15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_coverage),
        WITH_CONTEXT(test_clear_curves),
        WITH_CONTEXT(test_error_now),
        WITH_CONTEXT(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
