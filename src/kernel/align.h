// SPDX-License-Identifier: BSD-3-Clause
/* Kernel-target alignment A = <K, T> / (|K| |T|) and the precisions of an ard kernel that make it large.
 *
 * Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for ordinal kernel discriminant
 * analysis. Neural Networks 84:57-66, 2016, eq. 22-23. */
#ifndef RUNG_KERNEL_ALIGN_H
#define RUNG_KERNEL_ALIGN_H

#include "data/splits.h"
#include "kernel/kernel.h"

typedef struct {
    point_set X;
    ranked_rows ranked; /* the same n */
    bool centred;       /* align H K H with H T H */
} alignment_rows;

/* The target over rows with ranks y (0 = unlabelled): between labelled rows 1 for equal ranks and -|y_i - y_j| else;
 * elsewhere the entries of `graph` (NULL: 0); 1 on the diagonal. T is n x n. */
rung_status alignment_target(rung_ctx *ctx, const ranked_rows *ranked, const la_csr *graph, la_mat *T);

/* The alignment of k = exp(-sum_d exp(theta_d) (x_d - z_d)^2) over the rows, and its gradient with respect to theta
 * (NULL: not wanted). */
rung_status alignment_gradient(rung_ctx *ctx, const alignment_rows *rows, const la_mat *T, const double *theta,
                               double *value, double *gradient);
/* iRprop- ascent from theta; theta becomes the best point visited, *value its alignment. */
rung_status alignment_ascent(rung_ctx *ctx, const alignment_rows *rows, const la_mat *T, int iterations, double *theta,
                             double *value);

typedef struct {
    double *precisions;        /* d: exp(theta) */
    double start[2], value[2]; /* alignments where each of the two ascents began and ended */
} alignment_result;

/* Two ascents from s_d = 1/(2d): over the labelled rows, then from there over all rows with the graph (0/1, or-rule,
 * as many neighbours as the smallest class has labels). out->precisions has room. */
rung_status alignment_precisions(rung_ctx *ctx, const alignment_rows *rows, const la_csr *graph, int iterations,
                                 alignment_result *out);

#endif
