// SPDX-License-Identifier: BSD-3-Clause
/* Rows chosen together, by what their labels would tell about all others. */
#ifndef RUNG_SUGGEST_DESIGN_H
#define RUNG_SUGGEST_DESIGN_H

#include "data/dataset.h"

/* A Gaussian process over m rows of the data: C is the covariance (m x m) of its values given the labels so far. What
 * is not known is sum_i w_i C_ii; the label of row j, which is its value with a noise of variance v_j, reduces it by
 *     gain_j = sum_i w_i C_ij^2 / (C_jj + v_j),
 * which is large where a row stands for many others that are not known yet (Yu, Bi and Tresp. Active learning via
 * transductive experimental design. ICML 2006). The labels themselves do not matter, so a whole batch can be chosen. */
typedef struct {
    int64_t m;
    const int64_t *row; /* of the data, m */
    const double *w;    /* how much each counts, m */
    const double *v;    /* the noise of its label, m */
    double *C;          /* m x m, symmetric */
    double prior;       /* sum_i w_i at the start, of all variance */
} design;

/* Where no row is labelled. C is in mem. */
rung_status design_new(rung_ctx *ctx, pool *mem, const rung_data *data, int64_t m, const int64_t *row, const double *w,
                       const double *v, design *out);
double design_gain(const design *d, int64_t j);
double design_unknown(const design *d); /* sum_i w_i C_ii */
/* The best of the rows that are free (m flags); -1: none is. */
rung_status design_best(rung_ctx *ctx, const design *d, const bool *is_free, int64_t *out);
/* The label of row j is known from here on, with a noise of this variance. */
rung_status design_learn(rung_ctx *ctx, design *d, int64_t j, double v);

#endif
