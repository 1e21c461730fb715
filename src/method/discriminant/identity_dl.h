// SPDX-License-Identifier: BSD-3-Clause
/* The discriminants of discriminant.h with the identity ridge. */
#ifndef RUNG_METHOD_DISCRIMINANT_IDENTITY_DL_H
#define RUNG_METHOD_DISCRIMINANT_IDENTITY_DL_H

#include "method/discriminant/discriminant.h"

/* Like discriminant_fit without folds. U (n x K): classes by memberships of all rows, those of a row sum to 1 (WS-DL);
 * NULL: by the labels. */
rung_status identity_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out);
/* As discriminant_directions. */
rung_status identity_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out);

/* F (d x *rank, column-major, scratch) with X'X = F F' and F'F diagonal for the n rows of d numbers in X. */
rung_status identity_dl_root(rung_ctx *ctx, int64_t d, int64_t n, const double *X, int64_t *rank, double **F);

/* The room of a fit over n rows, without the graph itself: the kernel matrix, then its eigenvectors and LAPACK's work
 * space, or they, the coordinates and the matrix that is factored. */
double identity_dl_bytes(const problem_shape *shape, double n, bool graph);

#endif
