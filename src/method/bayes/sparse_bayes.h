// SPDX-License-Identifier: BSD-3-Clause
/* Sparse Bayesian ordinal regression: f(x) = sum_j w_j phi_j(x), w_j ~ N(0, 1/alpha_j), ordinal probit ranks. The log
 * evidence by Laplace's approximation,
 *     L(alpha) = sum_i log p_i - 1/2 w'A w + 1/2 sum_j log alpha_j - 1/2 log |A + Phi'H Phi|,
 * is raised by adding, re-estimating and deleting basis functions. With delta and H of the likelihood at the maximum
 * (w, b) and Sigma = (A + Phi'H Phi)^-1 a function phi has
 *     Q = phi'delta,   S = phi'H phi - c'Sigma c,   c = Phi'H phi,
 *     in the model, without itself:  s = alpha S / (alpha - S),   q = alpha Q / (alpha - S);    outside: s = S, q = Q.
 * Its best precision is s^2 / (q^2 - s) if q^2 > s, and infinite otherwise. */
#ifndef RUNG_METHOD_BAYES_SPARSE_BAYES_H
#define RUNG_METHOD_BAYES_SPARSE_BAYES_H

#include "method/bayes/probit_map.h"

typedef struct {
    probit_map_rows rows;
    const la_basis *basis;
    pool *mem; /* arrays are allocated at the start and only grow, so marks of the caller on the pool do not matter */
    la_tall *Phi; /* the active functions */
    int64_t M, room;
    int64_t *used;         /* the active functions, in the order in which they were added */
    double *alpha, *w, *b; /* M, M, K - 1 */
    double *length;        /* M: norms of the active columns */
    probit_map_state state;
    double log_evidence;
    double *factor;   /* M x M: the Cholesky factor of A + Phi'H Phi, lower triangle, after a refit */
    double *variance; /* M: the diagonal of Sigma, after a refit */
} sparse_model;

/* Without functions, thresholds at the class frequencies. */
rung_status sparse_start(rung_ctx *ctx, pool *mem, const probit_map_rows *rows, const la_basis *basis,
                         sparse_model *out);
/* The maximum (w, b) for the precisions as they are, Sigma and the evidence. tolerance: see probit_map_fit. */
rung_status sparse_refit(rung_ctx *ctx, sparse_model *m, double tolerance);

/* ---- possible actions ---- */

typedef enum { ACTION_NONE, ACTION_ADD, ACTION_ESTIMATE, ACTION_DELETE } action_kind;

typedef struct {
    action_kind kind;
    double gain;  /* of the evidence, with delta and H as they are */
    double alpha; /* afterwards; infinite: ACTION_DELETE or ACTION_NONE */
} sparse_action;

/* alpha: the precision now; infinite: not in the model. */
sparse_action sparse_best_action(double S, double Q, double alpha);
/* S and Q of functions outside the model, block by block. */
rung_status sparse_relevance(rung_ctx *ctx, const sparse_model *m, int64_t count, const int64_t *which, double *S,
                             double *Q);
/* Of function number j of the model, from Sigma and w alone. */
void sparse_own_relevance(const sparse_model *m, int64_t j, double *S, double *Q);

/* ---- performing an action; a refit must follow ---- */

/* The active function (its place) this column is nearly parallel to: cosine above 1 - 1e-5; -1: none. */
rung_status sparse_aligned(rung_ctx *ctx, const sparse_model *m, const double *column, int64_t *place);
rung_status sparse_add(rung_ctx *ctx, sparse_model *m, int64_t which, double alpha, const double *column);
void sparse_delete(sparse_model *m, int64_t place);

#endif
