// SPDX-License-Identifier: BSD-3-Clause
/* The functions of cli/experiment for test_statistics.py: one call per line of standard input, `name n k numbers...`,
 * one line of numbers per answer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/statistics/distributions.h"
#include "experiment/statistics/statistics.h"

static void answer(const char *name, int n, int k, const double *v)
{
    if (!strcmp(name, "friedman")) {
        double *rank = calloc((size_t)k, sizeof *rank);
        if (!rank) exit(1);
        friedman_test t = statistics_friedman(n, k, v, rank);
        printf("%.17g %.17g %.17g %.17g", t.chi_square, t.chi_square_p, t.f, t.f_p);
        for (int j = 0; j < k; j++) printf(" %.17g", rank[j]);
        free(rank);
    } else if (!strcmp(name, "wilcoxon")) {
        wilcoxon_test t = statistics_wilcoxon(n, v, v + n);
        printf("%.17g %.17g %.17g %d", fmin(t.plus, t.minus), fabs(t.z), t.p, t.exact);
    } else if (!strcmp(name, "t")) {
        paired_t_test t = statistics_paired_t(n, v, v + n);
        printf("%.17g %.17g", t.t, t.p);
    } else if (!strcmp(name, "holm")) {
        double *adjusted = calloc((size_t)n, sizeof *adjusted);
        if (!adjusted) exit(1);
        statistics_holm(n, v, adjusted);
        for (int i = 0; i < n; i++) printf("%.17g ", adjusted[i]);
        free(adjusted);
    } else if (!strcmp(name, "cd")) {
        printf("%.17g", statistics_critical_difference(n, k, v[0]));
    } else if (!strcmp(name, "nemenyi")) {
        printf("%.17g", statistics_nemenyi(n, k, v[0]));
    } else if (!strcmp(name, "range")) {
        printf("%.17g", range_tail(k, v[0]));
    } else if (!strcmp(name, "gamma")) {
        printf("%.17g", gamma_upper(v[0], v[1]));
    } else if (!strcmp(name, "beta")) {
        printf("%.17g", beta_lower(v[0], v[1], v[2]));
    } else if (!strcmp(name, "f")) {
        printf("%.17g", f_tail(v[0], v[1], v[2]));
    } else {
        exit(2);
    }
    printf("\n");
}

int main(void)
{
    static double v[100000];
    char name[32];
    int n, k, numbers;
    while (scanf("%31s %d %d %d", name, &n, &k, &numbers) == 4) {
        if (numbers > 100000) return 2;
        for (int i = 0; i < numbers; i++)
            if (scanf("%lf", &v[i]) != 1) return 2;
        answer(name, n, k, v);
    }
    return 0;
}
