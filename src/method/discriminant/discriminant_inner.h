// SPDX-License-Identifier: BSD-3-Clause
/* A discriminant problem with the kernel ridge on its labelled rows, shared by the files of discriminant.c alone. */
#ifndef RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_INNER_H
#define RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_INNER_H

#include "method/discriminant/discriminant.h"

typedef struct {
    double *c;     /* one per labelled row */
    double *alpha; /* K - 1: the weights of the order constraints */
    bool degenerate;
} order_solution;

typedef struct { /* common input of all fits of the family */
    problem labelled;
    int64_t *rows; /* the labelled rows of the problem */
    class_index classes;
    dl_regulariser form;
    const la_mat *K;
    const discriminant_params *params;
} dl_setting;

static inline double row_weight(const problem *p, int64_t i) { return p->w ? p->w[i] : 1; }

/* One coefficient per labelled row, and with folds the held-out scores. */
rung_status order_by_kernel_ridge(rung_ctx *ctx, pool *mem, const dl_setting *s, const folds *f, order_solution *out,
                                  held_out *held);
/* C (l x K) = (I + P G)^-1 E R and gram = R'E'G (I + P G)^-1 E R, from S alone as in solve_classes.
 * Eigenvalues of gram up to *rounding are 0. */
rung_status directions_by_kernel_ridge(rung_ctx *ctx, const dl_setting *s, const double *R, double *C, double *gram,
                                       double *rounding);

#endif
