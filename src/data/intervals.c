// SPDX-License-Identifier: BSD-3-Clause
#include "data/intervals.h"

#include <math.h>
#include <string.h>

/* ---- classes ---- */

static void count_up(int K, const bool *present, int *upto)
{
    upto[0] = 0;
    for (int q = 1; q <= K; q++) upto[q] = upto[q - 1] + present[q];
}

/* Intervals without a class, by the usual greedy choice of points: the interval that ends first, and all those that
 * begin before its end, share a class in the middle of what they have in common. False: none is left. */
static bool stab(int64_t n, const int64_t *rows, const int *y, const int *upper, const int *upto, int *class)
{
    int end = 0, begin = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < n; k++) {
            int64_t i = rows ? rows[k] : k;
            if (!y[i] || upto[upper[i]] > upto[y[i] - 1]) continue;
            if (pass == 0 && (end == 0 || upper[i] < end)) end = upper[i];
            if (pass == 1 && y[i] <= end && y[i] > begin) begin = y[i];
        }
    *class = (begin + end) / 2;
    return end > 0;
}

rung_status classes_present(rung_ctx *ctx, int64_t n, const int64_t *rows, const int *y, const int *upper, int K,
                            int *upto)
{
    pool_mark mark = pool_here(&ctx->scratch);
    bool *present = NULL;
    int class;
    TRY(NEW(ctx, &ctx->scratch, present, (int64_t)K + 1));
    for (int64_t k = 0; k < n; k++) {
        int64_t i = rows ? rows[k] : k;
        if (!is_interval(y, upper, i)) present[y[i]] = true;
    }
    count_up(K, present, upto);
    while (upper && stab(n, rows, y, upper, upto, &class)) {
        present[class] = true;
        count_up(K, present, upto);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

int classes_list(int K, const int *upto, int *classes)
{
    for (int q = 1; q <= K; q++)
        if (upto[q] > upto[q - 1]) classes[upto[q] - 1] = q;
    return upto[K];
}

/* ---- frequencies ---- */

static double sum_of(int low, int high, const double *mass)
{
    double sum = 0;
    for (int q = low; q <= high; q++) sum += mass[q - 1];
    return sum;
}

double label_share(int low, int high, int q, const double *mass)
{
    if (low == high) return q == low;
    return q < low || q > high ? 0 : mass[q - 1] / sum_of(low, high, mass);
}

double label_share_above(int low, int high, int q, const double *mass)
{
    if (low > q) return 1;
    return high <= q ? 0 : sum_of(q + 1, high, mass) / sum_of(low, high, mass);
}

/* weight[(low - 1) * K + high - 1] of the intervals; mass: that of the labels of one class. */
static void add_intervals(int K, const double *weight, const double *by, double *mass)
{
    for (int low = 1; low <= K; low++)
        for (int high = low + 1; high <= K; high++) {
            double w = weight[(int64_t)(low - 1) * K + high - 1], sum = w > 0 ? sum_of(low, high, by) : 0;
            for (int q = low; q <= high && sum > 0; q++) mass[q - 1] += w * by[q - 1] / sum;
        }
}

rung_status class_masses(rung_ctx *ctx, int64_t n, const int *y, const int *upper, const double *weight, int K,
                         double *mass)
{
    enum { MOST_STEPS = 1000 };
    static const double SETTLED = 1e-14;
    double *intervals = NULL, *named = NULL, *before = NULL, all = 0, moved = INFINITY;
    memset(mass, 0, (size_t)K * sizeof *mass);
    for (int64_t i = 0; i < n; i++)
        if (y[i] && !is_interval(y, upper, i)) mass[y[i] - 1] += weight ? weight[i] : 1;
    if (!upper) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, intervals, (int64_t)K * K));
    TRY(NEW(ctx, &ctx->scratch, named, K));
    TRY(NEW(ctx, &ctx->scratch, before, K));
    memcpy(named, mass, (size_t)K * sizeof *named);
    for (int64_t i = 0; i < n; i++) {
        if (y[i]) all += weight ? weight[i] : 1;
        if (is_interval(y, upper, i)) intervals[(int64_t)(y[i] - 1) * K + upper[i] - 1] += weight ? weight[i] : 1;
    }
    for (int q = 0; q < K; q++) before[q] = 1;
    add_intervals(K, intervals, before, mass); /* to begin with in equal parts */
    for (int step = 0; step < MOST_STEPS && moved > SETTLED * all; step++) {
        memcpy(before, mass, (size_t)K * sizeof *mass);
        memcpy(mass, named, (size_t)K * sizeof *mass);
        add_intervals(K, intervals, before, mass);
        moved = 0;
        for (int q = 0; q < K; q++) moved = fmax(moved, fabs(mass[q] - before[q]));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
