// SPDX-License-Identifier: BSD-3-Clause
/* The regulariser F of a discriminant problem with the kernel ridge, Z = K_T P K_T' + F, in the form that its solver
 * needs, with or without a graph, and the map from one coefficient per labelled row to the expansion. */
#ifndef RUNG_METHOD_DISCRIMINANT_DL_REGULARISER_H
#define RUNG_METHOD_DISCRIMINANT_DL_REGULARISER_H

#include "problem/problem.h"

typedef enum { RIDGE_KERNEL, RIDGE_IDENTITY } ridge_kind;

typedef struct {         /* F = mu K L K + ridge K, K over the n rows of the expansion */
    double ridge, mu;    /* given, as the next three */
    const la_csr *L;     /* a Laplacian over the rows; NULL: none */
    int64_t l;           /* labelled rows ... */
    const int64_t *rows; /* ... which of the n they are */
    int64_t n;
    const la_mat *G; /* the (deformed) kernel matrix of the labelled rows, l x l */
    la_mat *V;       /* with a graph: b = V c (n x l); NULL: b is c on the labelled rows */
} dl_regulariser;

/* From what is given in `form` and the kernel matrix. */
rung_status dl_regulariser_new(rung_ctx *ctx, const la_mat *K, dl_regulariser *form);
/* beta (n x m) = F^-1 K_T c for c (l x m). */
rung_status dl_regulariser_expand(rung_ctx *ctx, const dl_regulariser *form, int64_t m, const double *c, double *beta);

#endif
