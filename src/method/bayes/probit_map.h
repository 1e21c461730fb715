// SPDX-License-Identifier: BSD-3-Clause
/* The joint maximum of
 *     F(w, b) = sum_i log p(y_i | f_i, b) - 1/2 sum_j alpha_j w_j^2,   f = T w,
 * over the weights w and the thresholds b: F is concave, so a damped Newton iteration finds it from anywhere, and
 * setting the derivative in b to zero is eq. 13-14 of the paper. sigma is 1: it only sets the scale of w and b.
 *
 * Li, de Rijke. Incremental sparse Bayesian ordinal regression. Neural Networks 106:294-302, 2018. */
#ifndef RUNG_METHOD_BAYES_PROBIT_MAP_H
#define RUNG_METHOD_BAYES_PROBIT_MAP_H

#include "linalg/tall.h"

typedef struct {
    int64_t n;
    int K; /* each of the ranks 1..K occurs */
    const int *y;
} probit_map_rows;

/* The state of the iteration. Its arrays are allocated at the start and only grow, so marks on the pool do not
 * matter. */
typedef struct {
    pool *mem;
    bool fresh;            /* all of this belongs to the (w, b) and the columns as they are */
    double *f;             /* n: latent values */
    double *H;             /* n: -d^2 log p / d f^2 */
    double *delta;         /* n: d log p / d f */
    double *lower, *upper; /* n: -d^2 log p / d f d b at the thresholds b_{y-1} and b_y of a row; 0: none */
    double *gradient, *diagonal, *next; /* K - 1: d/db_j, -d^2/db_j^2, -d^2/db_j db_{j+1} of the log likelihood */
    double *gram;                       /* M x M: T' diag(H) T */
    int64_t room;                       /* M at most, of gram */
    double log_likelihood, log_posterior;
    double null_likelihood; /* of the class frequencies */
    int steps;              /* of the last call */
} probit_map_state;

rung_status probit_map_state_new(rung_ctx *ctx, pool *mem, const probit_map_rows *rows, probit_map_state *out);
/* T got one more column, of weight 0: a fresh state stays fresh. */
rung_status probit_map_state_grow(rung_ctx *ctx, probit_map_state *state, const la_tall *T, const double *column);
/* The thresholds of a model without columns: at the class frequencies. */
void probit_map_null_thresholds(const probit_map_rows *rows, double *b);
/* w (cols of T) and b (K - 1, ascending): where to start, and the maximum. The last step begins where F is about
 * tolerance max(1, |F|) below the maximum, and Newton's steps square such a distance. */
rung_status probit_map_fit(rung_ctx *ctx, const probit_map_rows *rows, const la_tall *T, const double *alpha,
                           double tolerance, double *w, double *b, probit_map_state *state);

#endif
