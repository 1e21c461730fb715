// SPDX-License-Identifier: BSD-3-Clause
#include "graph/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "graph/kmeans_cells.h"

static rung_status lists_new(rung_ctx *ctx, pool *mem, int64_t n, int64_t k, neighbours *out, int64_t **index,
                             double **d2)
{
    *index = NULL;
    *d2 = NULL;
    TRY(NEW_RAW(ctx, mem, *index, n * k));
    TRY(NEW_RAW(ctx, mem, *d2, n * k));
    *out = (neighbours){.n = n, .k = k, .stride = k, .index = *index, .d2 = *d2};
    return RUNG_OK;
}

static int64_t at_most(int64_t k, int64_t limit) { return k < limit ? k : limit > 0 ? limit : 0; }

static rung_status columns_of(rung_ctx *ctx, int64_t d, int64_t n, const double *X, la_mat **out)
{
    TRY(la_new(ctx, &ctx->scratch, d, n, out));
    la_put(X, *out);
    return RUNG_OK;
}

/* Beyond these numbers of rows and columns neighbours are found in cells, most of them. */
enum { EXACT_ROWS = 50000, EXACT_COLUMNS = 8 };

static rung_status among(rung_ctx *ctx, pool *mem, const la_mat *X, const la_pair_factor *factor, int64_t k,
                         neighbours *out)
{
    int64_t n = la_cols(X), *index, *self = NULL;
    double *d2;
    TRY(lists_new(ctx, mem, n, at_most(k, n - 1), out, &index, &d2));
    if (n > EXACT_ROWS && la_rows(X) > EXACT_COLUMNS && !factor && out->k > 0) {
        double found;
        return cells_neighbours(ctx, X, out->k, NEIGHBOUR_RECALL, index, d2, &found);
    }
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, self, n));
    for (int64_t i = 0; i < n; i++) self[i] = i;
    TRY(la_nearest(ctx, X, X, self, factor, out->k, index, d2));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status neighbours_of_columns(rung_ctx *ctx, pool *mem, const la_mat *X, int64_t k, neighbours *out)
{
    return among(ctx, mem, X, NULL, k, out);
}

rung_status neighbours_among(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, int64_t k,
                             neighbours *out)
{
    la_mat *columns = NULL;
    TRY(columns_of(ctx, d, n, X, &columns));
    TRY(among(ctx, mem, columns, NULL, k, out));
    la_free(&ctx->scratch, columns);
    return RUNG_OK;
}

rung_status neighbours_ordinal(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, int K, const int *y,
                               int64_t k, neighbours *out)
{
    la_mat *columns = NULL;
    double *table = NULL;
    int groups = K + 1;
    TRY(columns_of(ctx, d, n, X, &columns));
    TRY(NEW(ctx, &ctx->scratch, table, groups * groups));
    for (int a = 0; a < groups; a++)
        for (int b = 0; b < groups; b++) table[a + b * groups] = (abs(a - b) + 1) * (abs(a - b) + 1);
    la_pair_factor factor = {.groups = groups, .table = table, .row = y, .col = y};
    TRY(among(ctx, mem, columns, &factor, k, out));
    pool_free(&ctx->scratch, table);
    la_free(&ctx->scratch, columns);
    return RUNG_OK;
}

rung_status neighbours_in_kernel(rung_ctx *ctx, pool *mem, const la_mat *K, int64_t k, neighbours *out)
{
    int64_t n = la_rows(K), *index;
    double *d2;
    TRY(lists_new(ctx, mem, n, at_most(k, n - 1), out, &index, &d2));
    return la_nearest_kernel(ctx, K, n, NULL, out->k, index, d2);
}

rung_status neighbours_query(rung_ctx *ctx, pool *mem, int64_t d, int64_t n, const double *X, int64_t m,
                             const double *Z, int64_t k, neighbours *out)
{
    int64_t *index;
    double *d2;
    la_mat *columns = NULL, *queries = NULL;
    TRY(lists_new(ctx, mem, m, at_most(k, n), out, &index, &d2));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(columns_of(ctx, d, n, X, &columns));
    TRY(columns_of(ctx, d, m, Z, &queries));
    TRY(la_nearest(ctx, columns, queries, NULL, NULL, out->k, index, d2));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- subsets ---- */

rung_status neighbours_subset(rung_ctx *ctx, pool *mem, const neighbours *all, int64_t n, const int64_t *rows,
                              int64_t k, neighbours *out, int64_t *n_missing, int64_t *missing)
{
    int64_t *index, *place = NULL; /* place: 1 + where a row of all went, 0 = left out */
    double *d2;
    TRY(lists_new(ctx, mem, n, at_most(k, n - 1), out, &index, &d2));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, place, all->n));
    for (int64_t i = 0; i < n; i++) place[rows[i]] = i + 1;
    *n_missing = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t found = 0;
        for (int64_t j = 0; j < all->k && found < out->k; j++) {
            int64_t from = rows[i] * all->stride + j, to = i * out->k + found;
            if (!place[all->index[from]]) continue;
            index[to] = place[all->index[from]] - 1;
            d2[to] = all->d2[from];
            found++;
        }
        if (found < out->k) missing[(*n_missing)++] = i;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Puts lists found for the missing rows in their places; the arrays are ours, made by neighbours_subset. */
static void put_lists(neighbours *nb, int64_t n_missing, const int64_t *missing, const int64_t *index, const double *d2)
{
    for (int64_t t = 0; t < n_missing; t++) {
        memcpy((int64_t *)nb->index + missing[t] * nb->stride, index + t * nb->k, (size_t)nb->k * sizeof *index);
        memcpy((double *)nb->d2 + missing[t] * nb->stride, d2 + t * nb->k, (size_t)nb->k * sizeof *d2);
    }
}

rung_status neighbours_complete(rung_ctx *ctx, neighbours *nb, int64_t d, const double *X, int64_t n_missing,
                                const int64_t *missing)
{
    if (n_missing == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *columns = NULL, *queries = NULL;
    neighbours found;
    int64_t *index;
    double *d2;
    TRY(columns_of(ctx, d, nb->n, X, &columns));
    TRY(la_new(ctx, &ctx->scratch, d, n_missing, &queries));
    TRY(la_gather(ctx, columns, NULL, missing, queries));
    TRY(lists_new(ctx, &ctx->scratch, n_missing, nb->k, &found, &index, &d2));
    TRY(la_nearest(ctx, columns, queries, missing, NULL, nb->k, index, d2));
    put_lists(nb, n_missing, missing, index, d2);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status neighbours_complete_in_kernel(rung_ctx *ctx, neighbours *nb, const la_mat *K, int64_t n_missing,
                                          const int64_t *missing)
{
    if (n_missing == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    neighbours found;
    int64_t *index;
    double *d2;
    TRY(lists_new(ctx, &ctx->scratch, n_missing, nb->k, &found, &index, &d2));
    TRY(la_nearest_kernel(ctx, K, n_missing, missing, nb->k, index, d2));
    put_lists(nb, n_missing, missing, index, d2);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- scales ---- */

rung_status neighbours_median(rung_ctx *ctx, const neighbours *nb, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *d = NULL, sum = 0;
    int64_t positive = 0;
    *out = 1;
    if (nb->n == 0 || nb->k == 0) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, d, nb->n));
    for (int64_t i = 0; i < nb->n; i++) {
        d[i] = sqrt(nb->d2[i * nb->stride + nb->k - 1]);
        sum += d[i];
        positive += d[i] > 0;
    }
    qsort(d, (size_t)nb->n, sizeof *d, compare_numbers);
    double median = 0.5 * (d[(nb->n - 1) / 2] + d[nb->n / 2]);
    if (median > 0)
        *out = median;
    else if (positive)
        *out = sum / (double)positive;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

double neighbours_mean_square(const neighbours *nb)
{
    double sum = 0;
    for (int64_t i = 0; i < nb->n && nb->k > 0; i++) sum += nb->d2[i * nb->stride + nb->k - 1];
    return nb->n > 0 ? sum / (double)nb->n : 0;
}
