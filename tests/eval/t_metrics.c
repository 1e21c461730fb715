// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "eval/metrics.h"

static rung_metrics measure(rung_ctx *ctx, int64_t n, int K, const int *truth, const int *predicted)
{
    rung_metrics m;
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = n, .K = K, .truth = truth}, predicted, NULL, &m));
    return m;
}

/* The worked example of docs/metrics.md.
 *
 *     truth      1 1 2 2 3 3        counts, truth in rows   1 1 0   margins 2
 *     predicted  1 2 2 2 3 1                                0 2 0           2
 *     |error|    0 1 0 0 0 2                                1 0 1           2     (columns 2 3 1) */
static void worked_example(void **state)
{
    rung_ctx *ctx = *state;
    const int truth[] = {1, 1, 2, 2, 3, 3}, predicted[] = {1, 2, 2, 2, 3, 1};
    rung_metrics m = measure(ctx, 6, 3, truth, predicted);
    assert_int_equal(m.n, 6);
    assert_close(m.mae, 3 / 6., 0);
    assert_close(m.mze, 2 / 6., 0);
    assert_close(m.acc, 4 / 6., 0);
    assert_close(m.mse, (1 + 4) / 6., 0);
    assert_close(m.off1, 5 / 6., 0);
    assert_close(m.amae, (0.5 + 0 + 1) / 3, 1e-15);
    assert_close(m.mmae, 1, 0);
    assert_close(m.gm, cbrt(0.5 * 1 * 0.5), 1e-15);
    assert_close(m.ms, 0.5, 0);
    /* Of 15 pairs 3 are tied in truth, 1 + 3 in the prediction. Classes 1, 2: (1 2)(2 2) give 2 concordant pairs;
     * 1, 3: (1 2)(3 1) give 2 concordant, 1 discordant; 2, 3: (2 2)(3 1) give 2 and 2. (6 - 3) / sqrt(12 * 11). */
    assert_close(m.tau, 3 / sqrt(132), 1e-15);
    /* Mid-ranks minus 3.5: truth -2 0 2, prediction -2 1/2 5/2. Products 4 - 1 + 0 + 0 + 5 - 4 = 4, squares 16, 15. */
    assert_close(m.spearman, 4 / sqrt(240), 1e-15);
    /* Seen 1 + 2 = 3; by chance (2 (3 + 2) + 2 (2 + 1) + 2 (4 + 3)) / 6 = 5. Squared: 5, and 2 (7 + 3 + 11) / 6 = 7. */
    assert_close(m.kappa, 1 - 3 / 5., 1e-15);
    assert_close(m.qkappa, 1 - 5 / 7., 1e-15);
    assert_true(isnan(m.rps));
    assert_true(m.mae_low <= m.mae && m.mae <= m.mae_high && m.mae_low < m.mae_high);
}

static void probabilities(void **state)
{
    rung_ctx *ctx = *state;
    /* F = .5 .8, truth 1: .25 + .04; F = .1 .3, truth 3: .01 + .09; F = 0 1, truth 2: 0; the last row is left out. */
    const int truth[] = {1, 3, 2, 0}, predicted[] = {1, 3, 2, 1};
    double proba[] = {.5, .3, .2, .1, .2, .7, 0, 1, 0, NAN, NAN, NAN};
    rung_metrics m;
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 4, .K = 3, .truth = truth}, predicted, proba, &m));
    assert_close(m.rps, (0.29 / 2 + 0.10 / 2 + 0) / 3, 1e-15);
    assert_int_equal(m.n, 3);
    /* the worst: certain of the other end */
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 4, .truth = (int[]){1}}, (int[]){4},
                                   (double[]){0, 0, 0, 1}, &m));
    assert_close(m.rps, 1, 0);
    proba[4] = NAN;
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 4, .K = 3, .truth = truth}, predicted, proba, &m),
                 RUNG_EARG, "row 2");
}

static void perfect_and_reversed(void **state)
{
    rung_ctx *ctx = *state;
    for (int K = 2; K <= 9; K++) {
        int truth[200], reversed[200];
        for (int i = 0; i < 200; i++) {
            truth[i] = 1 + i % K;
            reversed[i] = K - i % K;
        }
        rung_metrics m = measure(ctx, 200, K, truth, truth);
        assert_true(m.mae == 0 && m.mze == 0 && m.amae == 0 && m.mmae == 0 && m.mse == 0);
        assert_true(m.acc == 1 && m.gm == 1 && m.ms == 1 && m.off1 == 1);
        assert_true(m.tau == 1 && m.spearman == 1 && m.kappa == 1 && m.qkappa == 1);
        assert_true(m.mae_low == 0 && m.mae_high == 0);
        m = measure(ctx, 200, K, truth, reversed);
        assert_close(m.tau, -1, 0);
        assert_close(m.spearman, -1, 1e-15); /* the margins differ where K does not divide 200, the mid-ranks mirror */
        assert_close(m.mmae, K - 1, 0);
        assert_true(m.kappa < 0 && m.qkappa < m.kappa + 1e-15);
    }
}

/* Two classes: kappa and qkappa are Cohen's kappa, tau and spearman the phi coefficient. */
static void two_classes(void **state)
{
    rung_ctx *ctx = *state;
    /*                   4 x (1,1)   1 x (1,2)  2 x (2,1)  3 x (2,2) */
    const int truth[] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2}, predicted[] = {1, 1, 1, 1, 2, 1, 1, 2, 2, 2};
    rung_metrics m = measure(ctx, 10, 2, truth, predicted);
    assert_close(m.mae, 0.3, 0);
    assert_close(m.mse, 0.3, 0);
    assert_close(m.mze, 0.3, 0);
    assert_close(m.off1, 1, 0);
    assert_close(m.amae, (0.2 + 0.4) / 2, 1e-15);
    assert_close(m.gm, sqrt(0.8 * 0.6), 1e-15);
    assert_close(m.kappa, (0.7 - 0.5) / (1 - 0.5), 1e-15); /* by chance (5*6 + 5*4)/100 = 1/2 */
    assert_close(m.qkappa, m.kappa, 1e-15);
    assert_close(m.tau, (4 * 3 - 1 * 2) / sqrt(5 * 5 * 6 * 4), 1e-15);
    assert_close(m.spearman, m.tau, 1e-15);
}

static void undefined(void **state)
{
    rung_ctx *ctx = *state;
    const int constant[] = {2, 2, 2, 2}, mixed[] = {1, 2, 3, 2};
    rung_metrics m = measure(ctx, 4, 3, constant, constant);
    assert_true(isnan(m.tau) && isnan(m.spearman) && isnan(m.kappa) && isnan(m.qkappa));
    assert_true(m.mae == 0 && m.gm == 1 && m.acc == 1);
    m = measure(ctx, 4, 3, constant, mixed); /* one true class: as good as chance with these margins */
    assert_true(isnan(m.tau) && isnan(m.spearman));
    assert_true(m.kappa == 0 && m.qkappa == 0);
    assert_close(m.amae, 0.5, 0);
    assert_close(m.ms, 0.5, 0);
    m = measure(ctx, 4, 3, mixed, constant);
    assert_true(isnan(m.tau) && isnan(m.spearman));
    assert_true(m.kappa == 0 && m.qkappa == 0);
    assert_true(m.gm == 0 && m.ms == 0); /* classes 1 and 3 are never found */
    assert_close(m.amae, 2 / 3., 1e-15);
    const double sure[] = {1};
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 1, .truth = (int[]){1}}, (int[]){1}, sure,
                                   &m)); /* a scale with one class */
    assert_true(isnan(m.rps) && isnan(m.tau) && isnan(m.kappa) && m.mae == 0 && m.off1 == 1);
}

static int sign(int x) { return (x > 0) - (x < 0); }

/* Every pair and every row against the sums over the table of counts; many classes absent, many rows left out. */
static void against_definitions(void **state)
{
    rung_ctx *ctx = *state;
    static const int classes[] = {2, 3, 5, 10, 1000};
    enum { N = 150 };
    rng r;
    rng_open(&r, 11, 1);
    for (int trial = 0; trial < 50; trial++) {
        int K = classes[trial % 5], truth[N], predicted[N], used[N], n = 0;
        for (int i = 0; i < N; i++) {
            truth[i] = (int)rng_below(&r, K + 1);
            int p = truth[i] + (int)rng_below(&r, 5) - 2;
            predicted[i] = p < 1 ? 1 : p > K ? K : p;
            if (truth[i]) used[n++] = i;
        }
        double pairs = 0, x = 0, y = 0, xy = 0, xx = 0, yy = 0, seen = 0, chance = 0, seen2 = 0, chance2 = 0;
        for (int a = 0; a < n; a++) {
            double rx = 0, ry = 0; /* mid-ranks, centred */
            int i = used[a], e = truth[i] - predicted[i];
            for (int b = 0; b < n; b++) {
                int j = used[b], dx = sign(truth[i] - truth[j]), dy = sign(predicted[i] - predicted[j]);
                pairs += dx * dy;
                x += dx * dx;
                y += dy * dy;
                rx += dx / 2.;
                ry += dy / 2.;
                double cross = truth[i] - predicted[j];
                chance += fabs(cross) / n;
                chance2 += cross * cross / n;
            }
            xy += rx * ry;
            xx += rx * rx;
            yy += ry * ry;
            seen += abs(e);
            seen2 += e * e;
        }
        rung_metrics m = measure(ctx, N, K, truth, predicted);
        assert_int_equal(m.n, n);
        assert_close(m.mae, seen / n, 1e-14);
        assert_close(m.mse, seen2 / n, 1e-14);
        assert_close(m.tau, pairs / sqrt(x * y), 1e-13);
        assert_close(m.spearman, xy / sqrt(xx * yy), 1e-13);
        assert_close(m.kappa, 1 - seen / chance, 1e-12);
        assert_close(m.qkappa, 1 - seen2 / chance2, 1e-12);
    }
}

/* The mean absolute error of n rows drawn again is nearly normal. A 2.5 % point estimated from 1000 draws has itself a
 * deviation of 0.085 times that of the draws: three of them are allowed. */
static void assert_interval(const rung_metrics *m, double variance)
{
    double deviation = sqrt(variance / (double)m->n);
    assert_true(fabs(m->mae_low - (m->mae - 1.96 * deviation)) < 0.25 * deviation);
    assert_true(fabs(m->mae_high - (m->mae + 1.96 * deviation)) < 0.25 * deviation);
}

static void bootstrap(void **state)
{
    rung_ctx *ctx = *state;
    static const int rows[] = {100, 1000, 30000, 1000000};
    int *truth = malloc(1000000 * sizeof *truth), *predicted = malloc(1000000 * sizeof *predicted);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < rows[k]; i++) {
            truth[i] = 1;
            predicted[i] = 1 + (i % 100 < 30); /* errors 0 and 1 */
        }
        rung_metrics m = measure(ctx, rows[k], 2, truth, predicted);
        assert_interval(&m, 0.3 * 0.7);
        /* errors 0..9 equally often: the counts drawn one after the other must add up to the variance 33/4 */
        for (int i = 0; i < rows[k]; i++) predicted[i] = 1 + i % 10;
        m = measure(ctx, rows[k], 10, truth, predicted);
        assert_interval(&m, 8.25);
    }
    /* one row says nothing about its spread */
    rung_metrics m = measure(ctx, 1, 2, truth, (int[]){2});
    assert_true(m.mae_low == 1 && m.mae_high == 1);
    free(truth);
    free(predicted);
}

/* Of rows held out of a fit the range is wider by 1 + 2 / sqrt(n) and no point where all of them are right; in groups
 * as with single rows. */
static void held_out_ranges_are_wider(void **state)
{
    rung_ctx *ctx = *state;
    enum { MOST = 10000 };
    static const int sizes[] = {25, 100, 400, MOST};
    int truth[MOST], predicted[MOST], group[MOST];
    for (int i = 0; i < MOST; i++) {
        truth[i] = 1;
        predicted[i] = 1 + (i % 25 < 10);
        group[i] = i;
    }
    for (int k = 0; k < 4; k++) {
        rung_metrics plain = measure(ctx, sizes[k], 3, truth, predicted), wide, grouped;
        graded_rows rows = {.n = sizes[k], .K = 3, .truth = truth, .held_out = true};
        assert_ok(ctx, metrics_compute(ctx, &rows, predicted, NULL, &wide));
        rows.group = group;
        assert_ok(ctx, metrics_compute(ctx, &rows, predicted, NULL, &grouped));
        double factor = (wide.mae_high - wide.mae_low) / (plain.mae_high - plain.mae_low);
        assert_close(factor, 1 + 2 / sqrt(sizes[k]), 0.1);
        assert_close(grouped.mae_low, wide.mae_low, 0.5 / sqrt(sizes[k]) / 5);
        assert_close(grouped.mae_high, wide.mae_high, 0.5 / sqrt(sizes[k]) / 5);
    }
    rung_metrics right;
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 25, .K = 3, .truth = truth, .held_out = true}, truth, NULL,
                                   &right));
    assert_true(right.mae_low == 0 && right.mae_high > 0.1 && right.mae_high < 0.4);
    /* a single class has no errors */
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 25, .K = 1, .truth = truth, .held_out = true}, truth, NULL,
                                   &right));
    assert_true(right.mae_low == 0 && right.mae_high == 0);
}

/* The same rows in another order, and again: the same bits. */
static void order_does_not_matter(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 97 };
    int truth[N], predicted[N], truth2[N], predicted2[N];
    for (int i = 0; i < N; i++) {
        truth[i] = 1 + i * 7 % 5;
        predicted[i] = 1 + i * i % 5;
        truth2[N - 1 - i] = truth[i];
        predicted2[N - 1 - i] = predicted[i];
    }
    rung_metrics m = measure(ctx, N, 5, truth, predicted);
    ctx->seed = 99;
    rung_metrics again = measure(ctx, N, 5, truth2, predicted2);
    m.rps = again.rps = 0;
    assert_memory_equal(&m, &again, sizeof m);
}

static void refusals(void **state)
{
    rung_ctx *ctx = *state;
    rung_metrics m;
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 0, .K = 3, .truth = NULL}, NULL, NULL, &m), RUNG_EDATA,
                 "no labelled row to measure");
    assert_fails(ctx,
                 metrics_compute(ctx, &(graded_rows){.n = 2, .K = 3, .truth = (int[]){0, 0}}, (int[]){1, 1}, NULL, &m),
                 RUNG_EDATA, "no labelled row to measure");
    assert_fails(ctx,
                 metrics_compute(ctx, &(graded_rows){.n = 2, .K = 3, .truth = (int[]){1, 4}}, (int[]){1, 1}, NULL, &m),
                 RUNG_EARG, "true rank 4 of row 2 is outside 1..3");
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 3, .truth = (int[]){-1}}, (int[]){1}, NULL, &m),
                 RUNG_EARG, "true rank -1");
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 3, .truth = (int[]){1}}, (int[]){0}, NULL, &m),
                 RUNG_EARG, "predicted rank 0 of row 1 is outside 1..3");
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 3, .truth = (int[]){1}}, (int[]){7}, NULL, &m),
                 RUNG_EARG, "predicted rank 7");
    assert_fails(ctx, metrics_compute(ctx, &(graded_rows){.n = 1, .K = 0, .truth = (int[]){1}}, (int[]){1}, NULL, &m),
                 RUNG_EARG, "0 classes");
    /* a row without truth may have any prediction */
    assert_ok(ctx,
              metrics_compute(ctx, &(graded_rows){.n = 2, .K = 3, .truth = (int[]){0, 3}}, (int[]){99, 3}, NULL, &m));
    assert_int_equal(m.n, 1);
}

static void median(void **state)
{
    (void)state;
    assert_int_equal(metrics_median(&(graded_rows){.n = 5, .K = 9, .truth = (int[]){9, 1, 4, 2, 7}}, NULL), 4);
    assert_int_equal(metrics_median(&(graded_rows){.n = 4, .K = 9, .truth = (int[]){9, 1, 4, 2}}, NULL),
                     2); /* between 2 and 4: the lower */
    assert_int_equal(metrics_median(&(graded_rows){.n = 6, .K = 9, .truth = (int[]){0, 9, 0, 9, 0, 1}}, NULL), 9);
    assert_int_equal(metrics_median(&(graded_rows){.n = 3, .K = 9, .truth = (int[]){1, 2, 9}}, (double[]){1, 1, 3}), 9);
    assert_int_equal(metrics_median(&(graded_rows){.n = 3, .K = 9, .truth = (int[]){1, 2, 9}}, (double[]){1, 2, 3}),
                     2); /* exactly half lies at 1, 2 */
    assert_int_equal(metrics_median(&(graded_rows){.n = 3, .K = 9, .truth = (int[]){1, 2, 0}}, (double[]){1, 1.5, 30}),
                     2);
    assert_int_equal(metrics_median(&(graded_rows){.n = 1, .K = 1, .truth = (int[]){1}}, NULL), 1);
    assert_int_equal(metrics_median(&(graded_rows){.n = 2, .K = 5, .truth = (int[]){0, 0}}, NULL), 0);
    assert_int_equal(metrics_median(&(graded_rows){.n = 1, .K = 5, .truth = (int[]){3}}, (double[]){0}), 0);
    assert_int_equal(metrics_median(&(graded_rows){.n = 0, .K = 5, .truth = NULL}, NULL), 0);
}

static rung_status small_problem(void *ctx)
{
    rung_metrics m;
    return metrics_compute(ctx, &(graded_rows){.n = 2, .K = 3, .truth = (int[]){1, 2}}, (int[]){2, 2}, NULL, &m);
}

static void no_memory(void **state) { assert_int_equal(fail_each_allocation(small_problem, *state), 8); }

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)

/* Intervals by hand: inside counts as right, outside by the distance; thresholds inside have no part in the score. */
static void test_intervals(void **state)
{
    rung_ctx *ctx = *state;
    rung_metrics m;
    int low[] = {2, 1, 3, 4, 0}, high[] = {4, 2, 3, 5, 0}, predicted[] = {3, 4, 5, 1, 1};
    double proba[25] = {0, 0.2, 0.5, 0.3, 0, 0.1, 0.2, 0.3, 0.4, 0, 0, 0, 0, 0, 1, 1};
    graded_rows rows = {.n = 5, .K = 5, .truth = low, .upper = high};
    assert_ok(ctx, metrics_compute(ctx, &rows, predicted, proba, &m));
    assert_int_equal(m.n, 4);
    assert_close(m.mae, (0 + 2 + 2 + 3) / 4.0, 1e-15);
    assert_close(m.mse, (0 + 4 + 4 + 9) / 4.0, 1e-15);
    assert_close(m.acc, 0.25, 1e-15);
    /* P(y <= q): 0 .2 .7 1, thresholds 1 and 4 count; .1 .3 .6 1: 2, 3, 4; 0 0 0 0: all; 1 1 1 1: 1, 2, 3 */
    assert_close(m.rps, ((0 + 0) + (0.49 + 0.16 + 0) + (0 + 0 + 1 + 1) + 3) / 4 / 4, 1e-15);
    /* the same as labels nearest to the predictions, but for the score */
    int nearest[] = {3, 2, 3, 4, 0};
    rung_metrics same;
    assert_ok(ctx, metrics_compute(ctx, &(graded_rows){.n = 5, .K = 5, .truth = nearest}, predicted, NULL, &same));
    assert_true(m.amae == same.amae && m.kappa == same.kappa && m.tau == same.tau && m.mae_low == same.mae_low);
    high[0] = 1;
    assert_fails(ctx, metrics_compute(ctx, &rows, predicted, proba, &m), RUNG_EARG, "row 1: 2..1 is no interval");
    high[0] = 6;
    assert_fails(ctx, metrics_compute(ctx, &rows, predicted, proba, &m), RUNG_EARG, "row 1: 2..6 is no interval");
}

/* The median of intervals: the lowest rank of the smallest total distance. */
static void test_median_of_intervals(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 3, 1);
    for (int trial = 0; trial < 500; trial++) {
        int low[9], high[9], K = 2 + (int)rng_below(&r, 5), n = 1 + (int)rng_below(&r, 9), best = 0, least = 1000;
        for (int i = 0; i < n; i++) {
            low[i] = (int)rng_below(&r, K + 1);
            high[i] = low[i] ? low[i] + (int)rng_below(&r, K - low[i] + 1) : 0;
        }
        for (int q = K; q >= 1; q--) {
            int sum = 0, labelled = 0;
            for (int i = 0; i < n; i++) {
                sum += !low[i] ? 0 : q < low[i] ? low[i] - q : q > high[i] ? q - high[i] : 0;
                labelled += low[i] > 0;
            }
            if (labelled && sum <= least) {
                least = sum;
                best = q;
            }
        }
        assert_int_equal(metrics_median(&(graded_rows){.n = n, .K = K, .truth = low, .upper = high}, NULL), best);
    }
}

/* A row with the weight 3 is three rows to the last bit; the unit of the weights changes nothing. */
static void weights_are_repeated_rows(void **state)
{
    rung_ctx *ctx = *state;
    enum { N = 60, K = 4 };
    int truth[N], predicted[N], upper[N], n = 0, there = 0, all_truth[4 * N], all_upper[4 * N], all_predicted[4 * N];
    double weight[N], scaled[N], proba[N * K], all_proba[4 * N * K];
    rng r;
    rng_open(&r, 7, 1);
    for (int i = 0; i < N; i++) {
        truth[i] = (int)rng_below(&r, K + 1); /* some unlabelled */
        upper[i] = truth[i] && truth[i] < K && i % 5 == 0 ? truth[i] + 1 : truth[i];
        predicted[i] = 1 + (int)rng_below(&r, K);
        weight[i] = (double)rng_below(&r, 4);
        scaled[i] = weight[i] * 0.37;
        there += truth[i] && weight[i] > 0; /* a row with the weight 0 is none */
        for (int q = 0; q < K; q++) proba[i * K + q] = q + 1 == predicted[i] ? 0.625 : 0.125;
        for (int k = 0; k < (int)weight[i]; k++, n++) {
            all_truth[n] = truth[i];
            all_upper[n] = upper[i];
            all_predicted[n] = predicted[i];
            memcpy(all_proba + n * K, proba + i * K, K * sizeof *proba);
        }
    }
    rung_metrics m[3];
    const graded_rows rows[] = {{.n = n, .K = K, .truth = all_truth, .upper = all_upper},
                                {.n = N, .K = K, .truth = truth, .upper = upper, .weight = weight},
                                {.n = N, .K = K, .truth = truth, .upper = upper, .weight = scaled}};
    assert_ok(ctx, metrics_compute(ctx, &rows[0], all_predicted, all_proba, &m[0]));
    for (int k = 1; k < 3; k++) {
        assert_ok(ctx, metrics_compute(ctx, &rows[k], predicted, proba, &m[k]));
        for (const metric *one = metric_table; one->info.key; one++)
            if (!(one->info.flags & RUNG_METRIC_BOUND))
                assert_close(metric_value(one, &m[k]), metric_value(one, &m[0]), k == 1 ? 0 : 1e-11);
        assert_int_equal(m[k].n, there);
        /* fewer rows than repeats: the range is wider */
        assert_true(m[k].mae_high - m[k].mae_low > m[0].mae_high - m[0].mae_low);
    }
    weight[3] = -1;
    truth[3] = 1;
    upper[3] = 1;
    assert_fails(ctx, metrics_compute(ctx, &rows[1], predicted, proba, &m[1]), RUNG_EARG, "weight of row 4");
    for (int i = 0; i < N; i++) weight[i] = 0;
    assert_fails(ctx, metrics_compute(ctx, &rows[1], predicted, proba, &m[1]), RUNG_EDATA, "add up to 0");
}

/* Rows of a group that agree count as one in the range: as wide as that of one row for each group. */
static void groups_are_resampled(void **state)
{
    rung_ctx *ctx = *state;
    enum { GROUPS = 50, EACH = 8, N = GROUPS * EACH };
    int truth[N], predicted[N], group[N];
    rng r;
    rng_open(&r, 8, 1);
    for (int g = 0; g < GROUPS; g++) {
        int error = (int)rng_below(&r, 3);
        for (int k = 0; k < EACH; k++) {
            int at = k * GROUPS + g; /* rows of a group need not be neighbours */
            truth[at] = 1;
            predicted[at] = 1 + error;
            group[at] = 7 * g - 3;
        }
    }
    rung_metrics apart, together, one;
    graded_rows rows = {.n = N, .K = 3, .truth = truth};
    assert_ok(ctx, metrics_compute(ctx, &rows, predicted, NULL, &apart));
    rows.group = group;
    assert_ok(ctx, metrics_compute(ctx, &rows, predicted, NULL, &together));
    rows.n = GROUPS;
    assert_ok(ctx, metrics_compute(ctx, &rows, predicted, NULL, &one));
    assert_close(together.mae, apart.mae, 0);
    assert_close(together.mae_low, one.mae_low, 0);
    assert_close(together.mae_high, one.mae_high, 0);
    assert_true(together.mae_high - together.mae_low > 2 * (apart.mae_high - apart.mae_low));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_intervals),
        cmocka_unit_test(test_median_of_intervals),
        TEST(worked_example),
        TEST(probabilities),
        TEST(perfect_and_reversed),
        TEST(two_classes),
        TEST(undefined),
        TEST(against_definitions),
        TEST(bootstrap),
        TEST(held_out_ranges_are_wider),
        TEST(weights_are_repeated_rows),
        TEST(groups_are_resampled),
        TEST(order_does_not_matter),
        TEST(refusals),
        TEST(median),
        TEST(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
