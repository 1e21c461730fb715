// SPDX-License-Identifier: BSD-3-Clause
/* The minimum of a smooth function by the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno. */
#ifndef RUNG_SOLVE_MINIMISE_H
#define RUNG_SOLVE_MINIMISE_H

#include "base/context.h"

/* The value and the gradient at x; an infinite value: none there. A failure ends the search and is what minimise
 * returns. */
typedef rung_status minimise_fn(rung_ctx *ctx, void *user, int n, const double *x, double *value, double *gradient);

/* v := M^-1 v for a positive definite M like the Hessian where the function was last evaluated. */
typedef rung_status minimise_scale_fn(rung_ctx *ctx, void *user, int n, double *v);

typedef struct {
    int most;                 /* iterations */
    double tolerance;         /* of the largest entry of the gradient, as a share of max(1, |value|) */
    double enough;            /* of the largest entry of the gradient: below it the search ends where steps are noise */
    minimise_scale_fn *scale; /* NULL: M = I */
} minimise_options;

typedef enum {
    MINIMISE_FOUND, /* the gradient is within the tolerance */
    MINIMISE_CUT,   /* `most` iterations are done */
    MINIMISE_STUCK  /* no step decreases the value, not even along the gradient, or steps are noise */
} minimise_end;

typedef struct {
    double value, slope; /* at the point returned: the function, the largest entry of its gradient */
    int iterations;
    minimise_end end;
} minimise_result;

/* x: where to start, and the point reached. */
rung_status minimise(rung_ctx *ctx, minimise_fn *function, void *user, const minimise_options *options, int n,
                     double *x, minimise_result *out);

#endif
