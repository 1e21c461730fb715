// SPDX-License-Identifier: BSD-3-Clause
/* Scores under a quadratic penalty: the minimum over a of
 *
 *     1/2 a'K a + 1/2 f'W f - c'f,   f = K a,
 *
 * is f = H c with H = K (I + W K)^-1, and a = c - W f. W is positive semidefinite: a diagonal, a sparse matrix and one
 * of low rank, never formed. With the root of the kernel matrix, K = F F', this is H = F (I + F'W F)^-1 F': one
 * Cholesky factorisation, of the order of the rank of K. F is stored; or its rows are landmark features, which are not.
 */
#ifndef RUNG_SOLVE_GRAPH_RESPONSE_H
#define RUNG_SOLVE_GRAPH_RESPONSE_H

#include "kernel/landmark.h"

typedef struct { /* W = diag(diagonal) + weight * sparse - P core P' */
    int64_t n;
    const double *diagonal; /* n; NULL: 0 */
    const la_csr *sparse;   /* NULL: 0 */
    double weight;
    int rank;               /* 0: none */
    const double *P, *core; /* n x rank; rank x rank, symmetric */
} penalty;

typedef struct {
    const penalty *W;
    int64_t rank;    /* columns of F */
    const la_mat *F; /* n x rank; NULL: */
    const landmarks *l;
    const double *X; /* d x n: rows phi(x_i)' */
    bool constant;   /* and a last column of ones */
    la_mat *M;       /* Cholesky factor of I + F'W F */
} graph_response;

rung_status penalty_apply(rung_ctx *ctx, const penalty *W, int64_t k, const double *f, double *Wf); /* n x k */

/* The factor is in the scratch pool. */
rung_status graph_response_new(rung_ctx *ctx, const penalty *W, const la_mat *F, graph_response *out);
/* F = [Phi', 1], or Phi' without a constant, of all columns of X. */
rung_status graph_response_of_landmarks(rung_ctx *ctx, const penalty *W, const landmarks *l, const double *X,
                                        bool constant, graph_response *out);
/* z (rank x k) = (I + F'W F)^-1 F'c: the weights of the columns of F, f = F z. */
rung_status graph_response_weights(rung_ctx *ctx, const graph_response *r, int64_t k, const double *c, double *z);
/* f (n x k) = H c, and a (n x k) = c - W f. */
rung_status graph_response_apply(rung_ctx *ctx, const graph_response *r, int64_t k, const double *c, double *f,
                                 double *a);
/* G (l x l) = H[rows, rows], symmetric to the bit. */
rung_status graph_response_block(rung_ctx *ctx, const graph_response *r, int64_t l, const int64_t *rows, double *G);

#endif
