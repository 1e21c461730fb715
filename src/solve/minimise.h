// SPDX-License-Identifier: BSD-3-Clause
/* A smooth function of few variables, by L-BFGS (libLBFGS). */
#ifndef RUNG_SOLVE_MINIMISE_H
#define RUNG_SOLVE_MINIMISE_H

#include "base/context.h"

/* The value and the gradient at x. A failure ends the search and is what minimise returns. */
typedef rung_status minimise_fn(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient);

typedef struct {
    int most;         /* iterations */
    double tolerance; /* of |gradient| / max(1, |x|) */
} minimise_options;

/* x: where to start, and the best point met; value: the function there. It ends without complaint where rounding lets
 * no step get further. */
rung_status minimise(rung_ctx *ctx, minimise_fn *function, void *user, const minimise_options *options, int n,
                     double *x, double *value, int *iterations);

#endif
