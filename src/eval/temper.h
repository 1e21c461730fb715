// SPDX-License-Identifier: BSD-3-Clause
/* Probabilities made as certain as held-out rows justify: a mean over several powers of them, and the class
 * frequencies,
 *     p' = sum_j weight_j p^power_j / sum_q p_q^power_j + frequency.
 * With few labels a method is often too sure of itself, and now and then excludes a class altogether. Powers below 1
 * (temperatures above 1; Guo, Pleiss, Sun, Weinberger, ICML 2017) flatten, the frequencies set a floor. */
#ifndef RUNG_EVAL_TEMPER_H
#define RUNG_EVAL_TEMPER_H

#include "base/context.h"

typedef struct {
    int n;             /* powers; 0: the probabilities stay as they are */
    double *power;     /* > 0 */
    double *weight;    /* >= 0 */
    double *frequency; /* K: class frequencies times their weight; all weights sum to 1 */
} tempering;

/* Probabilities of held-out rows. Rows of a part were predicted, and are tempered here, without one another. */
typedef struct {
    int64_t n;
    int K, parts;
    const double *proba;  /* n x K by rows */
    const int *y;         /* 1..K */
    const int *upper;     /* where labels are intervals (data/intervals.h), which count by their mass; else NULL */
    const int *part;      /* 0..parts-1 */
    const double *weight; /* >= 0; the total is the number of rows they count for */
    const double *count;  /* K: labelled rows of the classes, in the same weights */
} temper_rows;

/* The mean over a grid of powers t and shares s of the class frequencies, p' = (1 - s) p^t + s f, each weighted by its
 * posterior s^(1/4) exp(- log loss of the rows). A choice by few rows would be far off now and then, the mean is not.
 * s = 0 is no candidate: a class is not impossible because no row shows it. With many rows that are well predicted, all
 * weight is on t = 1 and the smallest s. crossed (n x K): every row tempered by the rows of other parts. */
rung_status temper_fit(rung_ctx *ctx, pool *mem, const temper_rows *rows, tempering *out, double *crossed);

/* out (K): the tempered probabilities; p is overwritten. */
void temper_apply(const tempering *t, int K, double *p, double *out);

#endif
