// SPDX-License-Identifier: BSD-3-Clause
/* Learning with local and global consistency (LLGC): labels spread over a graph.
 *
 *     F = (I - a S)^-1 Y,   S = Deg^-1/2 W Deg^-1/2,   W_ij = exp(-d_ij^2 / (2 width^2)), W_ii = 0
 *
 * Zhou, Bousquet, Lal, Weston, Schoelkopf. Learning with local and global consistency. NIPS 16, 2004. */
#ifndef RUNG_GRAPH_PROPAGATE_H
#define RUNG_GRAPH_PROPAGATE_H

#include "data/row_groups.h"
#include "data/splits.h"
#include "graph/graph.h"

/* U (n x K) = memberships: rows of F made to sum to 1 (1/K where no label arrives), one-hot for rows labelled in y
 * (1..K, 0 = unlabelled). Each class has a labelled row. 0 < spread < 1. Over all pairs, as published, by Cholesky: */
rung_status propagate_dense(rung_ctx *ctx, const point_set *X, const ranked_rows *ranked, double width, double spread,
                            double *U);
/* The same F as it is. */
rung_status propagate_dense_scores(rung_ctx *ctx, const point_set *X, const ranked_rows *ranked, double width,
                                   double spread, double *F);
/* Over a sparse affinity (graph_edges with EDGE_GAUSSIAN), by conjugate gradients; columns of F are first scaled to the
 * same mass, so that a class does not win only because it has more labels. */
rung_status propagate_graph(rung_ctx *ctx, const la_csr *W, int K, const int *y, double spread, double *U);
/* The same F as it is. */
rung_status propagate_graph_scores(rung_ctx *ctx, const la_csr *W, int K, const int *y, double spread, double *F);

/* The parts needed for leave-one-out: F (n x K) = (I - a S)^-1 Y, not scaled, and of each labelled row, in their order,
 * the scores from all labels except its own (and those of equal rows): others (labelled x K by rows). Up to `dense`
 * rows (above PROPAGATE_DENSE the other way is faster) by Cholesky, beyond that by conjugate gradients. */
enum { PROPAGATE_DENSE = 4000 };
typedef struct {
    int K;
    const int *y;               /* of every row; 0: unlabelled */
    double spread;              /* a */
    int64_t dense;              /* above this many rows by conjugate gradients */
    const row_groups *together; /* of the labelled rows: equal ones, whose labels are all taken away; NULL: none */
} propagation;
double propagate_scores_bytes(double n, double l, int K);
rung_status propagate_scores(rung_ctx *ctx, const la_csr *W, const propagation *p, double *F, double *others);

#endif
