// SPDX-License-Identifier: BSD-3-Clause
/* Integrals over a normal variable by Gauss-Hermite quadrature. */
#ifndef RUNG_SOLVE_HERMITE_H
#define RUNG_SOLVE_HERMITE_H

enum { HERMITE_MOST = 100 };

/* n nodes, 1 to HERMITE_MOST, ascending and symmetric about 0, and weights that add up to 1: the sum of weight_k f(x_k)
 * is the mean of f(x) for a standard normal x, exactly where f is a polynomial of degree 2n - 1 at most. */
void hermite_nodes(int n, double *x, double *weight);

#endif
