// SPDX-License-Identifier: BSD-3-Clause
#include "eval/paired.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/rng.h"

enum { EXACT = 50 /* 2^50 sign patterns are counted exactly in a double */, RESAMPLES = 2000, STREAM = 0x70616972 };

typedef struct {
    double value;
    int64_t place;
} placed;

static int by_value(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* ---- Wilcoxon's signed ranks ---- */

/* Numbers of this size that differ by less are equal: means of the same errors in another order differ by rounding. */
static double rounding(int64_t n, const double *v)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return 1e-12 * largest;
}

/* P(W <= w), W the sum of those of the n ranks that carry a plus when each sign is a fair coin. Ranks and w are
 * doubled, so that shared ranks are whole numbers, too. */
static double rank_sum_lower(int n, const int *twice_rank, int twice_w)
{
    double ways[EXACT * (EXACT + 1) + 1] = {1}, below = 0;
    for (int i = 0, reach = 0; i < n; i++) {
        reach += twice_rank[i];
        for (int s = reach; s >= twice_rank[i]; s--) ways[s] += ways[s - twice_rank[i]];
    }
    for (int s = 0; s <= twice_w; s++) below += ways[s];
    return ldexp(below, -n);
}

/* Sums of the ranks of |d|; equal ones share the mean rank. size: the n differences that count, in ascending order of
 * their size; place: their sign. */
static void sum_ranks(int64_t n, const placed *size, double tolerance, int twice[EXACT], rung_wilcoxon_test *out,
                      double *squares)
{
    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && size[end].value - size[end - 1].value <= tolerance; end++) {}
        double rank = (double)(first + 1 + end) / 2;
        for (int64_t i = first; i < end; i++) {
            *(size[i].place > 0 ? &out->plus : &out->minus) += rank;
            *squares += rank * rank;
            if (i < EXACT) twice[i] = (int)(2 * rank);
        }
    }
}

rung_status paired_wilcoxon(rung_ctx *ctx, int64_t n, const double *a, const double *b, rung_wilcoxon_test *out)
{
    placed *size = NULL;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(a[i]) || !isfinite(b[i]))
            return set_error(ctx, RUNG_EARG, "pair %lld, %g and %g: expected two numbers", (long long)i + 1, a[i],
                             b[i]);
    int twice[EXACT] = {0};
    double tolerance = fmax(rounding(n, a), rounding(n, b)), squares = 0;
    *out = (rung_wilcoxon_test){.size = sizeof *out, .z = NAN, .p = 1, .exact = 1};
    TRY(NEW_RAW(ctx, &ctx->scratch, size, n));
    for (int64_t i = 0; i < n; i++) {
        double d = a[i] - b[i];
        if (fabs(d) <= tolerance)
            out->zeros++;
        else
            size[out->n++] = (placed){fabs(d), d > 0 ? 1 : -1};
    }
    qsort(size, (size_t)out->n, sizeof *size, by_value);
    sum_ranks(out->n, size, tolerance, twice, out, &squares);
    if (out->n == 0) return RUNG_OK;
    out->exact = out->n <= EXACT;
    out->z = (out->plus - out->minus) / sqrt(squares); /* the variance of the difference of the sums */
    out->p = out->exact ? fmin(1, 2 * rank_sum_lower((int)out->n, twice, (int)(2 * fmin(out->plus, out->minus))))
                        : erfc(fabs(out->z) / sqrt(2));
    return RUNG_OK;
}

rung_status paired_holm(rung_ctx *ctx, int n, double *p)
{
    placed *sorted = NULL;
    double largest = 0;
    for (int i = 0; i < n; i++)
        if (!(p[i] >= 0 && p[i] <= 1)) return set_error(ctx, RUNG_EARG, "%g is no p-value: expected 0 to 1", p[i]);
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted, n));
    for (int i = 0; i < n; i++) sorted[i] = (placed){p[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fmin(1, (n - i) * sorted[i].value));
        p[sorted[i].place] = largest;
    }
    return RUNG_OK;
}

/* ---- two sets of predictions ---- */

/* The 95 % range of the mean difference by resampling rows, those of both together. */
static rung_status bootstrap(rung_ctx *ctx, int64_t n, const double *a, const double *b, double *low, double *high)
{
    double *mean = NULL;
    rng random;
    TRY(NEW(ctx, &ctx->scratch, mean, RESAMPLES));
    rng_open(&random, ctx->seed, STREAM);
    for (int k = 0; k < RESAMPLES; k++) {
        if (k % 100 == 0) TRY(interrupted(ctx));
        for (int64_t i = 0; i < n; i++) {
            int64_t row = rng_below(&random, n);
            mean[k] += (b[row] - a[row]) / (double)n;
        }
    }
    qsort(mean, RESAMPLES, sizeof *mean, compare_numbers);
    *low = mean[(int)(0.025 * RESAMPLES)];
    *high = mean[(int)(0.975 * RESAMPLES) - 1];
    return RUNG_OK;
}

/* The p of the sum of the differences when the sign of each is a fair coin: is the mean error of one smaller? Exact
 * where the differences, which are whole numbers, sum to at most MOST; else by the normal approximation. */
static rung_status sign_flips(rung_ctx *ctx, int64_t n, const double *a, const double *b, double *p)
{
    enum { MOST = 2000 };
    double plus = 0, minus = 0, squares = 0, below = 0, *ways = NULL;
    for (int64_t i = 0; i < n; i++) {
        double d = b[i] - a[i];
        *(d > 0 ? &plus : &minus) += fabs(d);
        squares += d * d;
    }
    *p = squares > 0 ? erfc(fabs(plus - minus) / sqrt(2 * squares)) : 1;
    if (squares == 0 || plus + minus > MOST) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, ways, MOST + 1)); /* ways[s]: the probability that those with a plus sum to s */
    ways[0] = 1;
    for (int64_t i = 0, reach = 0; i < n; i++) {
        int64_t d = (int64_t)fabs(b[i] - a[i]);
        reach += d;
        for (int64_t s = reach; d > 0 && s >= 0; s--) ways[s] = (ways[s] + (s >= d ? ways[s - d] : 0)) / 2;
    }
    for (int64_t s = 0; s <= (int64_t)fmin(plus, minus); s++) below += ways[s];
    *p = fmin(1, 2 * below);
    return RUNG_OK;
}

/* McNemar's exact test: of the rows that only one of the two gets right, which one does? */
static double mcnemar(int64_t only_a, int64_t only_b)
{
    int64_t all = only_a + only_b, few = only_a < only_b ? only_a : only_b;
    double tail = 0, whole = lgamma((double)all + 1) - (double)all * log(2);
    for (int64_t k = 0; k <= few; k++) tail += exp(whole - lgamma((double)k + 1) - lgamma((double)(all - k) + 1));
    return fmin(1, 2 * tail);
}

static rung_status check(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *upper, const int *a,
                         const int *b)
{
    for (int64_t i = 0; i < n; i++) {
        const int ranks[] = {truth[i], a[i], b[i]};
        if (truth[i] && upper && (upper[i] < truth[i] || upper[i] > classes))
            return set_error(ctx, RUNG_EARG, "row %lld: %d..%d is no interval of the ranks 1..%d", (long long)i + 1,
                             truth[i], upper[i], classes);
        for (int k = 0; truth[i] && k < 3; k++)
            if (ranks[k] < 1 || ranks[k] > classes)
                return set_error(ctx, RUNG_EARG, "row %lld has the rank %d, which is not one of 1..%d",
                                 (long long)i + 1, ranks[k], classes);
    }
    return RUNG_OK;
}

/* From a label, or from the nearer end of an interval of them. */
static int distance(int low, int high, int rank) { return rank < low ? low - rank : rank > high ? rank - high : 0; }

rung_status paired_compare(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *upper, const int *a,
                           const int *b, rung_difference *out)
{
    double *error_a = NULL, *error_b = NULL;
    rung_wilcoxon_test signs;
    *out = (rung_difference){.size = sizeof *out};
    TRY(check(ctx, n, classes, truth, upper, a, b));
    TRY(NEW_RAW(ctx, &ctx->scratch, error_a, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, error_b, n));
    for (int64_t i = 0; i < n; i++) {
        if (!truth[i]) continue;
        int high = upper ? upper[i] : truth[i], from_a = distance(truth[i], high, a[i]),
            from_b = distance(truth[i], high, b[i]);
        error_a[out->n] = from_a;
        error_b[out->n] = from_b;
        out->only_a += from_a == 0 && from_b != 0;
        out->only_b += from_a != 0 && from_b == 0;
        out->difference += from_b - from_a;
        out->n++;
    }
    if (out->n < 1) return set_error(ctx, RUNG_EDATA, "no row is labelled, so there is nothing to compare");
    out->difference /= (double)out->n;
    TRY(bootstrap(ctx, out->n, error_a, error_b, &out->low, &out->high));
    TRY(sign_flips(ctx, out->n, error_a, error_b, &out->mae_p));
    TRY(paired_wilcoxon(ctx, out->n, error_b, error_a, &signs));
    out->wilcoxon = signs.p;
    out->mcnemar = mcnemar(out->only_a, out->only_b);
    return RUNG_OK;
}
