// SPDX-License-Identifier: BSD-3-Clause
/* Tall matrices whose columns are added and removed: the active columns of a sparse model over all rows, and the (many
 * more) candidate columns, which are computed when needed and never stored.
 *
 * Sums over the rows are divided into slices that depend only on the number of rows and are added in order, so the bits
 * do not depend on the threads. */
#ifndef RUNG_LINALG_TALL_H
#define RUNG_LINALG_TALL_H

#include "linalg/la.h"

typedef struct la_tall la_tall;

rung_status la_tall_new(rung_ctx *ctx, pool *mem, int64_t rows, la_tall **out); /* without columns */
int64_t la_tall_rows(const la_tall *T);
int64_t la_tall_cols(const la_tall *T);
rung_status la_tall_append(rung_ctx *ctx, la_tall *T, const double *column);
void la_tall_remove(la_tall *T, int64_t j);

rung_status la_tall_mul(rung_ctx *ctx, const la_tall *T, const double *x, double *y); /* y = T x */
/* S (cols x k) = T'V with V (rows x k). */
rung_status la_tall_sums(rung_ctx *ctx, const la_tall *T, int64_t k, const double *V, double *S);
/* S (cols x (groups + 1)) = T'V where V (rows x (groups + 1)) has two entries in row i: lower_i in column group_i - 1
 * and upper_i in column group_i; group_i is one of 1..groups. */
rung_status la_tall_group_sums(rung_ctx *ctx, const la_tall *T, int groups, const int *group, const double *lower,
                               const double *upper, double *S);
/* G = T' diag(h) T, both triangles; h >= 0. */
rung_status la_tall_gram(rung_ctx *ctx, const la_tall *T, const double *h, la_mat *G);

/* The columns a model may have. map NULL: column j is row j of X (a feature, or a column of a precomputed kernel);
 * otherwise its entries are map(x_i, x_j) over the columns of X (d x n), column j of X being its centre. */
typedef struct {
    const la_mat *X;
    const la_map *map;
    const double *norm; /* with a map: squared norms of the columns of X, from la_basis_norms */
} la_basis;

rung_status la_basis_norms(rung_ctx *ctx, pool *mem, const la_mat *X, double **out);
rung_status la_basis_column(rung_ctx *ctx, const la_basis *basis, int64_t j, double *column);
typedef struct {
    double *linear; /* m: B'v */
    double *square; /* m: diag(B' diag(h) B) */
    la_mat *cross;  /* cols of T x m: T' diag(h) B */
} la_products;
/* Columns `which` (m of them) against the rows and against T, block by block, none of them stored. */
rung_status la_basis_products(rung_ctx *ctx, const la_basis *basis, int64_t m, const int64_t *which, const la_tall *T,
                              const double *h, const double *v, const la_products *out);

#endif
