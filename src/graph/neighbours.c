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

/* Beyond these numbers of rows and columns the search uses cells and finds most neighbours. */
enum { EXACT_ROWS = 50000, EXACT_COLUMNS = 8 };

/* Squared distances that overflow compare with nothing. */
static rung_status check_range(rung_ctx *ctx, const la_mat *X)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *v = NULL, largest = 0;
    int64_t d = la_rows(X), cells = d * la_cols(X);
    TRY(NEW_RAW(ctx, &ctx->scratch, v, cells));
    la_get(X, v);
    for (int64_t i = 0; i < cells; i++) largest = fmax(largest, fabs(v[i]));
    pool_release(&ctx->scratch, mark);
    if (isfinite(16 * (double)d * largest * largest)) return RUNG_OK;
    return set_error(ctx, RUNG_EDATA,
                     "a column has values up to %.3g, too large for the distances of rows; scale the columns", largest);
}

static rung_status among(rung_ctx *ctx, pool *mem, const la_mat *X, const la_pair_factor *factor, int64_t k,
                         neighbours *out)
{
    int64_t n = la_cols(X), *index, *self = NULL;
    double *d2;
    TRY(check_range(ctx, X));
    TRY(lists_new(ctx, mem, n, at_most(k, n - 1), out, &index, &d2));
    if (n > EXACT_ROWS && la_rows(X) > EXACT_COLUMNS && !factor && out->k > 0) {
        double found;
        return kmeans_cells_neighbours(ctx, X, out->k, NEIGHBOUR_RECALL, index, d2, &found);
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

rung_status rank_stretch(rung_ctx *ctx, int K, double **out)
{
    int groups = K + 1;
    *out = NULL;
    TRY(NEW(ctx, &ctx->scratch, *out, groups * groups));
    for (int a = 0; a < groups; a++)
        for (int b = 0; b < groups; b++) {
            int gap = a && b ? abs(a - b) : 0;
            (*out)[a + b * groups] = (gap + 1) * (gap + 1);
        }
    return RUNG_OK;
}

rung_status neighbours_ordinal(rung_ctx *ctx, pool *mem, const point_set *X, const ranked_rows *ranked, int64_t k,
                               neighbours *out)
{
    la_mat *columns = NULL;
    double *stretch;
    TRY(columns_of(ctx, X->d, X->n, X->X, &columns));
    TRY(rank_stretch(ctx, ranked->K, &stretch));
    la_pair_factor factor = {.groups = ranked->K + 1, .table = stretch, .row = ranked->y, .col = ranked->y};
    TRY(among(ctx, mem, columns, &factor, k, out));
    pool_free(&ctx->scratch, stretch);
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

/* ---- subsets ---- */

rung_status neighbours_subset(rung_ctx *ctx, pool *mem, const neighbours *all, int64_t n, const int64_t *rows,
                              int64_t k, neighbours *out, row_list *missing)
{
    int64_t *index, *place = NULL; /* place: 1 + where a row of all went, 0 = left out */
    double *d2;
    TRY(lists_new(ctx, mem, n, at_most(k, n - 1), out, &index, &d2));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, place, all->n));
    for (int64_t i = 0; i < n; i++) place[rows[i]] = i + 1;
    missing->n = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t found = 0;
        for (int64_t j = 0; j < all->k && found < out->k; j++) {
            int64_t from = rows[i] * all->stride + j, to = i * out->k + found;
            if (!place[all->index[from]]) continue;
            index[to] = place[all->index[from]] - 1;
            d2[to] = all->d2[from];
            found++;
        }
        if (found < out->k) missing->row[missing->n++] = i;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Puts lists found for the missing rows in their places; the arrays are ours, made by neighbours_subset. */
static void put_lists(neighbours *nb, const row_list *missing, const int64_t *index, const double *d2)
{
    for (int64_t t = 0; t < missing->n; t++) {
        int64_t to = missing->row[t] * nb->stride;
        memcpy((int64_t *)nb->index + to, index + t * nb->k, (size_t)nb->k * sizeof *index);
        memcpy((double *)nb->d2 + to, d2 + t * nb->k, (size_t)nb->k * sizeof *d2);
    }
}

rung_status neighbours_complete(rung_ctx *ctx, neighbours *nb, int64_t d, const double *X, const row_list *missing)
{
    if (missing->n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *columns = NULL, *queries = NULL;
    neighbours found;
    int64_t *index;
    double *d2;
    TRY(columns_of(ctx, d, nb->n, X, &columns));
    TRY(la_new(ctx, &ctx->scratch, d, missing->n, &queries));
    TRY(la_gather(ctx, columns, NULL, missing->row, queries));
    TRY(lists_new(ctx, &ctx->scratch, missing->n, nb->k, &found, &index, &d2));
    TRY(la_nearest(ctx, columns, queries, missing->row, NULL, nb->k, index, d2));
    put_lists(nb, missing, index, d2);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status neighbours_complete_in_kernel(rung_ctx *ctx, neighbours *nb, const la_mat *K, const row_list *missing)
{
    if (missing->n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    neighbours found;
    int64_t *index;
    double *d2;
    TRY(lists_new(ctx, &ctx->scratch, missing->n, nb->k, &found, &index, &d2));
    TRY(la_nearest_kernel(ctx, K, missing->n, missing->row, nb->k, index, d2));
    put_lists(nb, missing, index, d2);
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
