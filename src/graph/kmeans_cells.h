// SPDX-License-Identifier: BSD-3-Clause
/* Nearest neighbours of very many rows: exact within the cells of a k-means clustering that are nearest to a row. The
 * number of cells is determined on rows whose true neighbours are computed, so that at least `recall` (above 0) of them
 * are found. */
#ifndef RUNG_GRAPH_KMEANS_CELLS_H
#define RUNG_GRAPH_KMEANS_CELLS_H

#include "linalg/la.h"

/* The recall for graphs: the share over all rows may be slightly below that over the rows checked. */
#define NEIGHBOUR_RECALL 0.96

/* Among the columns of X (d x n); k x n, nearest first, ties by index. found: the share of true neighbours among those
 * checked. Deterministic by the context's seed. */
rung_status kmeans_cells_neighbours(rung_ctx *ctx, const la_mat *X, int64_t k, double recall, int64_t *index,
                                    double *d2, double *found);

#endif
