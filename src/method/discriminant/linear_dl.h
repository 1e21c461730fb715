// SPDX-License-Identifier: BSD-3-Clause
/* The discriminants of discriminant.h with a linear kernel and the identity ridge, in the primal: d x d systems. */
#ifndef RUNG_METHOD_DISCRIMINANT_LINEAR_DL_H
#define RUNG_METHOD_DISCRIMINANT_LINEAR_DL_H

#include "method/discriminant/discriminant.h"

/* Whether a problem is one: its kernel matrix then has a lower rank than rows. */
bool linear_dl_applies(const dl_problem *d);
/* Like discriminant_fit without folds. U (n x K): classes by memberships of all rows, those of a row sum to 1 (WS-DL);
 * NULL: by the labels. */
rung_status linear_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out);
/* As discriminant_directions. */
rung_status linear_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out);

/* F (d x *rank, column-major, scratch) with X'X = F F' for the n rows of d numbers in X. */
rung_status linear_dl_root(rung_ctx *ctx, int64_t d, int64_t n, const double *X, int64_t *rank, double **F);

#endif
