// SPDX-License-Identifier: BSD-3-Clause
/* Leading eigenvectors of large matrices, and orthonormal bases. */
#ifndef RUNG_LINALG_SUBSPACE_H
#define RUNG_LINALG_SUBSPACE_H

#include "linalg/la.h"

/* The r largest eigenvalues of the symmetric A, largest first, and their vectors as the columns of V (n x r), by
 * products of A with a thin block: |A v - value v| <= tolerance * largest value. Intended for positive semidefinite
 * matrices with a decaying spectrum. converged NULL: LAPACK is used if the iteration would take longer (small matrices,
 * many vectors, a flat spectrum, negative eigenvalues); otherwise *converged is set, and the values reached are
 * returned. */
rung_status la_leading(rung_ctx *ctx, const la_mat *A, int64_t r, double tolerance, double *values, la_mat *V,
                       bool *converged);

/* A = Q R with Q'Q = I and R upper triangular: A (n x m, m <= n) becomes Q, B (m x k) becomes R^-T B. RUNG_ESINGULAR
 * where a column depends on those before it. */
rung_status la_orthonormal(rung_ctx *ctx, la_mat *A, int64_t k, double *B);

/* -1 if the sign of v must change for its entry of largest modulus to be positive, the first one of those within 1e-9
 * of the largest; else 1. */
double la_sign_of(int64_t n, const double *v);

#endif
