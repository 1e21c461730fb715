// SPDX-License-Identifier: BSD-3-Clause
/* Landmark (Nystrom) features: phi(x) = R^-1 k(S, x) with R R' = k(S, S) for m chosen rows S, so that phi(x)'phi(z) is
 * the best approximation of k(x, z) from S. A kernel method on them is a linear method in m dimensions, and its weights
 * v are an expansion over the landmarks: v'phi(x) = (R^-T v)'k(S, x). */
#ifndef RUNG_KERNEL_LANDMARK_H
#define RUNG_KERNEL_LANDMARK_H

#include "kernel/kernel.h"

typedef struct {
    kernel k;
    int64_t d, m;
    int64_t *rows;  /* the chosen rows, most informative first: their first m' are landmarks, too */
    double *X;      /* d x m: the rows themselves */
    double *origin; /* d: where columns are placed, see kernel_place */
    la_mat *R;      /* m x m, lower triangle */
    bool steady;    /* R is so far from singular that kernel columns may be summed before solving ... */
    bool far_apart; /* ... even in single precision, if there are many */
    double error;   /* sum_i k(x_i,x_i) - |phi(x_i)|^2, relative, over the rows they were chosen from */
} landmarks;

/* At most m of the points X; stops early once exact. Chosen by accelerated randomly pivoted Cholesky (Chen, Epperly,
 * Tropp, Webber 2022; Epperly, Tropp, Webber 2024), for many rows among a random sample of them; the random numbers
 * come from the seed of the context. Not for precomputed kernels. */
rung_status landmarks_new(rung_ctx *ctx, pool *mem, const kernel *k, const point_set *X, int64_t m, landmarks *out);
void landmarks_free(pool *mem, landmarks *l);
/* Memory that choosing m of n rows takes. */
double landmarks_bytes(int64_t d, int64_t n, int64_t m);

/* k(S, x) of the columns of X (d x n), as the columns of C: of the landmarks first .. first + la_rows(C) - 1. */
rung_status landmarks_columns(rung_ctx *ctx, const landmarks *l, int64_t first, int64_t n, const double *X, la_mat *C);
/* phi of the columns of X (d x n), as the columns of Phi: all m features, or the first la_rows(Phi) of them. */
rung_status landmarks_features(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, la_mat *Phi);
/* M (m x m, symmetric) := R^-1 M R^-T: from a sum over kernel columns to the sum over features. */
rung_status landmarks_solve_sum(rung_ctx *ctx, const landmarks *l, la_mat *M);
/* V (m x o) := R^-T V: from weights of the features to the coefficients of an expansion. */
rung_status landmarks_expand(rung_ctx *ctx, const landmarks *l, int o, double *V);

/* Products with the features of all columns of X without computing the features: Phi C = R^-1 (k(S, X) C), Phi'V = k(X,
 * S) (R^-T V). C and F are n x o, V and P m x o. */
rung_status landmarks_pull(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, int o, const double *C,
                           double *P);
rung_status landmarks_scores(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, int o, const double *V,
                             double *F);
/* The same landmarks with the features L^-1 phi, L L' = M (m x m, destroyed): those of the kernel phi'M^-1 phi. R (m x
 * m) becomes theirs, all else is that of l. */
rung_status landmarks_deformed(rung_ctx *ctx, const landmarks *l, la_mat *M, la_mat *R, landmarks *out);

/* ---- sums over many rows, in tiles: Phi is never stored whole unless it fits into `room` bytes ---- */

/* Bytes that features of all rows may take under a limit (0: none) of the memory. */
double landmark_room(double memory);

enum { LANDMARK_TILE = 4096 };

typedef struct { /* some columns of X, their weights and groups */
    const double *X;
    int64_t count;
    const int64_t *rows;
    const double *weight; /* of every column of X; NULL: 1 */
    int groups;
    const int *group;     /* of every column of X, from 1; or NULL: */
    const double *member; /* columns of X x groups: how much of a row belongs to each */
    int64_t columns;
    const double *shift; /* m: taken from the features, or from the kernel columns where these are summed; NULL: 0 */
    bool single;         /* sums of kernel columns in single precision (la_cross_sums); about a shift, sign 1 */
    la_mat *room;        /* m x LANDMARK_TILE: for the features of some of the rows; NULL: made when needed */
} grouped_rows;
/* S (m x m) += sign sum_i w_i phi_i phi_i', sums (m x groups) += sign sum_i w_i phi_i e_i', sign 1 or -1, e_i the unit
 * vector of row i's group, or its memberships. */
rung_status landmarks_moments(rung_ctx *ctx, const landmarks *l, const grouped_rows *r, int sign, la_mat *S,
                              double *sums);
/* The same in parts: adds the moments of the features (solved) or of the kernel columns of some rows, S NULL: only
 * their sums; the others turn those of kernel columns into those of the features, once all rows are summed. Squares may
 * only be solved for afterwards if l->steady; sums lose far less. */
rung_status landmarks_add_moments(rung_ctx *ctx, const landmarks *l, bool solved, const grouped_rows *r, int sign,
                                  la_mat *S, double *sums);
rung_status landmarks_solve_sums(rung_ctx *ctx, const landmarks *l, int groups, double *sums);
rung_status landmarks_solve_moments(rung_ctx *ctx, const landmarks *l, int groups, la_mat *S, double *sums);
/* M (m x m) = Phi A Phi' for a sparse symmetric A over the n columns of X. */
rung_status landmarks_quadratic(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, const la_csr *A,
                                double room, la_mat *M);
/* What it takes under a limit (0: none) of the memory. */
double landmarks_quadratic_bytes(int64_t d, int64_t n, int64_t m, double memory);

#endif
