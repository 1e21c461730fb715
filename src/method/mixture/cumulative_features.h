// SPDX-License-Identifier: BSD-3-Clause
/* Cumulative kernel ridge (cumulative_ridge.h) with a kernel represented by landmarks, over any number of rows. With
 * psi = [scale^1/2 phi, c^1/2] the features and the constant c, and sum psi psi' = A diag(w) A',
 *
 *     F = p0 + B diag(1 / (w + ridge)) Z,   H_ii = sum_j B_ij^2 / (w_j + ridge),   B = Psi'A, Z = A'Psi (Y - p0) :
 *
 * matrices of the order of the landmarks, and two passes over the rows, in tiles, for all ridges. */
#ifndef RUNG_METHOD_MIXTURE_CUMULATIVE_FEATURES_H
#define RUNG_METHOD_MIXTURE_CUMULATIVE_FEATURES_H

#include "method/mixture/cumulative_ridge.h"
#include "problem/problem.h"

typedef struct {
    const landmarks *l;
    const double *X; /* d x n */
    double scale;
    cumulative_rows rows;
    double *values; /* m + 1: w, >= 0 */
    la_mat *axes;   /* A */
    double *Z;      /* (m + 1) x (K - 1) */
} cumulative_features;

/* Of scale * phi'phi over the columns of X; arrays in the scratch pool. p0 of the rows is computed here. */
rung_status cumulative_features_new(rung_ctx *ctx, const landmarks *l, const double *X, double scale,
                                    const cumulative_rows *rows, cumulative_features *out);
/* The same fitted to all rows, whose moments are `all`: X and rows are a sample of them, which can be left out. */
rung_status cumulative_features_all(rung_ctx *ctx, const landmarks *l, const double *X, double scale,
                                    const cumulative_rows *rows, const feature_moments *all, cumulative_features *out);
/* loo: for each ridge n x (K - 1) by rows, made valid probabilities. */
rung_status cumulative_features_loo(rung_ctx *ctx, const cumulative_features *f, int count, const double *ridges,
                                    double *loo);
/* P(x) = bias + V'phi(x): V m x (K - 1), bias K - 1. */
rung_status cumulative_features_weights(rung_ctx *ctx, const cumulative_features *f, double ridge, double *V,
                                        double *bias);
/* Beyond the landmarks and the results. */
double cumulative_features_bytes(int64_t n, int64_t d, int K, int64_t m, int ridges);

#endif
