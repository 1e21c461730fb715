// SPDX-License-Identifier: BSD-3-Clause
/* Proportional odds: the objective recomputed from its definition has no slope at the solution. */
#include "helper.h"

#include "base/rng.h"
#include "method/baseline/cumulative_link.h"

enum { N = 40, MOST_D = 5 };

static double distribution(link_kind link, double z)
{
    return link == LINK_LOGIT ? 1 / (1 + exp(-z)) : 0.5 * erfc(-z / sqrt(2));
}

static double objective(const cumulative_link *p, int64_t d, const double *X, const double *w, const double *b)
{
    double sum = 0, total = 0;
    for (int i = 0; i < N; i++) {
        double f = 0, weight = p->weight ? p->weight[i] : 1;
        for (int64_t j = 0; j < d; j++) f += w[j] * X[j + i * d];
        int high = highest_rank(p->y, p->upper, i);
        double up = high < p->K ? distribution(p->link, b[high - 1] - f) : 1;
        double down = p->y[i] > 1 ? distribution(p->link, b[p->y[i] - 2] - f) : 0;
        sum -= weight * log(up - down);
        total += weight;
    }
    sum /= total;
    for (int64_t j = 0; j < d; j++) sum += 0.5 * p->ridge * w[j] * w[j];
    return sum;
}

/* The second derivatives against differences of the objective. */
static void check_hessian(rung_ctx *ctx, const cumulative_link *p, int64_t d, const double *X, double *w, double *b)
{
    int64_t m = d + p->K - 1;
    double H[(MOST_D + 3) * (MOST_D + 3)], log_likelihood, total = 0, h = 1e-3;
    for (int i = 0; i < N; i++) total += p->weight ? p->weight[i] : 1;
    assert_ok(ctx, cumulative_link_hessian(ctx, p, w, b, H, &log_likelihood));
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k <= j; k++) {
            double *u = j < d ? &w[j] : &b[j - d], *v = k < d ? &w[k] : &b[k - d], sum = 0;
            for (int side = 0; side < 4; side++) {
                double from_u = *u, from_v = *v, a = side % 2 ? h : -h, c = side / 2 ? h : -h;
                *u += a;
                *v += c;
                sum += (side % 2 == side / 2 ? 1 : -1) * objective(p, d, X, w, b) / (4 * h * h);
                *u = from_u;
                *v = from_v;
            }
            assert_close(H[j + k * m] / total, sum, 2e-5);
        }
}

static void test_no_slope_is_left(void **state)
{
    rung_ctx *ctx = *state;
    rng g;
    rng_open(&g, 9, 1);
    for (int shape = 0; shape < 24; shape++) { /* from 12 on with intervals */
        int64_t d = shape % 3 == 0 ? 1 : MOST_D;
        int K = shape % 2 ? 2 : 4, y[N], upper[N];
        double X[N * MOST_D], weight[N], w[MOST_D], b[3], value;
        for (int i = 0; i < N; i++) {
            y[i] = 1 + i % K;
            upper[i] = i % 5 == 0 && i > 8 ? K : i % 5 == 1 && i > 8 && y[i] < K ? y[i] + 1 : y[i];
            weight[i] = 0.5 + i % 3;
            for (int64_t j = 0; j < d; j++) X[j + i * d] = rng_normal(&g) + (j == 0 ? 0.8 * y[i] : 0);
        }
        la_mat *rows;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, d, N, &rows));
        la_put(X, rows);
        cumulative_link p = {.X = rows,
                             .K = K,
                             .y = y,
                             .upper = shape < 12 ? NULL : upper,
                             .weight = shape % 4 == 3 ? weight : NULL,
                             .link = shape % 12 < 6 ? LINK_LOGIT : LINK_PROBIT,
                             .ridge = 0.01};
        assert_ok(ctx, cumulative_link_fit(ctx, &p, w, b, &value));
        assert_close(value, objective(&p, d, X, w, b), 1e-12);
        for (int64_t j = 0; j < d + K - 1; j++) {
            double *at = j < d ? &w[j] : &b[j - d], here = *at, h = 1e-4;
            *at = here + h;
            double up = objective(&p, d, X, w, b);
            *at = here - h;
            double down = objective(&p, d, X, w, b);
            *at = here;
            assert_true(fabs(up - down) / (2 * h) < 1e-8 && up > value && down > value);
        }
        check_hessian(ctx, &p, d, X, w, b);
    }
}

/* Columns that say nothing: thresholds at the log-odds (or quantiles) of the frequencies. */
static void test_without_columns(void **state)
{
    rung_ctx *ctx = *state;
    int y[10] = {1, 1, 2, 2, 2, 2, 2, 3, 3, 3};
    double X[10] = {0}, w, b[2], value;
    la_mat *rows;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 1, 10, &rows));
    la_put(X, rows);
    cumulative_link p = {.X = rows, .K = 3, .y = y, .ridge = 0.1};
    assert_ok(ctx, cumulative_link_fit(ctx, &p, &w, b, &value));
    assert_true(w == 0);
    assert_arrays_close(2, b, ((double[]){log(0.2 / 0.8), log(0.7 / 0.3)}), 1e-12);
}

/* Separable data: the ridge alone keeps the solution finite. */
static void test_separable(void **state)
{
    rung_ctx *ctx = *state;
    int y[6] = {1, 1, 2, 2, 3, 3};
    double X[6] = {-5, -4, -0.5, 0.5, 4, 5}, w, b[2], value;
    la_mat *rows;
    assert_ok(ctx, la_new(ctx, &ctx->scratch, 1, 6, &rows));
    la_put(X, rows);
    for (int link = 0; link < 2; link++) {
        cumulative_link p = {.X = rows, .K = 3, .y = y, .link = (link_kind)link, .ridge = 1e-8};
        assert_ok(ctx, cumulative_link_fit(ctx, &p, &w, b, &value));
        assert_true(isfinite(w) && w > 0 && b[0] < b[1] && value < 1e-4);
        assert_close(b[0], -b[1], 1e-5); /* as the data */
    }
}

/* Far from all rows the logistic function is an exponential, and a threshold has a closed form given the direction; one
 * that is out of its place by a hundredth adds less than 1e-13 to the objective. */
static void test_wide_gap(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 6 };
    int y[ROWS] = {1, 1, 2, 2, 3, 3};
    for (double gap = 1; gap < 3; gap += 0.125) {
        double X[ROWS] = {-gap - 0.5, -gap, 0, 0.5, 1.5, 2}, w, b[2], value, below = 0, above = 0;
        la_mat *rows;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, 1, ROWS, &rows));
        la_put(X, rows);
        cumulative_link p = {.X = rows, .K = 3, .y = y, .ridge = 1e-8};
        assert_ok(ctx, cumulative_link_fit(ctx, &p, &w, b, &value));
        for (int i = 0; i < 2; i++) below += exp(w * X[i]);
        for (int i = 2; i < 4; i++) above += exp(-w * X[i]);
        assert_close(b[0], (log(below) - log(above)) / 2, 1e-3);
    }
}

/* Few rows, many classes, columns of any size and hardly a ridge: steps that would put thresholds out of order are cut.
 */
static void test_long_steps(void **state)
{
    rung_ctx *ctx = *state;
    enum { MOST_K = 8 };
    rng g;
    rng_open(&g, 11, 1);
    for (int round = 0; round < 400; round++) {
        pool_mark mark = pool_here(&ctx->scratch);
        int K = 3 + (int)rng_below(&g, MOST_K - 2), y[N];
        int64_t d = 1 + rng_below(&g, MOST_D);
        double X[N * MOST_D], w[MOST_D], b[MOST_K - 1], value, size = pow(10, 2 - rng_uniform(&g) * 3);
        for (int64_t i = 0; i < N; i++) {
            y[i] = i < K ? (int)i + 1 : 1 + (int)rng_below(&g, rng_below(&g, 2) ? K : 2);
            for (int64_t j = 0; j < d; j++) X[j + i * d] = size * (rng_normal(&g) + (round % 3 == 0) * y[i]);
        }
        la_mat *rows;
        assert_ok(ctx, la_new(ctx, &ctx->scratch, d, N, &rows));
        la_put(X, rows);
        cumulative_link p = {.X = rows,
                             .K = K,
                             .y = y,
                             .link = round % 2 ? LINK_LOGIT : LINK_PROBIT,
                             .ridge = pow(10, -6 * rng_uniform(&g))};
        assert_ok(ctx, cumulative_link_fit(ctx, &p, w, b, &value));
        for (int q = 1; q < K - 1; q++) assert_true(b[q] > b[q - 1]);
        for (int64_t j = 0; j < d + K - 1; j++) {
            double *at = j < d ? &w[j] : &b[j - d], here = *at, h = 1e-3 * (j < d ? 1 / size : 1);
            for (int side = -1; side <= 1; side += 2) {
                *at = here + side * h;
                assert_true(objective(&p, d, X, w, b) >= value * (1 - 1e-12));
            }
            *at = here;
        }
        pool_release(&ctx->scratch, mark);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CONTEXT(test_no_slope_is_left), WITH_CONTEXT(test_without_columns),
                                       WITH_CONTEXT(test_separable), WITH_CONTEXT(test_wide_gap),
                                       WITH_CONTEXT(test_long_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
