// SPDX-License-Identifier: BSD-3-Clause
/* The discriminants of discriminant.h on landmark features: m x m systems for any number of rows. */
#ifndef RUNG_METHOD_DISCRIMINANT_LANDMARK_DL_H
#define RUNG_METHOD_DISCRIMINANT_LANDMARK_DL_H

#include "method/discriminant/discriminant.h"

/* Like discriminant_fit, with at most this number of landmarks. Held-out rows are removed from the graph, which is not
 * rebuilt. */
rung_status landmark_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const folds *f, fitted *out, held_out *held);
/* As discriminant_directions. */
rung_status landmark_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out);
/* WS-DL: classes given by memberships of all rows, U (n x K), those of a row sum to 1. */
rung_status landmark_dl_soft(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out);
/* Peak memory of the first two, with n rows in the graph (0: none) and this number of nearest neighbours. */
double landmark_dl_bytes(const problem_shape *shape, int64_t m, int64_t graph_rows, int nearest);
double landmark_soft_bytes(const problem_shape *shape, int64_t m, int nearest);

#endif
