// SPDX-License-Identifier: BSD-3-Clause
/* Nearest neighbours: for each row the nearest others, sorted by (distance, index), exactly; of more than 50,000 rows
 * with more than 8 columns at least 0.95 of them (cells.h). More neighbours than there are rows give all of them. */
#ifndef RUNG_GRAPH_NEIGHBOURS_H
#define RUNG_GRAPH_NEIGHBOURS_H

#include "data/splits.h"
#include "linalg/la.h"

typedef struct {
    int64_t n, k;         /* rows asked about; neighbours of each */
    int64_t stride;       /* row i has index[i * stride + j], j < k: the first k of a longer list are a list too */
    const int64_t *index; /* nearest first */
    const double *d2;     /* squared distances */
} neighbours;

/* Among the columns of X (d x n); a row is not its own neighbour. */
rung_status neighbours_among(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, int64_t k,
                             neighbours *out);
rung_status neighbours_of_columns(rung_ctx *ctx, pool *mem, const la_mat *X, int64_t k, neighbours *out);
/* The same with the squared distance times (|y_i - y_j| + 1)^2 (Liu, Liu, Chan, AAAI 2011, eq. 2). */
rung_status neighbours_ordinal(rung_ctx *ctx, pool *mem, const point_set *X, const ranked_rows *ranked, int64_t k,
                               neighbours *out);
/* That factor by ranks ((K + 1) x (K + 1), scratch memory); 1 where one of them is 0, unlabelled. */
rung_status rank_stretch(rung_ctx *ctx, int K, double **out);
/* In the full-rank feature space of a kernel matrix: distance K_ii + K_jj - 2 K_ij. */
rung_status neighbours_in_kernel(rung_ctx *ctx, pool *mem, const la_mat *K, int64_t k, neighbours *out);

typedef struct { /* some rows, ascending */
    int64_t n;
    int64_t *row;
} row_list;
/* The neighbours of some rows (ascending) among themselves, from lists over all rows. Rows whose list is too short are
 * returned in missing (as indices into `rows`, with room for n). */
rung_status neighbours_subset(rung_ctx *ctx, pool *mem, const neighbours *all, int64_t n, const int64_t *rows,
                              int64_t k, neighbours *out, row_list *missing);
/* Fills in the missing lists from the rows X (d x n) or from the kernel matrix. */
rung_status neighbours_complete(rung_ctx *ctx, neighbours *nb, int64_t d, const double *X, const row_list *missing);
rung_status neighbours_complete_in_kernel(rung_ctx *ctx, neighbours *nb, const la_mat *K, const row_list *missing);

/* The median distance to the k-th neighbour. Where more than half are duplicates: the mean of the positive distances,
 * and 1 if there is none. */
rung_status neighbours_median(rung_ctx *ctx, const neighbours *nb, double *out);
double neighbours_mean_square(const neighbours *nb); /* mean squared distance to the k-th neighbour */

#endif
