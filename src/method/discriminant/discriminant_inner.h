// SPDX-License-Identifier: BSD-3-Clause
/* The two ways of solving a discriminant problem on its labelled rows, shared by the files of discriminant.c alone. */
#ifndef RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_INNER_H
#define RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_INNER_H

#include "method/discriminant/discriminant.h"

typedef struct {
    double *c;     /* one per labelled row */
    double *alpha; /* K - 1: the weights of the order constraints */
    bool degenerate;
} order_solution;

static inline double row_weight(const problem *p, int64_t i) { return p->w ? p->w[i] : 1; }

/* One coefficient per labelled row, and with folds the held-out scores. */
rung_status order_by_kernel_ridge(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                  const discriminant_params *params, const la_mat *G, const folds *f,
                                  order_solution *out, held_out *held);
/* Kernel ridge: C (l x K) = (I + P G)^-1 E R and gram = R'E'G (I + P G)^-1 E R, from S alone as in solve_classes. */
rung_status directions_by_kernel_ridge(rung_ctx *ctx, const problem *p, const class_index *classes,
                                       const discriminant_params *params, const la_mat *G, const double *R, double *C,
                                       double *gram);

/* For right-hand sides E R, R (K x m) combinations of the class means: C (n x m) = E R - W z, the Gram matrix of the
 * residuals (m x m) = R'E'G (I + P G)^-1 E R, and whether the combined means are nothing but rounding. */
rung_status least_squares(rung_ctx *ctx, const problem *p, const class_index *classes, const la_mat *Y, double factor,
                          int m, const double *R, double *C, double *gram, bool *coincide);
rung_status order_by_least_squares(rung_ctx *ctx, const problem *p, const class_index *classes,
                                   const discriminant_params *params, const regular_form *form, order_solution *out);

#endif
