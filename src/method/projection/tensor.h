// SPDX-License-Identifier: BSD-3-Clause
/* Rows as tensors, and directions that are products of one vector per mode:
 *
 *     f(x) = sum over all indices of x[i_1, ..., i_N] w_1[i_1] ... w_N[i_N]
 *
 * A quadratic form w'(T'F)w becomes for mode p, with the other vectors fixed, w_p'(T_p'F_p)w_p, where T_p and F_p have
 * every mode but p contracted with its vector. */
#ifndef RUNG_METHOD_PROJECTION_TENSOR_H
#define RUNG_METHOD_PROJECTION_TENSOR_H

#include "fit/method.h"

enum { TENSOR_MODES = 16, TENSOR_FORMS = 2 };

typedef struct {
    int modes;
    int64_t size[TENSOR_MODES], d; /* d: their product */
    double *w[TENSOR_MODES];       /* one vector per mode */
} tensor;

/* shape as "16x16", NULL: one mode of d. The vectors start as 1/sqrt(size). */
rung_status tensor_new(rung_ctx *ctx, const char *shape, int64_t d, tensor *out);
double tensor_longest(const char *shape, int64_t d); /* the size of its largest mode */
/* What the trace of the form of mode q is divided by for its mean: a single mode is the columns. */
double tensor_share(const problem *p, const tensor *t, int q);
/* out (m x size_p) = F with every mode but p contracted; F is m x d. */
rung_status tensor_contract(rung_ctx *ctx, const tensor *t, int p, int64_t m, const double *F, double *out);
void tensor_direction(const tensor *t, double *w); /* the product: d numbers */
/* The vectors, as mode1, mode2, ... */
rung_status tensor_report(rung_ctx *ctx, pool *mem, const tensor *t, fitted *out);

/* For verify.h: the vectors reported by the model; the relative difference between its direction and their product. */
rung_status tensor_told(rung_ctx *ctx, const struct verification *v, const char *shape, tensor *out, double *off);

/* Some forms T'F_i. Only min(n, d) rows are kept: with n > d the identity replaces T, and T'F_i replaces F_i. */
typedef struct {
    int64_t m, d;
    int count;
    double *T, *F[TENSOR_FORMS]; /* m x d */
} tensor_forms;

rung_status tensor_forms_new(rung_ctx *ctx, const la_mat *T, int count, const la_mat *const *F, tensor_forms *out);
/* out_i = form i for mode p; in the scratch pool. size_p x size_p; but with `back`, where the mode is longer than
 * there are rows, c x c in the span of what is left of the rows, c <= m: the vector of the mode is *back (size_p x c,
 * orthonormal columns, otherwise NULL) times the one of these coordinates, and n^2 d takes the place of size_p^3. */
rung_status tensor_mode(rung_ctx *ctx, const tensor *t, const tensor_forms *forms, int p, la_mat **back, la_mat **out);

#endif
