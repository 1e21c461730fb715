// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "eval/calibrate.h"

/* ---- rank score ---------------------------------------------------------------------------------------------------
 */

static void rank_score_values(void **state)
{
    (void)state;
    /* class means -1, 1, 4, 5 of classes 1, 2, 4, 7; mean slope (7 - 1) / (5 + 1) = 1 outside */
    const rank_map map = {4, (double[]){-1, 1, 4, 5}, (double[]){1, 2, 4, 7}};
    assert_close(rank_score(&map, -1), 1, 0);
    assert_close(rank_score(&map, 0), 1.5, 0);
    assert_close(rank_score(&map, 1), 2, 0);
    assert_close(rank_score(&map, 2.5), 3, 1e-15);
    assert_close(rank_score(&map, 4), 4, 0);
    assert_close(rank_score(&map, 4.5), 5.5, 0);
    assert_close(rank_score(&map, 5), 7, 0);
    assert_close(rank_score(&map, 6.25), 8.25, 0);
    assert_close(rank_score(&map, -3), -1, 0);
}

static void rank_score_flat_pieces(void **state)
{
    (void)state;
    const rank_map one = {1, (double[]){5}, (double[]){3}};
    for (double f = -1e300; f <= 1e300; f += 5e299) assert_close(rank_score(&one, f), 3, 0);
    assert_close(rank_score(&one, 5), 3, 0);
    const rank_map jump = {4, (double[]){0, 1, 1, 2},
                           (double[]){1, 2, 3, 4}}; /* at 1 from 2 to 3: the last node holds */
    assert_close(rank_score(&jump, nextafter(1, 0)), 2, 1e-15);
    assert_close(rank_score(&jump, 1), 3, 0);
    assert_close(rank_score(&jump, 1.5), 3.5, 0);
    const rank_map wall = {3, (double[]){1, 1, 1}, (double[]){1, 2, 3}};
    assert_close(rank_score(&wall, 1), 3, 0);
    assert_true(rank_score(&wall, nextafter(1, 0)) < 0);
    assert_true(rank_score(&wall, nextafter(1, 2)) > 4);
}

/* Means of classes that share a score differ by rounding, and so do the scores of their rows: neither decides. */
static void means_that_differ_by_rounding_are_one(void **state)
{
    (void)state;
    double f[4], rounding = 1e-16;
    for (int sign = -1; sign <= 1; sign++) {
        rank_map shared = {.f = f, .s = (double[]){1, 2, 3, 4}};
        rank_map_of_means(4, (double[]){-1, 0.5, 0.5 + sign * rounding, 2}, 2, &shared);
        assert_int_equal(shared.n, 4);
        for (int other = -1; other <= 1; other++) assert_close(rank_score(&shared, 0.5 + other * rounding), 3, 1e-9);
        assert_close(rank_score(&shared, -0.25), 1.5, 1e-9);
        assert_close(rank_score(&shared, 1.25), 3.5, 1e-9);
        rank_map falls = {.f = f, .s = (double[]){1, 2, 3, 4}}; /* as class 1: 2 and 3 are no higher */
        rank_map_of_means(4, (double[]){0.5, 0.5 + sign * rounding, -1, 2}, 2, &falls);
        for (int other = -1; other <= 1; other++) assert_close(rank_score(&falls, 0.5 + other * rounding), 3, 1e-9);
        rank_map none = {.f = f, .s = (double[]){1, 2, 4, 5}};
        rank_map_of_means(4, (double[]){0.5, 0.5, 0.5 + sign * rounding, 0.5}, 1e3, &none);
        for (double at = -1e3; at < 1e3; at += 0.5) assert_close(rank_score(&none, at), 2, 0);
    }
    rank_map small = {.f = f, .s = (double[]){1, 2}}; /* what differs by more than rounding is in order */
    rank_map_of_means(2, (double[]){0, 1e-9}, 1, &small);
    assert_close(rank_score(&small, 1e-9), 2, 0);
}

static void rank_score_is_monotone(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 3, 1);
    for (int trial = 0; trial < 200; trial++) {
        double x[6], s[6];
        for (int j = 0; j < 6; j++) {
            x[j] = (j ? x[j - 1] : rng_normal(&r)) + (trial % 3 ? rng_uniform(&r) : (double)rng_below(&r, 2)) / 3;
            s[j] = j + 1;
        }
        const rank_map map = {6, x, s};
        static const double far[] = {1, 10, 1e10, 1e200, 1e300, 1.7e308, INFINITY};
        for (int j = 0; j < 6; j++) { /* where one piece ends and the next begins */
            double before = rank_score(&map, nextafter(x[j], -9)), at = rank_score(&map, x[j]),
                   after = rank_score(&map, nextafter(x[j], 9));
            assert_true(before <= at && at <= after);
        }
        for (int k = 0; k < 7; k++) {
            double low = rank_score(&map, x[0] - far[k]), high = rank_score(&map, x[5] + far[k]);
            assert_true(low <= 1 && high >= 6);
        }
    }
}

/* ---- fit ----------------------------------------------------------------------------------------------------------
 */

static void golden(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const folder[] = {GOLDEN("units/at_q3"), GOLDEN("units/at_q5")};
    static const int classes[] = {3, 5};
    for (int k = 0; k < 2; k++) {
        static const char *const file[] = {"s", "y", "ac", "pred"};
        double *column[4];
        int64_t rows[4], one;
        for (int j = 0; j < 4; j++) {
            char path[1000];
            snprintf(path, sizeof path, "%s/%s.csv", folder[k], file[j]);
            column[j] = read_numbers(path, &rows[j], &one);
            assert_int_equal(one, 1);
        }
        int y[100];
        double c[4];
        assert_true(rows[0] <= 100 && rows[1] == rows[0] && rows[3] == rows[0] && rows[2] == classes[k]);
        for (int64_t i = 0; i < rows[1]; i++) y[i] = (int)column[1][i];
        calibration cal = {.c = c};
        assert_ok(ctx, calibrate_fit(ctx, rows[0], column[0], y, NULL, classes[k], 0.05, &cal));
        assert_int_equal(cal.K, classes[k]);
        assert_close(cal.a, column[2][0], 1e-6);
        assert_arrays_close(classes[k] - 1, c, column[2] + 1, 1e-6);
        for (int64_t i = 0; i < rows[0]; i++) assert_int_equal(calibrate_rank(&cal, column[0][i]), (int)column[3][i]);
        for (int j = 0; j < 4; j++) free(column[j]);
    }
}

enum { N = 120, MOST = 6 };

typedef struct {
    int K;
    double s[N], w[N], lambda;
    int y[N];
} sample;

/* Scores around the rank, some far outside the scale; slope < 0: they point the wrong way. */
static sample draw(uint64_t stream, int K, double slope)
{
    sample in = {.K = K, .lambda = 0.05};
    rng r;
    rng_open(&r, 21, stream);
    for (int i = 0; i < N; i++) {
        in.y[i] = 1 + (int)rng_below(&r, K);
        in.s[i] = 1 + K / 2. + slope * (in.y[i] - K / 2.) + rng_normal(&r);
        in.w[i] = rng_uniform(&r) * 3;
    }
    in.s[0] = in.y[0] * 2 > K ? 1e300 : -1e300;
    return in;
}

static double clipped(const sample *in, int i) { return fmin(fmax(in->s[i], 0), in->K + 1); }

/* The objective as the header states it, at (a, c_1, ..., c_{K-1}). */
static double objective(const sample *in, const double *x)
{
    double f = 1e-3 * x[0] * x[0];
    for (int q = 1; q < in->K; q++) {
        double gap = x[q] - x[0] * (q + 0.5);
        f += in->lambda * gap * gap;
        for (int i = 0; i < N; i++) {
            double z = in->y[i] > q ? 1 : -1;
            f += in->w[i] * log1p(exp(-z * (x[0] * clipped(in, i) - x[q])));
        }
    }
    return f;
}

static void gradient(const sample *in, const double *x, double *g)
{
    g[0] = 2e-3 * x[0];
    for (int q = 1; q < in->K; q++) {
        double gap = x[q] - x[0] * (q + 0.5);
        g[0] -= 2 * in->lambda * gap * (q + 0.5);
        g[q] = 2 * in->lambda * gap;
        for (int i = 0; i < N; i++) {
            double s = clipped(in, i), z = in->y[i] > q ? 1 : -1;
            double slope = -in->w[i] * z / (1 + exp(z * (x[0] * s - x[q])));
            g[0] += slope * s;
            g[q] -= slope;
        }
    }
}

/* The gradient of the tests is that of the objective: what the first order leaves shrinks by 4 when the step halves. */
static void gradient_by_taylor(void **state)
{
    (void)state;
    for (int K = 2; K <= MOST; K++) {
        sample in = draw(100 + (uint64_t)K, K, 1);
        double x[MOST], v[MOST], g[MOST], left[4], slope = 0;
        rng r;
        rng_open(&r, 22, (uint64_t)K);
        for (int q = 0; q < K; q++) {
            x[q] = q ? q + rng_normal(&r) / 4 : 0.8;
            v[q] = rng_normal(&r);
        }
        gradient(&in, x, g);
        for (int q = 0; q < K; q++) slope += g[q] * v[q];
        for (int k = 0; k < 4; k++) {
            double h = ldexp(1e-2, -k), moved[MOST];
            for (int q = 0; q < K; q++) moved[q] = x[q] + h * v[q];
            left[k] = fabs(objective(&in, moved) - objective(&in, x) - h * slope);
        }
        for (int k = 1; k < 4; k++) assert_true(left[k - 1] / left[k] > 3.8 && left[k - 1] / left[k] < 4.2);
    }
}

static void optimality(void **state)
{
    rung_ctx *ctx = *state;
    for (int K = 2; K <= MOST; K++)
        for (uint64_t stream = 0; stream < 10; stream++) {
            sample in = draw(stream, K, 1);
            in.lambda = stream % 2 ? 0.05 : 5;
            double x[MOST], g[MOST], zero[MOST] = {0};
            calibration cal = {.c = x + 1};
            assert_ok(ctx, calibrate_fit(ctx, N, in.s, in.y, in.w, K, in.lambda, &cal));
            assert_true(cal.a > 0);
            x[0] = cal.a;
            gradient(&in, x, g);
            assert_arrays_close(K, g, zero, 1e-8);
        }
}

static void weights_count_rows(void **state)
{
    rung_ctx *ctx = *state;
    const double s[] = {0.3, 1.1, 2.4, 1.9, 3.2}, twice[] = {0.3, 1.1, 1.1, 2.4, 1.9, 1.9, 1.9, 3.2};
    const int y[] = {1, 2, 1, 2, 3}, y_twice[] = {1, 2, 2, 1, 2, 2, 2, 3};
    double c[2], c_twice[2];
    calibration cal = {.c = c}, cal_twice = {.c = c_twice};
    assert_ok(ctx, calibrate_fit(ctx, 5, s, y, (double[]){1, 2, 1, 3, 1}, 3, 0.05, &cal));
    assert_ok(ctx, calibrate_fit(ctx, 8, twice, y_twice, NULL, 3, 0.05, &cal_twice));
    assert_close(cal.a, cal_twice.a, 1e-10);
    assert_arrays_close(2, c, c_twice, 1e-10);
}

/* Scores that point the wrong way are ignored: a = 0 and c_q = -log((n_above + 1/2) / (n_below + 1/2)). */
static void wrong_way(void **state)
{
    rung_ctx *ctx = *state;
    const double s[] = {3, 2.6, 2.1, 1.8, 1.2, 0.9};
    const int y[] = {1, 1, 1, 2, 3, 3};
    double c[2];
    calibration cal = {.c = c};
    assert_ok(ctx, calibrate_fit(ctx, 6, s, y, NULL, 3, 0.05, &cal));
    assert_true(cal.a == 0);
    assert_arrays_close(2, c, ((double[]){-log(3.5 / 3.5), -log(2.5 / 4.5)}), 1e-15);
    for (int i = 0; i < 6; i++) assert_int_equal(calibrate_rank(&cal, s[i]), 2); /* 0 >= c_1 = 0: the tie goes up */
    /* weights are counts: of 12 rows 2 are above 1, 1 is above 2 */
    assert_ok(ctx, calibrate_fit(ctx, 6, s, y, (double[]){2, 4, 4, 1, 0.5, 0.5}, 3, 0.05, &cal));
    assert_true(cal.a == 0);
    assert_arrays_close(2, c, ((double[]){-log(2.5 / 10.5), -log(1.5 / 11.5)}), 1e-14);
    for (int i = 0; i < 6; i++) assert_int_equal(calibrate_rank(&cal, s[i]), 1);
    for (int K = 2; K <= MOST; K++) {
        sample in = draw(50, K, -1);
        double many[MOST];
        calibration wrong = {.c = many};
        for (int i = 0; i < N; i++) in.s[i] = fabs(in.s[i]) > 99 ? 1 : in.s[i];
        assert_ok(ctx, calibrate_fit(ctx, N, in.s, in.y, NULL, K, 0.05, &wrong));
        assert_true(wrong.a == 0);
        for (int q = 1; q < K - 1; q++) assert_true(many[q] >= many[q - 1]);
    }
}

static void extreme_data(void **state)
{
    rung_ctx *ctx = *state;
    double c[50], c2[50];
    calibration cal = {.c = c}, cal2 = {.c = c2};
    /* beyond the scale all scores are alike, infinite ones too */
    const int y[] = {1, 2, 3, 3};
    assert_ok(ctx, calibrate_fit(ctx, 4, (double[]){-1e300, 1.7, 1e300, INFINITY}, y, NULL, 3, 0.05, &cal));
    assert_ok(ctx, calibrate_fit(ctx, 4, (double[]){0, 1.7, 4, 4}, y, NULL, 3, 0.05, &cal2));
    assert_true(cal.a == cal2.a && c[0] == c2[0] && c[1] == c2[1]);
    assert_int_equal(calibrate_rank(&cal, -1e300), 1);
    assert_int_equal(calibrate_rank(&cal, 1e300), 3);
    /* one row; one class; absent classes: finite, in order, and a class never seen on top is not predicted */
    assert_ok(ctx, calibrate_fit(ctx, 1, (double[]){2}, (int[]){2}, NULL, 3, 0.05, &cal));
    assert_int_equal(calibrate_rank(&cal, 2), 2);
    assert_ok(ctx, calibrate_fit(ctx, 2, (double[]){2, 3}, (int[]){1, 1}, NULL, 1, 0.05, &cal));
    assert_int_equal(calibrate_rank(&cal, 2), 1);
    double s[400];
    int ranks[400];
    for (int i = 0; i < 400; i++) {
        ranks[i] = 2 + i % 3 * 12; /* 2, 14, 26 of 50 */
        s[i] = ranks[i] + sin(i);
    }
    assert_ok(ctx, calibrate_fit(ctx, 400, s, ranks, NULL, 50, 0.05, &cal));
    assert_true(isfinite(cal.a) && cal.a > 0);
    for (int q = 1; q < 49; q++) assert_true(isfinite(c[q]) && c[q] >= c[q - 1]);
    for (int i = 0; i < 400; i++) assert_true(calibrate_rank(&cal, s[i]) <= 27);
}

static void refusals(void **state)
{
    rung_ctx *ctx = *state;
    double c[2];
    calibration cal = {.c = c};
    const double s[] = {1, 2, 3};
    const int y[] = {1, 2, 3};
    assert_fails(ctx, calibrate_fit(ctx, 0, s, y, NULL, 3, 0.05, &cal), RUNG_EDATA, "no labelled row");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, (double[]){0, 0, 0}, 3, 0.05, &cal), RUNG_EDATA, "no labelled row");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, (int[]){1, 0, 2}, NULL, 3, 0.05, &cal), RUNG_EARG, "rank 0 of score 2");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, (int[]){1, 2, 4}, NULL, 3, 0.05, &cal), RUNG_EARG, "outside 1..3");
    assert_fails(ctx, calibrate_fit(ctx, 3, (double[]){1, 2, NAN}, y, NULL, 3, 0.05, &cal), RUNG_EDATA, "score 3");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, (double[]){1, -2, 1}, 3, 0.05, &cal), RUNG_EARG, "weight -2");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, NULL, 3, 0, &cal), RUNG_EARG, "calibration weight 0");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, NULL, 3, INFINITY, &cal), RUNG_EARG, "calibration weight inf");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, (double[]){1, 1, INFINITY}, 3, 0.05, &cal), RUNG_EARG,
                 "weight inf of score 3 is not a number >= 0");
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, NULL, 0, 0.05, &cal), RUNG_EARG, "0 classes");
    /* separated scores with enormous weights: the minimum lies hundreds of Newton steps away */
    assert_fails(ctx, calibrate_fit(ctx, 3, s, y, (double[]){1e200, 1e200, 1e200}, 3, 0.05, &cal), RUNG_ENOCONV,
                 "did not converge: after 100 steps");
    atomic_store(&ctx->interrupted, 1);
    assert_int_equal(calibrate_fit(ctx, 3, s, y, NULL, 3, 0.05, &cal), RUNG_EINTERRUPT);
}

/* ---- use ----------------------------------------------------------------------------------------------------------
 */

static void probabilities_are_valid(void **state)
{
    (void)state;
    static const double slope[] = {0, 1e-3, 1, 30, 1e6, 1e300};
    static const double score[] = {-1e300, -1, 0, 0.1, 1, 1.5, 2, 3.7, 5, 1e10, 1e300};
    double c[4] = {-3, 1.5, 1.5, 1e3}, p[5];
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 11; j++) {
            const calibration cal = {5, slope[k], c};
            calibrate_proba(&cal, score[j], p);
            double sum = 0, up_to = 0;
            for (int q = 0; q < 5; q++) {
                assert_true(p[q] >= 0 && !signbit(p[q]));
                sum += p[q];
            }
            assert_true(fabs(sum - 1) <= 1e-15);
            assert_true(p[2] == 0); /* c_2 = c_3 */
            int rank = calibrate_rank(&cal, score[j]);
            assert_in_range(rank, 1, 5);
            for (int q = 1; q <= rank; q++) up_to += p[q - 1];
            assert_true(up_to >= 0.5 - 1e-15 && up_to - p[rank - 1] <= 0.5 + 1e-15); /* the median */
        }
}

/* a = 20, c = 10, 50, 90: at s = 0 and s = 5 the cumulative probabilities differ from 0 or 1 by e^-10, e^-50, e^-90. */
static void probabilities_in_the_tails(void **state)
{
    (void)state;
    const calibration cal = {4, 20, (double[]){10, 50, 90}};
    double p[4], mirrored[4];
    calibrate_proba(&cal, 0, p);
    assert_true(fabs(p[1] / (exp(-10) / (1 + exp(-10))) - 1) < 1e-14);
    assert_true(fabs(p[2] / exp(-50) - 1) < 1e-14);
    assert_true(fabs(p[3] / exp(-90) - 1) < 1e-14);
    calibrate_proba(&cal, 5, mirrored); /* a s = 100 lies as far above 90, 50, 10 */
    for (int q = 0; q < 4; q++) assert_true(fabs(mirrored[q] / p[3 - q] - 1) < 1e-14);
    /* an ordinary point, by the definition */
    const calibration mild = {3, 1.5, (double[]){2, 4}};
    double u = 1.5 * 1.8;
    calibrate_proba(&mild, 1.8, p);
    assert_close(p[0], 1 / (1 + exp(u - 2)), 1e-15);
    assert_close(p[1], 1 / (1 + exp(2 - u)) - 1 / (1 + exp(4 - u)), 1e-15);
    assert_close(p[2], 1 / (1 + exp(4 - u)), 1e-15);
}

static void ranks(void **state)
{
    (void)state;
    const calibration cal = {4, 2, (double[]){3, 5, 5}};
    assert_int_equal(calibrate_rank(&cal, 0), 1);
    assert_int_equal(calibrate_rank(&cal, 1.49), 1);
    assert_int_equal(calibrate_rank(&cal, 1.5), 2); /* at the threshold: up */
    assert_int_equal(calibrate_rank(&cal, 2.5), 4); /* class 3 has no room */
    assert_int_equal(calibrate_rank(&cal, 1e300), 4);
    const calibration shy = {2, 1, (double[]){3.5}}; /* s is at most K + 1 = 3 */
    assert_int_equal(calibrate_rank(&shy, 1e300), 1);
}

static void threshold_values(void **state)
{
    (void)state;
    const rank_map map = {3, (double[]){-1, 0, 2}, (double[]){1, 2, 3}}; /* outside, slope 2/3 */
    const calibration cal = {4, 2, (double[]){1, 3, 5}};
    assert_close(calibrate_threshold(&cal, &map, 1), -1 - 0.5 * 1.5, 1e-15); /* s = 1/2 */
    assert_close(calibrate_threshold(&cal, &map, 2), -0.5, 1e-15);           /* s = 3/2 */
    assert_close(calibrate_threshold(&cal, &map, 3), 1, 1e-15);              /* s = 5/2 */
    const calibration ends = {4, 2, (double[]){-1, 0, 10.5}};                /* s clipped to 0..5 */
    assert_close(calibrate_threshold(&ends, &map, 1), -INFINITY, 0);
    assert_close(calibrate_threshold(&ends, &map, 2), -INFINITY, 0); /* 0 >= 0 */
    assert_close(calibrate_threshold(&ends, &map, 3), INFINITY, 0);
    const calibration brim = {2, 2, (double[]){6}}; /* reached exactly where s = K + 1 */
    assert_close(calibrate_threshold(&brim, &map, 1), 2, 1e-15);
    const calibration prior = {4, 0, (double[]){-1, 0, 0.5}};
    assert_close(calibrate_threshold(&prior, &map, 1), -INFINITY, 0);
    assert_close(calibrate_threshold(&prior, &map, 2), -INFINITY, 0);
    assert_close(calibrate_threshold(&prior, &map, 3), INFINITY, 0);
    const rank_map one = {1, (double[]){5}, (double[]){2}};
    assert_close(calibrate_threshold(&cal, &one, 2), -INFINITY, 0); /* s = 2 everywhere, 4 >= 3 */
    assert_close(calibrate_threshold(&cal, &one, 3), INFINITY, 0);
    const rank_map wall = {2, (double[]){7, 7}, (double[]){1, 3}}; /* all between 1 and 3 happens at 7 */
    assert_close(calibrate_threshold(&cal, &wall, 2), 7, 0);
}

/* f >= threshold and the rank agree to the last bit. */
static void thresholds_agree_with_ranks(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 3, 4);
    for (int trial = 0; trial < 300; trial++) {
        double x[5], s[5], c[4];
        for (int j = 0; j < 5; j++) {
            x[j] = (j ? x[j - 1] : rng_normal(&r)) + rng_uniform(&r) * pow(10, (double)rng_below(&r, 9) - 6);
            s[j] = j + 1;
        }
        const rank_map map = {5, x, s};
        calibration cal = {5, rng_uniform(&r) * 5, c};
        for (int q = 0; q < 4; q++) c[q] = (q ? c[q - 1] : -0.5) + rng_uniform(&r) * 2 * cal.a;
        double last = -INFINITY;
        for (int q = 1; q <= 4; q++) {
            double t = calibrate_threshold(&cal, &map, q);
            assert_true(t >= last);
            last = t;
            if (!isfinite(t)) continue;
            assert_true(calibrate_rank(&cal, rank_score(&map, t)) > q);
            assert_true(calibrate_rank(&cal, rank_score(&map, nextafter(t, -INFINITY))) <= q);
        }
    }
}

static rung_status small_problem(void *ctx)
{
    double c[2];
    calibration cal = {.c = c};
    return calibrate_fit(ctx, 3, (double[]){1, 2, 3}, (int[]){1, 2, 3}, NULL, 3, 0.05, &cal);
}

static void no_memory(void **state) { assert_int_equal(fail_each_allocation(small_problem, *state), 10); }

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rank_score_values),
        TEST(rank_score_flat_pieces),
        TEST(means_that_differ_by_rounding_are_one),
        TEST(rank_score_is_monotone),
        TEST(golden),
        TEST(gradient_by_taylor),
        TEST(optimality),
        TEST(weights_count_rows),
        TEST(wrong_way),
        TEST(extreme_data),
        TEST(refusals),
        TEST(probabilities_are_valid),
        TEST(probabilities_in_the_tails),
        TEST(ranks),
        TEST(threshold_values),
        TEST(thresholds_agree_with_ranks),
        TEST(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
