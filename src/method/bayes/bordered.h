// SPDX-License-Identifier: BSD-3-Clause
/* The symmetric positive definite system
 *     [ A + diag(a)  B ] [x]   [g]
 *     [ B'           T ] [z] = [h]     with a tridiagonal T
 * of weights x and thresholds z. T = L D L' takes J steps; left is the Schur complement of x, with B T^-1 B' = Y D^-1
 * Y', Y' = L^-1 B': M^2 J + M^3/3 products where a factorisation of the whole takes (M + J)^3/3. */
#ifndef RUNG_METHOD_BAYES_BORDERED_H
#define RUNG_METHOD_BAYES_BORDERED_H

#include "linalg/la.h"

typedef struct {
    int64_t M, J;                  /* J >= 1 */
    const double *A, *a;           /* M x M, M */
    const double *B;               /* M x J */
    const double *diagonal, *next; /* of T: J, and J - 1 beside it */
} bordered;

/* With ridge times I added to the whole. x holds g and z holds h, which the solution replaces. RUNG_ESINGULAR: not
 * positive definite to working precision; x and z are as they were. */
rung_status bordered_solve(rung_ctx *ctx, const bordered *s, double ridge, double *x, double *z);

#endif
