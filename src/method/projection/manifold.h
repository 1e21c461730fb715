// SPDX-License-Identifier: BSD-3-Clause
/* Sparse matrices over the rows for the methods that learn along a manifold. */
#ifndef RUNG_METHOD_PROJECTION_MANIFOLD_H
#define RUNG_METHOD_PROJECTION_MANIFOLD_H

#include "problem/problem.h"

/* Affinities exp(-d^2 / (2 s)) of the or-graph, s the mean squared distance to the last neighbour. */
rung_status heat_graph(rung_ctx *ctx, problem *p, int64_t neighbours, const la_csr **out);

/* I - W: W_i are the weights with sum 1 by which the neighbours of row i reconstruct it best (Roweis and Saul, Science
 * 290:2323-2326, 2000; 1e-3 of the trace is added to each local Gram matrix); and its transpose. In the scratch
 * pool. */
rung_status reconstruction(rung_ctx *ctx, problem *p, int64_t neighbours, la_csr *out, la_csr *transposed);

/* The Laplacian of the ordinal and-graph (Liu, Liu, Chan, AAAI 2011, eq. 2-3): distances d_ij = (|y_i - y_j| + 1) |x_i
 * - x_j| determine the neighbours, mutual ones are connected with weight exp(-d_ij^2 / (2 sigma)), sigma the mean of
 * d^2 to the last neighbour. A distance to an unlabelled row is not multiplied. K: the Gram matrix where the kernel is
 * precomputed (then |x_i - x_j|^2 = K_ii + K_jj - 2 K_ij), else NULL. In the scratch pool. */
rung_status ordinal_laplacian(rung_ctx *ctx, const problem *p, const la_mat *K, int64_t neighbours, la_csr *out,
                              double *sigma);

#endif
