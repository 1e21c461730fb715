// SPDX-License-Identifier: BSD-3-Clause
/* The discriminants of discriminant.h on landmark features: m x m systems whatever the number of rows. */
#ifndef RUNG_METHOD_DISCRIMINANT_LANDMARK_DL_H
#define RUNG_METHOD_DISCRIMINANT_LANDMARK_DL_H

#include "method/discriminant/discriminant.h"

/* As discriminant_fit, with at most so many landmarks. Held-out rows leave the graph, which is not drawn again. */
rung_status landmark_dl_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const folds *f, fitted *out, held_out *held);
/* As discriminant_directions. */
rung_status landmark_dl_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out);
/* WS-DL: classes given by memberships of all rows, U (n x K), those of a row sum to 1. */
rung_status landmark_dl_soft(rung_ctx *ctx, pool *mem, const dl_problem *d, const double *U, fitted *out);
/* Peak memory of the first two, n rows in the graph (0: none) with so many nearest neighbours. */
double landmark_dl_bytes(const problem_shape *shape, int64_t m, int64_t graph_rows, int nearest);
double landmark_soft_bytes(const problem_shape *shape, int64_t m, int nearest);

#endif
