// SPDX-License-Identifier: BSD-3-Clause
#include "statistics/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "common.h"
#include "statistics/distributions.h"

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

static void ranks_within(int k, const double *value, double tolerance, double *rank)
{
    placed *sorted = sorted_places(k, value);
    for (int first = 0, end; first < k; first = end) {
        for (end = first + 1; end < k && sorted[end].value - sorted[end - 1].value <= tolerance; end++) {}
        for (int i = first; i < end; i++) rank[sorted[i].place] = (first + 1 + end) / 2.0;
    }
    free(sorted);
}

void statistics_ranks(int k, const double *value, double *rank) { ranks_within(k, value, rounding(k, value), rank); }

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

void statistics_holm(int m, const double *p, double *adjusted)
{
    placed *sorted = sorted_places(m, p);
    double largest = 0;
    for (int i = 0; i < m; i++) {
        double scaled = fmin(1, (m - i) * sorted[i].value);
        if (scaled > largest) largest = scaled;
        adjusted[sorted[i].place] = largest;
    }
    free(sorted);
}

/* ---- two methods ---- */

enum { EXACT = 50 }; /* 2^50 sign patterns are counted exactly in a double */

/* P(W <= w), W the sum of those of the n ranks that carry a plus when each sign is a fair coin. Ranks and w are
 * doubled, so that shared ranks are whole numbers, too. */
static double rank_sum_lower(int n, const int *twice_rank, int twice_w)
{
    int most = n * (n + 1);
    double *ways = allocate((size_t)most + 1, sizeof *ways), below = 0;
    ways[0] = 1;
    for (int i = 0, reach = 0; i < n; i++) {
        reach += twice_rank[i];
        for (int s = reach; s >= twice_rank[i]; s--) ways[s] += ways[s - twice_rank[i]];
    }
    for (int s = 0; s <= twice_w; s++) below += ways[s];
    free(ways);
    return ldexp(below, -n);
}

wilcoxon_test statistics_wilcoxon(int n, const double *a, const double *b)
{
    wilcoxon_test out = {.z = NAN, .p = 1, .exact = true};
    double *size = allocate((size_t)n, sizeof *size), *rank = allocate((size_t)n, sizeof *rank), squares = 0;
    bool *above = allocate((size_t)n, sizeof *above);
    int *twice = allocate(EXACT, sizeof *twice);
    double tolerance = fmax(rounding(n, a), rounding(n, b));
    for (int i = 0; i < n; i++) {
        double d = a[i] - b[i];
        if (fabs(d) <= tolerance) {
            out.zeros++;
            continue;
        }
        above[out.n] = d > 0;
        size[out.n++] = fabs(d);
    }
    ranks_within(out.n, size, tolerance, rank);
    for (int i = 0; i < out.n; i++) {
        *(above[i] ? &out.plus : &out.minus) += rank[i];
        squares += rank[i] * rank[i];
        if (i < EXACT) twice[i] = (int)(2 * rank[i]);
    }
    if (out.n > 0) {
        double least = fmin(out.plus, out.minus);
        out.exact = out.n <= EXACT;
        out.z = (out.plus - out.minus) / sqrt(squares); /* the variance of the difference of the sums */
        out.p = out.exact ? fmin(1, 2 * rank_sum_lower(out.n, twice, (int)(2 * least))) : normal_two_sided(out.z);
    }
    free(size);
    free(rank);
    free(above);
    free(twice);
    return out;
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
