// SPDX-License-Identifier: BSD-3-Clause
/* Label propagation with a novel class: a walk over the graph that ends at the first labelled row, or, with probability
 * 1 - novel at every unlabelled one, in an unseen class.
 *
 *     F = (I - A D^-1 S)^-1 (I - A) Y,   A = diag(0 labelled, novel unlabelled),   Y: unlabelled rows start as novel
 *
 * Nie, Xiang, Liu, Zhang. A general graph-based semi-supervised learning with novel class discovery. Neural Computing
 * and Applications 19:549-555, 2010. */
#ifndef RUNG_GRAPH_NOVEL_H
#define RUNG_GRAPH_NOVEL_H

#include "linalg/la.h"

/* P (n x K): the columns of F without the novel one, rows made to sum to 1; the class frequencies of the labelled rows
 * for rows that no label reaches. S: non-negative weights, need not be symmetric. y: 1..K, 0 = unlabelled; there is a
 * labelled row. 0 <= novel < 1. Each number has the relative accuracy `accuracy`. */
#define NOVEL_ACCURACY 1e-12
rung_status propagate_novel(rung_ctx *ctx, const la_csr *S, int K, const int *y, double novel, double accuracy,
                            double *P);

#endif
