// SPDX-License-Identifier: BSD-3-Clause
/* The smallest value of a quadratic form on a sphere:
 *
 *     minimise  t'H t + 2 t'c   subject to  |t|^2 = rho2,      H symmetric
 *
 * t is a global minimum exactly where (H - mu I) t = -c with H - mu I positive semidefinite, so the multiplier mu is
 * the one root of the secular equation |t(mu)|^2 = rho2 to the left of the smallest eigenvalue of H; the other roots
 * need not be considered. */
#ifndef RUNG_METHOD_TARGET_SECULAR_H
#define RUNG_METHOD_TARGET_SECULAR_H

#include "linalg/la.h"

typedef struct {
    double mu;
    bool hard; /* mu is the smallest eigenvalue: the sign along its eigenvector is free */
    int steps; /* of Newton's method */
} secular_root;

/* In the eigenvectors of H: mu (n) ascending, f = Psi'c, t = Psi xi. In the hard case the first eigenvector is taken
 * with a positive sign. n >= 1, rho2 >= 0. */
void secular_solve(int64_t n, const double *mu, const double *f, double rho2, double *xi, secular_root *out);

/* From S = H^-1 (n x n, positive definite) and b = -S c, the minimum without the sphere: t = (I - mu S)^-1 b by
 * Newton's method on Cholesky factors, without eigenvalues unless the case is hard or nearly so. */
rung_status secular_newton(rung_ctx *ctx, const la_mat *S, const double *b, double rho2, double *t, secular_root *out);

#endif
