// SPDX-License-Identifier: BSD-3-Clause
/* Sparse Cholesky factorisation with a fixed pattern, H = L L', in the order given. From where all further columns of L
 * are full they are one dense matrix. The entries of H^-1 where L has some follow without the others (Takahashi, Fagan,
 * Chen. Formation of a sparse bus impedance matrix and its application to short circuit study. Proc. 8th PICA
 * Conference, 1973). */
#ifndef RUNG_METHOD_MIXED_FACTOR_H
#define RUNG_METHOD_MIXED_FACTOR_H

#include "linalg/la.h"

typedef struct factor factor;

/* first (n + 1), row: the rows of each column of H below its diagonal, ascending. RUNG_ELIMIT: L has no room. */
rung_status factor_new(rung_ctx *ctx, int64_t n, const int64_t *first, const int64_t *row, factor **out);
/* The entry i, j (i >= j) of the lower triangle, to be written before factor_make. */
double *factor_entry(factor *f, int64_t i, int64_t j);
void factor_clear(factor *f); /* all entries 0 */
/* RUNG_ESINGULAR: H is not positive definite. */
rung_status factor_make(rung_ctx *ctx, factor *f, double *log_determinant);
rung_status factor_solve(rung_ctx *ctx, const factor *f, double *x); /* x := H^-1 x, after factor_make */
rung_status factor_invert(rung_ctx *ctx, factor *f);                 /* after factor_make; L stays */
double factor_inverse(const factor *f, int64_t i, int64_t j);        /* an entry where L has one, i >= j */

#endif
