// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/statistics/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/common.h"
#include "experiment/statistics/distributions.h"

typedef struct {
    double value;
    int place;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static placed *sorted_places(int n, const double *value)
{
    placed *sorted = allocate((size_t)n, sizeof *sorted);
    for (int i = 0; i < n; i++) sorted[i] = (placed){value[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, compare_placed);
    return sorted;
}

/* Numbers of this size that differ by less are equal: means of the same errors in another order differ by rounding. */
static double rounding(int n, const double *v)
{
    double largest = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(v[i]));
    return 1e-12 * largest;
}

void statistics_ranks(int k, const double *value, double *rank)
{
    placed *sorted = sorted_places(k, value);
    double tolerance = rounding(k, value);
    for (int first = 0, end; first < k; first = end) {
        for (end = first + 1; end < k && sorted[end].value - sorted[end - 1].value <= tolerance; end++) {}
        for (int i = first; i < end; i++) rank[sorted[i].place] = (first + 1 + end) / 2.0;
    }
    free(sorted);
}

/* ---- k methods on n blocks ---- */

/* The probability that n rankings of these ranks, shuffled at random, are all alike. */
static double all_alike(int n, int k, const double *rank)
{
    double arrangements = lgamma(k + 1.0);
    for (int j = 0; j < k; j++) {
        int ties = 1; /* of this one with those before it: the product over j is the product of the t! */
        for (int i = 0; i < j; i++) ties += rank[i] == rank[j];
        arrangements -= log(ties);
    }
    return exp(-(n - 1) * arrangements);
}

friedman_test statistics_friedman(int n, int k, const double *value, double *mean_rank)
{
    friedman_test out = {.n = n, .k = k, .df1 = k - 1, .df2 = (double)(k - 1) * (n - 1), .chi_square_p = 1, .f_p = 1};
    double *rank = allocate((size_t)k, sizeof *rank), spread = 0, between = 0, middle = (k + 1) / 2.0;
    for (int j = 0; j < k; j++) mean_rank[j] = 0;
    for (int i = 0; i < n; i++) {
        statistics_ranks(k, value + (size_t)i * (size_t)k, rank);
        for (int j = 0; j < k; j++) {
            mean_rank[j] += rank[j];
            spread += (rank[j] - middle) * (rank[j] - middle);
        }
    }
    free(rank);
    for (int j = 0; j < k; j++) { /* the sums are exact: ranks are multiples of 1/2 */
        double off = mean_rank[j] - n * middle;
        between += off * off;
        mean_rank[j] /= n;
    }
    if (spread == 0) return out;
    /* between / (n spread) <= 1, with equality if every block gives the same ranking */
    out.chi_square = (k - 1) * between / spread;
    out.chi_square_p = chi_square_tail(out.df1, out.chi_square);
    double left = n * spread - between;
    out.f = left > 0 ? (n - 1) * between / left : INFINITY;
    out.f_p = left > 0 ? f_tail(out.df1, out.df2, out.f) : all_alike(n, k, mean_rank);
    return out;
}

static double rank_error(int n, int k) { return sqrt(k * (k + 1.0) / (6.0 * n)); }

double statistics_critical_difference(int n, int k, double alpha)
{
    return range_quantile(k, alpha) / sqrt(2) * rank_error(n, k);
}

double statistics_nemenyi(int n, int k, double difference)
{
    return range_tail(k, fabs(difference) / rank_error(n, k) * sqrt(2));
}

double statistics_rank_p(int n, int k, double difference) { return normal_two_sided(difference / rank_error(n, k)); }

/* Of the library, for functions that have no session. */
static rung_ctx *context_open(void)
{
    rung_ctx *ctx;
    if (rung_ctx_new(&ctx) == RUNG_OK) return ctx;
    complain("out of memory");
    exit(FAILED);
}

static void context_close(rung_ctx *ctx, rung_status status)
{
    if (status != RUNG_OK) {
        complain("%s", rung_ctx_message(ctx));
        exit(FAILED);
    }
    rung_ctx_free(ctx);
}

void statistics_holm(int m, const double *p, double *adjusted)
{
    rung_ctx *ctx = context_open();
    for (int i = 0; i < m; i++) adjusted[i] = p[i];
    context_close(ctx, rung_holm(ctx, m, adjusted));
}

/* ---- two methods ---- */

wilcoxon_test statistics_wilcoxon(int n, const double *a, const double *b)
{
    rung_ctx *ctx = context_open();
    rung_wilcoxon_test t = {.size = sizeof t};
    context_close(ctx, rung_wilcoxon(ctx, n, a, b, &t));
    return (wilcoxon_test){(int)t.n, (int)t.zeros, t.plus, t.minus, t.z, t.p, t.exact != 0};
}

double statistics_mean(int n, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i];
    return sum / n;
}

double statistics_deviation(int n, const double *v)
{
    if (n < 2) return NAN;
    double mean = statistics_mean(n, v), squares = 0;
    for (int i = 0; i < n; i++) squares += (v[i] - mean) * (v[i] - mean);
    return sqrt(squares / (n - 1));
}

paired_t_test statistics_paired_t(int n, const double *a, const double *b)
{
    double *d = allocate((size_t)n, sizeof *d), tolerance = fmax(rounding(n, a), rounding(n, b));
    for (int i = 0; i < n; i++) d[i] = a[i] - b[i];
    paired_t_test out = {.mean = statistics_mean(n, d), .sd = statistics_deviation(n, d), .df = n - 1};
    free(d);
    if (fabs(out.mean) <= tolerance) out.mean = 0; /* rounding must count neither as a difference nor as a variance */
    if (out.sd <= tolerance) out.sd = 0;
    out.t = out.mean == 0 ? 0 : out.mean / (out.sd / sqrt(n));
    out.p = student_two_sided(out.df, out.t);
    return out;
}

duel statistics_duel(int n, const double *a, const double *b)
{
    duel out = {0};
    double tolerance = fmax(rounding(n, a), rounding(n, b));
    for (int i = 0; i < n; i++) {
        double d = a[i] - b[i];
        ++*(d < -tolerance ? &out.win : d > tolerance ? &out.loss : &out.draw);
    }
    return out;
}
