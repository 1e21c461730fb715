// SPDX-License-Identifier: BSD-3-Clause
/* Each row as the nearest convex combination of its neighbours (Wang and Zhang, IEEE TKDE 20:55-67, 2008):
 *     minimise |x_i - sum_j s_ij x_j|^2   subject to  s_ij >= 0, sum_j s_ij = 1,   j over the neighbours of i.
 * A ridge of 1e-10 of the mean diagonal makes the weights unique. */
#ifndef RUNG_SOLVE_SIMPLEX_WEIGHTS_H
#define RUNG_SOLVE_SIMPLEX_WEIGHTS_H

#include "graph/graph.h"

/* S: row i holds the weights of its neighbours, not symmetric. X is d x n. */
rung_status simplex_weights(rung_ctx *ctx, pool *mem, int64_t d, const double *X, const neighbours *nb, la_csr *out);
/* The same for rows given only by a kernel matrix (n x n). */
rung_status simplex_weights_kernel(rung_ctx *ctx, pool *mem, const la_mat *K, const neighbours *nb, la_csr *out);
/* (S + S') / 2, symmetric to the bit, for a Laplacian. */
rung_status symmetric_part(rung_ctx *ctx, pool *mem, const la_csr *S, la_csr *out);

#endif
