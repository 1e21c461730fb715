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
void la_put(const double *host, la_mat *A); /* column-major, as large as A */
void la_get(const la_mat *A, double *host);
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

/* ---- symmetric matrices ---- */
void la_add_diagonal(la_mat *A, double alpha, const double *v); /* A += alpha diag(v); v NULL: alpha I */
double la_asymmetry(const la_mat *A);                           /* max |A_ij - A_ji| / max |A_ij| */

/* A = L L' in its lower triangle; the upper one is left as it is. RUNG_ESINGULAR tells the pivot that failed. */
rung_status la_potrf(rung_ctx *ctx, la_mat *A);
rung_status la_potrs(rung_ctx *ctx, const la_mat *L, int64_t k, double *B); /* B := (L L')^-1 B */
/* B := L_tail B (or L_tail' B) with the trailing m x m block of L: the factor of a Schur complement. */
void la_trmm_tail(const la_mat *L, int64_t m, bool transposed, int64_t k, double *B);
/* A = (L L')^-1 from the factor in its lower triangle; both triangles are filled. */
rung_status la_potri(rung_ctx *ctx, la_mat *A);

/* ---- orthogonal factorisation for a ridge least-squares problem ---- */
/* Minimises |B z - b|^2 + |z|^2 for the k columns of b by a QR factorisation of [I; B], which squares no condition
 * number. B (n x m) is destroyed. z is m x k. b (n x k) is overwritten by r with r'r = the Gram matrix of the residuals
 * [B z - b; z] (the residual in rotated coordinates). */
rung_status la_ridge_qr(rung_ctx *ctx, la_mat *B, int64_t k, double *b, double *z);

/* Orthonormal contrasts within groups (weighted Helmert columns), applied from the right: out (n x (n - groups)) =
 * alpha A W with W W' = blockdiag(D_g - D_g 1 1'D_g / 1'D_g 1), D_g = diag of the weights of group g. `order` lists the
 * rows group by group, group g taking size[g] of them; weight is indexed like A's columns, NULL = 1. */
rung_status la_group_contrasts(rung_ctx *ctx, const la_mat *A, double alpha, int groups, const int64_t *size,
                               const int64_t *order, const double *weight, la_mat *out);
/* y = W z for the same W: z is (n - groups) x k, y is n x k. */
void la_group_contrasts_thin(int64_t n, int groups, const int64_t *size, const int64_t *order, const double *weight,
                             int64_t k, const double *z, double *y);

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
