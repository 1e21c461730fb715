// SPDX-License-Identifier: BSD-3-Clause
/* Tests for comparing methods: over several data sets, and two at a time. Pure functions of finite numbers. p values
 * are two-sided where that has a meaning. Numbers are equal when they differ by less than 1e-12 of the largest: means
 * of the same errors in another order must not count as different. References: M. Friedman, JASA 32 (1937); R. Iman, J.
 * Davenport, Comm. Stat. A 9 (1980); P. Nemenyi (1963); S. Holm, Scand. J. Stat. 6 (1979); F. Wilcoxon, Biometrics 1
 * (1945); and how they are used on classifiers: J. Demsar, JMLR 7 (2006). */
#ifndef RUNG_CLI_STATISTICS_H
#define RUNG_CLI_STATISTICS_H

#include <stdbool.h>

/* Ranks of k numbers, the smallest has rank 1; equal ones share the mean of their places. */
void statistics_ranks(int k, const double *value, double *rank);

/* ---- k methods on n blocks (data sets, folds): value[i * k + j], smaller is better ---- */

typedef struct {
    int n, k;
    double chi_square, chi_square_p; /* Friedman's, corrected for ties; k - 1 degrees of freedom */
    /* Iman and Davenport's (n-1) chi^2 / (n (k-1) - chi^2), which is less conservative. If all blocks give the same
     * ranking it is infinite, and its p is the probability of this by chance. */
    double f, df1, df2, f_p;
} friedman_test;

/* mean_rank has room for k. Needs n >= 2 and k >= 2. Blocks on which all methods are equal carry no information; if all
 * blocks are such, both p are 1. */
friedman_test statistics_friedman(int n, int k, const double *value, double *mean_rank);

/* Mean ranks further apart than this differ at level alpha, every pair of methods compared (Nemenyi). */
double statistics_critical_difference(int n, int k, double alpha);
/* The p value of one such pair, `difference` of its mean ranks apart. */
double statistics_nemenyi(int n, int k, double difference);
/* The same without a correction: z = difference / sqrt(k (k+1) / (6 n)). For comparisons with a control, to be
 * corrected by statistics_holm. */
double statistics_rank_p(int n, int k, double difference);

/* Holm's correction of m p values: reject where adjusted[i] <= alpha. In the order of `p`; may be done in place. */
void statistics_holm(int m, const double *p, double *adjusted);

/* ---- two methods on the same n blocks ---- */

typedef struct {
    int n;              /* pairs that differ */
    int zeros;          /* pairs that do not: left out, as Wilcoxon did */
    double plus, minus; /* sums of the ranks of |a - b| where a > b, a < b; equal ones share the mean rank */
    double z;           /* of the normal approximation, with the variance corrected for ties; NaN when n = 0 */
    double p;           /* 1 when n = 0 */
    bool exact;         /* n <= 50: from the distribution of the rank sum itself, ties included; otherwise from z */
} wilcoxon_test;
wilcoxon_test statistics_wilcoxon(int n, const double *a, const double *b);

typedef struct {
    double mean, sd; /* of a - b; sd by n - 1 */
    double t, df, p; /* all differences the same: t is infinite and p 0, or, they are 0: t is 0 and p 1 */
} paired_t_test;
paired_t_test statistics_paired_t(int n, const double *a, const double *b); /* needs n >= 2 */

typedef struct {
    int win, draw, loss; /* blocks where a is smaller, equal, larger */
} duel;
duel statistics_duel(int n, const double *a, const double *b);

double statistics_mean(int n, const double *v);
double statistics_deviation(int n, const double *v); /* by n - 1; NaN for n < 2 */

#endif
