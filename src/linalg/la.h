// SPDX-License-Identifier: BSD-3-Clause
/* la.h - the interface to linear algebra; other folders include only this header, subspace.h and tall.h.
 *
 * Large matrices (n x n, d x n) are opaque and live where they are computed; they are worked on by the coarse
 * operations below, so a second back end (GPU, cluster) can be added behind this header without touching a method.
 * Matrices of n x K and smaller are plain column-major arrays of the host.
 *
 * The same input gives the same bits for any number of threads: work is divided into tiles whose size depends only on
 * the shape, each tile is computed by single-threaded BLAS calls in a fixed order, and OpenMP only decides which thread
 * does it. Every operation counts its calls, flops and seconds in the context. */
#ifndef RUNG_LINALG_LA_H
#define RUNG_LINALG_LA_H

#include <stdbool.h>

#include "base/context.h"

typedef struct la_mat la_mat;

typedef struct { /* n points of d coordinates, one after the other */
    int64_t d, n;
    const double *X;
} point_set;

/* ---- memory ---- */
rung_status la_new(rung_ctx *ctx, pool *mem, int64_t rows, int64_t cols, la_mat **out); /* not initialised */
void la_free(pool *mem, la_mat *A);                                                     /* before its time */
void la_narrow(la_mat *A, int64_t cols); /* uses the first columns of those it was made with */
int64_t la_rows(const la_mat *A);
int64_t la_cols(const la_mat *A);
void la_put(const double *host, la_mat *A); /* column-major, as large as A */
void la_get(const la_mat *A, double *host);
/* out = A[rows, cols]; NULL: all of them in order. */
rung_status la_gather(rung_ctx *ctx, const la_mat *A, const int64_t *rows, const int64_t *cols, la_mat *out);
void la_pick(const la_mat *A, int64_t m, const int64_t *rows, int64_t n, const int64_t *cols,
             double *host); /* a few entries: m x n */
/* Columns j.. of B (as many as A has) = rows i.. of A (as many as B has). */
rung_status la_put_columns(rung_ctx *ctx, const la_mat *A, int64_t i, la_mat *B, int64_t j);
rung_status la_transpose(rung_ctx *ctx, const la_mat *A, la_mat *out);
/* A_ij = table[row_i + col_j * groups]: a matrix that depends on the groups (ranks) of its row and column alone. */
rung_status la_lookup(rung_ctx *ctx, int groups, const double *table, const int *row, const int *col, la_mat *A);

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
/* What la_expand holds at most. */
double la_expand_bytes(int64_t n, int64_t d, int64_t o, int threads);
/* Sums over the columns z_j of Z (d x n) of f_j = map(X, z_j) - shift, X d x m, without ever storing them all. f_j and
 * products are in single precision, sums over many columns in double: about their mean, the error is that of
 * independent roundings. */
typedef struct {
    const la_mat *X, *Z;
    const la_map *map;
    const double *shift; /* m */
    int groups;
    const double *E;     /* n x groups ... */
    double *sums;        /* ... m x groups: += sum_j f_j e_j' */
    const double *scale; /* n, NULL: 1 ... */
    la_mat *C;           /* ... m x m, symmetric: += sum_j scale_j^2 f_j f_j'; NULL: not wanted */
} la_single_sums;
rung_status la_cross_sums(rung_ctx *ctx, const la_single_sums *s);
/* K = map of the squared distances D (LA_EXP_SQ, LA_EXP_NORM, LA_SQDIST); K may be D. */
rung_status la_map_distances(rung_ctx *ctx, const la_mat *D, const la_map *map, la_mat *K);

/* ---- products with thin matrices ---- */
/* C (rows x k) = alpha A B + beta C. */
rung_status la_mul(rung_ctx *ctx, double alpha, const la_mat *A, int64_t k, const double *B, double beta, double *C);

typedef struct { /* an array of the host, column-major */
    int64_t rows, cols;
    const double *v;
} la_thin_mat;
/* C = alpha op(A) B + beta C, all of them thin; op(A) is A or A'. */
void la_thin(bool transpose_a, double alpha, la_thin_mat A, la_thin_mat B, double beta, double *C);

/* ---- products of large matrices: op(A) is A, or A' where its flag says so ---- */
/* C = alpha op(A) op(B) + beta C; beta = 0: C is not read. */
rung_status la_gemm(rung_ctx *ctx, bool transpose_a, bool transpose_b, double alpha, const la_mat *A, const la_mat *B,
                    double beta, la_mat *C);
/* C = alpha op(A) B + beta C where the product is known to be symmetric (K (L K)): half the work, and C is symmetric to
 * the bit if it was before. */
rung_status la_gemm_symmetric(rung_ctx *ctx, bool transpose_a, double alpha, const la_mat *A, const la_mat *B,
                              double beta, la_mat *C);
/* C = alpha op(A) op(A)' + beta C, both triangles; C symmetric before. */
rung_status la_syrk(rung_ctx *ctx, bool transpose_a, double alpha, const la_mat *A, double beta, la_mat *C);

/* ---- entry by entry ---- */
rung_status la_scale_add(rung_ctx *ctx, double alpha, const la_mat *A, double beta,
                         la_mat *B);                                              /* B = alpha A + beta B */
rung_status la_scale(rung_ctx *ctx, const double *r, const double *c, la_mat *A); /* A_ij *= r_i c_j; NULL = 1 */
rung_status la_hadamard(rung_ctx *ctx, const la_mat *A, la_mat *B);               /* B = A o B */
/* Takes the mean from each column (H A), each row (A H) or both (H A H, H = I - 11'/n); a symmetric matrix stays
 * symmetric to the bit under LA_CENTRE_BOTH. */
typedef enum { LA_CENTRE_COLUMNS, LA_CENTRE_ROWS, LA_CENTRE_BOTH } la_centring;
rung_status la_centre(rung_ctx *ctx, la_centring what, la_mat *A);

/* ---- sums ---- */
rung_status la_row_sums(rung_ctx *ctx, const la_mat *A, double *sums);
rung_status la_inner(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *out);           /* sum_ij A_ij B_ij */
rung_status la_inner_symmetric(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *out); /* both symmetric */
/* spread (d) = sum_ij W_ij (x_i - x_j)^2 of each row x of X (d x n), W = (alpha A + beta B) o K, all symmetric n x
 * n. */
rung_status la_spread(rung_ctx *ctx, const la_mat *X, double alpha, const la_mat *A, double beta, const la_mat *B,
                      const la_mat *K, double *spread);
rung_status la_column_dots(rung_ctx *ctx, const la_mat *A, const la_mat *B, double *dots); /* A_j'B_j for each column */
void la_diagonal(const la_mat *A, double *diagonal);
double la_trace(const la_mat *A);

/* ---- symmetric matrices ---- */
void la_add_diagonal(la_mat *A, double alpha, const double *v); /* A += alpha diag(v); v NULL: alpha I */
void la_add_constant(la_mat *A, double c);                      /* A_ij += c */
double la_asymmetry(const la_mat *A);                           /* max |A_ij - A_ji| / max |A_ij| */

/* A = L L' in its lower triangle; the upper one is left as it is. RUNG_ESINGULAR tells the pivot that failed. */
rung_status la_potrf(rung_ctx *ctx, la_mat *A);
rung_status la_potrs(rung_ctx *ctx, const la_mat *L, int64_t k, double *B); /* B := (L L')^-1 B */
/* B := L_tail B (or L_tail' B) with the trailing m x m block of L: the factor of a Schur complement. */
void la_trmm_tail(const la_mat *L, int64_t m, bool transposed, int64_t k, double *B);
/* B := L^-1 B, or L^-T B, for a wide B; with fewer rows than L the leading block of L is meant. */
rung_status la_trsm(rung_ctx *ctx, const la_mat *L, bool transposed, la_mat *B);
rung_status la_inverse_diagonal(rung_ctx *ctx, const la_mat *L,
                                double *diagonal); /* of (L L')^-1; half as dear as la_potri */
/* A = (L L')^-1 from the factor in its lower triangle; both triangles are filled. */
rung_status la_potri(rung_ctx *ctx, la_mat *A);

/* ---- general square matrices ---- */
/* P A = L U with partial pivoting, in place; pivot has n places. RUNG_ESINGULAR tells the pivot that is zero. */
rung_status la_getrf(rung_ctx *ctx, la_mat *A, int *pivot);
/* B := A^-1 B (or A^-T B) from the factors, for a thin array or a wide matrix. */
rung_status la_getrs(rung_ctx *ctx, const la_mat *LU, const int *pivot, bool transposed, int64_t k, double *B);
rung_status la_getrs_wide(rung_ctx *ctx, const la_mat *LU, const int *pivot, bool transposed, la_mat *B);

/* ---- eigenvalues of symmetric matrices; on one thread ---- */
/* The r largest eigenvalues of A, largest first, and their vectors as the columns of V (n x r; NULL: none). A is
 * destroyed. The entry of largest modulus of each vector is positive. */
double la_eigen_bytes(int64_t n); /* the room of la_eigen for an n x n matrix */
rung_status la_eigen(rung_ctx *ctx, la_mat *A, int64_t r, double *values, la_mat *V);
/* The steps of a pivoted Cholesky factorisation of the positive semidefinite A after which no diagonal entry of what is
 * left exceeds `tolerance`: then lambda_{rank+1} <= (n - rank) tolerance. A is destroyed. */
rung_status la_cholesky_rank(rung_ctx *ctx, la_mat *A, double tolerance, int64_t *rank);
/* A becomes its root: n x rank with A = F F' to rounding, by a pivoted Cholesky factorisation on one thread.
 * RUNG_EDATA: A is not positive semidefinite. */
rung_status la_root(rung_ctx *ctx, la_mat *A);
/* F (n x r, n >= r) := F J with J orthogonal and orthogonal columns, by Jacobi's method: each keeps its own digits,
 * however different the sizes of rows and columns are. On one thread. */
rung_status la_orthogonal_columns(rung_ctx *ctx, la_mat *F);

/* ---- orthogonal factorisation for a ridge least-squares problem ---- */
/* Minimises |B z - b|^2 + |z|^2 for the k columns of b by a QR factorisation of [I; B], which squares no condition
 * number. B (n x m) is destroyed. z is m x k. b (n x k) is overwritten by r with r'r = the Gram matrix of the residuals
 * [B z - b; z] (the residual in rotated coordinates). */
rung_status la_ridge_qr(rung_ctx *ctx, la_mat *B, int64_t k, double *b, double *z);
/* x = (I + B'B)^-1 b and, in place of b, L^-1 b with L L' = I + B'B, from the same factorisation. B (n x m, n >= m) is
 * destroyed; b and x are m x k. */
rung_status la_ridge_solve(rung_ctx *ctx, la_mat *B, int64_t k, double *b, double *x);

/* ---- small dense systems on the host (K x K) ---- */
rung_status la_small_spd_factor(rung_ctx *ctx, int n, double *A); /* L of A = L L' in its lower triangle */
rung_status la_small_spd_solve(rung_ctx *ctx, int n, double *A, int k, double *B); /* both overwritten */

/* All eigenpairs, largest first, of A v = lambda v or (B given, positive definite) A v = lambda B v with V'B V = I.
 * A (lower triangle) becomes V; B is destroyed. Signs as in la_eigen. */
rung_status la_small_eigen(rung_ctx *ctx, int n, double *A, double *B, double *values);

/* ---- sparse matrices: compressed rows, on the host ---- */
typedef struct {
    int64_t rows, cols;
    int64_t *start; /* rows + 1: row i has the entries start[i] .. start[i+1]-1 */
    int64_t *col;   /* ascending within a row */
    double *value;
} la_csr;

/* C = alpha S B + beta C for a wide matrix (S.cols x m) and for a thin array of k columns. */
rung_status la_spmm(rung_ctx *ctx, double alpha, const la_csr *S, const la_mat *B, double beta, la_mat *C);
rung_status la_spmm_thin(rung_ctx *ctx, double alpha, const la_csr *S, int64_t k, const double *B, double beta,
                         double *C);
/* C = S B for LA_SIDE columns that lie side by side: number c of row i stands at i * LA_SIDE + c. */
enum { LA_SIDE = 8 };
rung_status la_spmm_side(rung_ctx *ctx, const la_csr *S, const double *B, double *C);
/* C (m x t) = B S'[:, first .. first + t - 1], for a B (m x S.cols) whose columns go with the rows of S. */
rung_status la_mul_csr(rung_ctx *ctx, const la_mat *B, const la_csr *S, int64_t first, la_mat *C);
rung_status la_add_csr(rung_ctx *ctx, double alpha, const la_csr *S, la_mat *A); /* A += alpha S */

/* ---- nearest columns ---- */
typedef struct { /* multiplies |x_i - z_j|^2 by table[row_i + col_j * groups] > 0 */
    int groups;
    const double *table;
    const int *row, *col;
} la_pair_factor;

/* For each column z_j of Z (d x m) its k nearest columns of X (d x n), exactly: by (distance, index), the squared
 * distance being sum_d (x_d - z_d)^2 in the order of d. self (NULL: none): column self[j] of X is not a neighbour of
 * z_j. k <= n, or n - 1 with self. index and d2 are k x m. */
rung_status la_nearest(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const int64_t *self,
                       const la_pair_factor *factor, int64_t k, int64_t *index, double *d2);
/* What it holds at most among n columns. */
double la_nearest_bytes(int64_t n, int64_t d, int threads);
/* Columns sorted into cells, each around a centre. */
typedef struct {
    const la_mat *X;       /* d x n: the columns of cell c are start[c] .. start[c+1] - 1 */
    const la_mat *centres; /* d x cells */
    const int64_t *start;  /* cells + 1 */
    const int64_t *name;   /* n: the name of a column, which decides ties */
    int64_t probes;        /* cells looked at, those whose centres are nearest: more than k columns in any of them */
} la_cells;
/* For each column of X the k nearest others within its cells, by (distance, name); index holds names. k x n. */
rung_status la_nearest_in_cells(rung_ctx *ctx, const la_cells *c, int64_t k, int64_t *index, double *d2);
/* la_nearest in the feature space of the symmetric matrix K, for its columns `of` (NULL: all of them): the squared
 * distance is K_ii + K_jj - 2 K_ij, clipped at 0; the column itself is not a neighbour. */
rung_status la_nearest_kernel(rung_ctx *ctx, const la_mat *K, int64_t m, const int64_t *of, int64_t k, int64_t *index,
                              double *d2);

/* ---- vectors ---- */
void la_exp(int64_t n, const double *x, double *y); /* y = exp(x), below 2 ulp, gradual underflow; y may be x */

/* ---- BLAS threads: one while a public call runs ---- */
void la_enter(void);
rung_status la_room(rung_ctx *ctx); /* RUNG_ENOMEM if the BLAS would wait for address space forever */
void la_leave(void);

/* ---- counters ---- */
const char *la_op_name(int index); /* NULL past the last */

#endif
