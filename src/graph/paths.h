// SPDX-License-Identifier: BSD-3-Clause
/* Distances along a graph. Edges carry squared lengths (graph_edges with EDGE_SQUARED). */
#ifndef RUNG_GRAPH_PATHS_H
#define RUNG_GRAPH_PATHS_H

#include "graph/graph.h"

/* The graph with the edges of the Euclidean minimum spanning tree of the columns of X (d x n) added: connected. */
rung_status graph_connected(rung_ctx *ctx, pool *mem, const la_csr *G, int64_t d, const double *X, la_csr *out);
/* D_ij = squared length of the shortest path from i to j; D is n x n. Unreachable points are as far as the farthest
 * reachable one. */
rung_status graph_geodesics(rung_ctx *ctx, const la_csr *G, la_mat *D);

#endif
