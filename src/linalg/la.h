// SPDX-License-Identifier: BSD-3-Clause
/* la.h - the seam to linear algebra, and the only header of it that other folders include.
 *
 * Large matrices (n x n, d x n) are opaque and live where they are computed; they are worked on by the coarse
 * operations below, so a second back end (GPU, cluster) can be added behind this header without touching a method.
 * Matrices of n x K and smaller are plain column-major arrays of the host.
 *
 * The same input gives the same bits for any number of threads: work is cut into tiles whose size depends on the
 * shape alone, each tile is computed by single-threaded BLAS calls in a fixed order, and OpenMP only decides who
 * does it. Every operation counts its calls, flops and seconds in the context. */
#ifndef RUNG_LINALG_LA_H
#define RUNG_LINALG_LA_H

#include <stdbool.h>

#include "base/context.h"

typedef struct la_mat la_mat;

/* ---- memory ---- */
rung_status la_new(rung_ctx *ctx, pool *mem, int64_t rows, int64_t cols, la_mat **out); /* not initialised */
void la_free(pool *mem, la_mat *A);                                                     /* before its time */
int64_t la_rows(const la_mat *A);
int64_t la_cols(const la_mat *A);
rung_status la_put(rung_ctx *ctx, const double *host, la_mat *A); /* column-major, as large as A */
rung_status la_get(rung_ctx *ctx, const la_mat *A, double *host);
rung_status la_get_diagonal(rung_ctx *ctx, const la_mat *A, double *host);
/* out = A[rows, cols]; NULL: all of them in order. */
rung_status la_gather(rung_ctx *ctx, const la_mat *A, const int64_t *rows, const int64_t *cols, la_mat *out);

/* ---- kernels: a map of inner products or squared distances ---- */
typedef enum {
    LA_DOT,      /* x'z */
    LA_SQDIST,   /* |x-z|^2 */
    LA_EXP_SQ,   /* exp(-gamma |x-z|^2) */
    LA_EXP_NORM, /* exp(-gamma |x-z|) */
    LA_POLY      /* (gamma x'z + coef0)^degree */
} la_map_kind;

typedef struct {
    la_map_kind kind;
    double gamma, coef0;
    int degree;
} la_map;

/* K = map of the columns of X (d x n) against themselves: symmetric to the bit; distances exactly 0 and
 * exponentials exactly 1 on the diagonal. */
rung_status la_gram(rung_ctx *ctx, const la_mat *X, const la_map *map, la_mat *K);
/* K (n x m) = map of the columns of X (d x n) against those of Z (d x m). */
rung_status la_cross(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const la_map *map, la_mat *K);
/* F (n x o) = map(X, Z) C with C (m x o), without ever storing map(X, Z) whole. */
rung_status la_expand(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const la_map *map, int64_t o, const double *C,
                      double *F);
/* K = map of the squared distances D (LA_EXP_SQ, LA_EXP_NORM, LA_SQDIST); K may be D. */
rung_status la_map_distances(rung_ctx *ctx, const la_mat *D, const la_map *map, la_mat *K);

/* ---- products with thin matrices ---- */
/* C (rows x k) = alpha A B + beta C. */
rung_status la_mul(rung_ctx *ctx, double alpha, const la_mat *A, int64_t k, const double *B, double beta, double *C);
/* C (cols x k) = alpha A' B + beta C. */
rung_status la_mul_t(rung_ctx *ctx, double alpha, const la_mat *A, int64_t k, const double *B, double beta, double *C);
/* C (p x q) = A' B for thin host arrays A (n x p), B (n x q): blocked in a fixed order. */
rung_status la_thin_inner(rung_ctx *ctx, int64_t n, int64_t p, const double *A, int64_t q, const double *B, double *C);

/* ---- symmetric matrices ---- */
rung_status la_add_diagonal(rung_ctx *ctx, la_mat *A, double alpha, const double *v); /* v NULL: alpha I */
double la_asymmetry(const la_mat *A); /* max |A_ij - A_ji| / max |A_ij| */

/* A = L L' in its lower triangle; the upper one is left as it is. RUNG_ESINGULAR tells the pivot that failed. */
rung_status la_potrf(rung_ctx *ctx, la_mat *A);
rung_status la_potrs(rung_ctx *ctx, const la_mat *L, int64_t k, double *B); /* B := (L L')^-1 B */
/* B := L_tail^-1 B (or its transpose) with the trailing m x m block of L. */
rung_status la_trsm_tail(rung_ctx *ctx, const la_mat *L, int64_t m, bool transposed, int64_t k, double *B);
rung_status la_trmm_tail(rung_ctx *ctx, const la_mat *L, int64_t m, bool transposed, int64_t k,
                         double *B); /* B := L_tail B */
/* A = (L L')^-1 from the factor in its lower triangle; both triangles are filled. */
rung_status la_potri(rung_ctx *ctx, la_mat *A);

/* ---- orthogonal factorisation for a ridge least-squares problem ---- */
/* minimise |B z - b|^2 + |z|^2 for the k columns of b by a QR factorisation of [I; B]. B (n x m) is destroyed and
 * holds R' in its lower triangle afterwards (R'R = I + B'B). z is m x k; residual is (n + m) x k and its Gram
 * matrix that of the residual [B z - b; z] (in rotated coordinates). */
rung_status la_ridge_qr(rung_ctx *ctx, la_mat *B, int64_t k, const double *b, double *z, double *residual);

/* ---- small dense systems on the host (K x K) ---- */
rung_status la_small_spd_solve(rung_ctx *ctx, int n, double *A, int k, double *B); /* both overwritten */

/* ---- vectors ---- */
void la_exp(int64_t n, const double *x, double *y); /* y = exp(x), below 2 ulp, gradual underflow; y may be x */

/* ---- BLAS threads: one while a public call runs ---- */
void la_enter(void);
void la_leave(void);

/* ---- counters ---- */
const char *la_op_name(int index); /* NULL past the last */

#endif
