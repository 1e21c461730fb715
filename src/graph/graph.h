// SPDX-License-Identifier: BSD-3-Clause
/* Graphs over the rows: symmetric affinities from neighbours, and their Laplacians. */
#ifndef RUNG_GRAPH_GRAPH_H
#define RUNG_GRAPH_GRAPH_H

#include "graph/neighbours.h"

typedef enum {
    GRAPH_OR, /* i and j are connected if one is a neighbour of the other */
    GRAPH_AND /* ... if each is */
} graph_rule;

typedef enum {
    EDGE_BINARY,   /* 1 */
    EDGE_GAUSSIAN, /* exp(-d^2 / (2 width^2)) */
    EDGE_SQUARED   /* d^2: not an affinity, but lengths for paths and medians */
} edge_weight;

typedef enum {
    LAPLACIAN_PLAIN,     /* Deg - S: rows sum to 0 */
    LAPLACIAN_NORMALISED /* I - Deg^-1/2 S Deg^-1/2 */
} laplacian_norm;

/* Symmetric to the bit. */
rung_status graph_edges(rung_ctx *ctx, pool *mem, const neighbours *nb, graph_rule rule, edge_weight weight,
                        double width, la_csr *out);
double graph_edges_bytes(double n, double k); /* of k neighbours, none of them mutual */
/* What finding k neighbours of each row and joining them holds at most, beside the rows. */
double graph_bytes(double n, double d, double k, int threads);
void graph_degrees(const la_csr *S, double *degree);
/* The row of a point without neighbours is 0 in both. Every row has an entry on the diagonal. */
rung_status graph_laplacian(rung_ctx *ctx, pool *mem, const la_csr *S, laplacian_norm norm, la_csr *out);

/* X (n x k) = A^-1 B for a sparse symmetric positive definite A by conjugate gradients, each column to the relative
 * residual `tolerance`; RUNG_ENOCONV after `iterations`. */
rung_status graph_solve(rung_ctx *ctx, const la_csr *A, int64_t k, const double *B, double tolerance, int iterations,
                        double *X);

#endif
