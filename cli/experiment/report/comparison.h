// SPDX-License-Identifier: BSD-3-Clause
/* Comparing the methods of an experiment. Fair and paired: only partitions that every method has finished count; a data
 * set without one is left out. */
#ifndef RUNG_CLI_REPORT_COMPARISON_H
#define RUNG_CLI_REPORT_COMPARISON_H

#include "experiment/report/results.h"
#include "experiment/statistics/statistics.h"

typedef struct {
    double p, adjusted;     /* of the mean ranks, without and with Holm's correction */
    duel sets;              /* data sets where the control is better, equal, worse, by the means */
    duel clear;             /* the same, by a paired t test over the partitions at level alpha */
    wilcoxon_test wilcoxon; /* over the means of the data sets; of a single data set: over its partitions */
    paired_t_test t;        /* of a single data set, over its partitions */
} rival;

typedef struct {
    int first, last; /* places in `order` */
} rank_group;

typedef struct {
    const results *r;
    double alpha;
    int n, k;          /* data sets that count, methods */
    int *set;          /* n of them */
    int *paired;       /* r->sets: partitions that all methods have finished */
    double *mean;      /* n x k, over those partitions */
    double *rank;      /* n x k */
    double *mean_rank; /* k */
    int *order;        /* methods by mean rank */
    bool tested;       /* n >= 2 and k >= 2: the following are there */
    friedman_test friedman;
    double critical; /* difference, Nemenyi */
    int groups;      /* of methods that the Nemenyi test does not distinguish: maximal ones, two or more methods */
    rank_group *group;
    int control;
    bool chosen;  /* the control, by these ranks */
    rival *rival; /* k; that of the control is not used */
} comparison;

/* control < 0: the method of the best mean rank. */
comparison comparison_new(const results *r, double alpha, int control);
void comparison_free(comparison *c);

/* One data set, so its partitions are compared: rival.t and rival.wilcoxon are over them. */
bool comparison_by_partitions(const comparison *c);

/* Runs of `order` no longer than the critical difference, those inside another left out; returns how many. out has room
 * for k. */
int rank_groups(int k, const double *mean_rank, const int *order, double critical, rank_group *out);

/* The comparison in sentences: NULL past the last. To be freed. */
char *comparison_sentence(const comparison *c, int index);

/* "0.0123" or "< 0.0001"; with equals "p = ": "p = 0.0123" or "p < 0.0001". */
typedef struct {
    char text[24];
} p_text;
p_text p_of(double p, const char *equals);

#endif
