// SPDX-License-Identifier: BSD-3-Clause
/* Does it take several directions? The cumulative model whose chosen columns have a coefficient of their own at every
 * threshold,
 *     P(y <= q) = L(b_q - w's - v_q'x),   s: the other columns, x: the chosen ones,
 * beside the one with a single coefficient per column. log(L(u) - L(v)) is concave in (u, v), so Newton's iteration
 * finds the maximum; where sparse classes let it lie at infinity, the likelihood still converges. */
#ifndef RUNG_METHOD_BASELINE_PARTIAL_ODDS_H
#define RUNG_METHOD_BASELINE_PARTIAL_ODDS_H

#include "method/baseline/cumulative_link.h"

typedef struct {
    int64_t n;
    int d, K;
    const double *X; /* d x n */
    const bool *own; /* d: the chosen columns */
    const int *y, *upper;
    const double *weight; /* NULL: 1 */
    link_kind link;
    bool score; /* one step instead of the iteration: the score statistic */
} partial_odds;

/* Twice the log likelihood that the coefficients of their own gain over the maximum (w, b) of the model without them;
 * NaN: not found. */
rung_status partial_odds_gain(rung_ctx *ctx, const partial_odds *p, const double *w, const double *b, double *gain);

#endif
