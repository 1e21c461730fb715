// SPDX-License-Identifier: BSD-3-Clause
#include "graph/kmeans_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/rng.h"

enum { SAMPLE_PER_CELL = 20, ROUNDS = 5, CHECKED = 512, STREAM = 0xce11 };

typedef struct {
    int64_t cells;
    la_mat *centres; /* d x cells */
    int64_t *cell;   /* n: of each column */
    int64_t *start;  /* cells + 1 */
    int64_t *order;  /* n: the columns, cell by cell */
} clustering;

/* ---- k-means ---- */

/* Some columns of X, ascending. */
static rung_status sample_columns(rung_ctx *ctx, const la_mat *X, int64_t count, la_mat **out)
{
    rng random;
    int64_t n = la_cols(X), at = 0, *columns = NULL;
    rng_open(&random, ctx->seed, STREAM);
    TRY(NEW_RAW(ctx, &ctx->scratch, columns, count));
    for (int64_t i = 0; i < n && at < count; i++)
        if (rng_below(&random, n - i) < count - at) columns[at++] = i;
    TRY(la_new(ctx, &ctx->scratch, la_rows(X), count, out));
    return la_gather(ctx, X, NULL, columns, *out);
}

/* Each centre becomes the mean of the columns nearest to it; one without columns stays. */
static rung_status lloyd_round(rung_ctx *ctx, const la_mat *sample, la_mat *centres)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_cols(sample), d = la_rows(sample), cells = la_cols(centres), *nearest = NULL, *count = NULL;
    double *d2 = NULL, *sum = NULL, *x = NULL, *old = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, nearest, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, d2, n));
    TRY(NEW(ctx, &ctx->scratch, count, cells));
    TRY(NEW(ctx, &ctx->scratch, sum, d * cells));
    TRY(NEW_RAW(ctx, &ctx->scratch, old, d * cells));
    TRY(NEW_RAW(ctx, &ctx->scratch, x, d * n));
    TRY(la_nearest(ctx, centres, sample, NULL, NULL, 1, nearest, d2));
    la_get(sample, x);
    la_get(centres, old);
    for (int64_t i = 0; i < n; i++) {
        count[nearest[i]]++;
        for (int64_t j = 0; j < d; j++) sum[j + nearest[i] * d] += x[j + i * d];
    }
    for (int64_t c = 0; c < cells; c++)
        for (int64_t j = 0; j < d; j++) sum[j + c * d] = count[c] ? sum[j + c * d] / (double)count[c] : old[j + c * d];
    la_put(sum, centres);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status cluster(rung_ctx *ctx, const la_mat *X, int64_t cells, clustering *out)
{
    int64_t n = la_cols(X), sampled = cells * SAMPLE_PER_CELL < n ? cells * SAMPLE_PER_CELL : n, *first = NULL;
    double *d2 = NULL;
    la_mat *sample = NULL;
    out->cells = cells;
    TRY(NEW_RAW(ctx, &ctx->scratch, first, cells));
    TRY(NEW_RAW(ctx, &ctx->scratch, d2, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->cell, n));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->order, n));
    TRY(NEW(ctx, &ctx->scratch, out->start, cells + 1));
    TRY(la_new(ctx, &ctx->scratch, la_rows(X), cells, &out->centres));
    TRY(sample_columns(ctx, X, sampled, &sample));
    for (int64_t c = 0; c < cells; c++) first[c] = c * sampled / cells;
    TRY(la_gather(ctx, sample, NULL, first, out->centres));
    for (int round = 0; round < ROUNDS; round++) TRY(lloyd_round(ctx, sample, out->centres));
    TRY(la_nearest(ctx, out->centres, X, NULL, NULL, 1, out->cell, d2));
    for (int64_t i = 0; i < n; i++) out->start[out->cell[i] + 1]++;
    for (int64_t c = 0; c < cells; c++) out->start[c + 1] += out->start[c];
    int64_t *next = first;
    memcpy(next, out->start, (size_t)cells * sizeof *next);
    for (int64_t i = 0; i < n; i++) out->order[next[out->cell[i]]++] = i;
    la_free(&ctx->scratch, sample);
    return RUNG_OK;
}

/* ---- how many cells ---- */

/* The fewest cells in which the share `recall` of the true neighbours of some columns lie, and what that share is. */
static rung_status count_probes(rung_ctx *ctx, const la_mat *X, const clustering *c, int64_t k, double recall,
                                int64_t *probes, double *found)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_cols(X), checked = CHECKED < n ? CHECKED : n, all = checked * k, *self = NULL, *index = NULL,
            *order = NULL, *rank = NULL, *need = NULL, within = 0;
    double *d2 = NULL, *centre_d2 = NULL;
    la_mat *some = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, self, checked));
    TRY(NEW_RAW(ctx, &ctx->scratch, index, all));
    TRY(NEW_RAW(ctx, &ctx->scratch, d2, all));
    TRY(NEW_RAW(ctx, &ctx->scratch, need, all));
    TRY(NEW_RAW(ctx, &ctx->scratch, order, c->cells * checked));
    TRY(NEW_RAW(ctx, &ctx->scratch, centre_d2, c->cells * checked));
    TRY(NEW_RAW(ctx, &ctx->scratch, rank, c->cells));
    TRY(la_new(ctx, &ctx->scratch, la_rows(X), checked, &some));
    for (int64_t i = 0; i < checked; i++) self[i] = i * n / checked;
    TRY(la_gather(ctx, X, NULL, self, some));
    TRY(la_nearest(ctx, X, some, self, NULL, k, index, d2));
    TRY(la_nearest(ctx, c->centres, some, NULL, NULL, c->cells, order, centre_d2));
    for (int64_t i = 0; i < checked; i++) {
        for (int64_t r = 0; r < c->cells; r++) rank[order[r + i * c->cells]] = r;
        for (int64_t j = 0; j < k; j++) need[j + i * k] = rank[c->cell[index[j + i * k]]] + 1;
    }
    qsort(need, (size_t)all, sizeof *need, compare_integers);
    *probes = need[(int64_t)ceil(recall * (double)all) - 1];
    for (int64_t i = 0; i < all; i++) within += need[i] <= *probes;
    *found = (double)within / (double)all;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Any set of this many cells holds more than k columns. */
static int64_t enough_cells(const clustering *c, int64_t k, int64_t probes, int64_t *size)
{
    int64_t held = 0, count = 0;
    for (int64_t i = 0; i < c->cells; i++) size[i] = c->start[i + 1] - c->start[i];
    qsort(size, (size_t)c->cells, sizeof *size, compare_integers);
    while (count < c->cells && (held <= k || count < probes)) held += size[count++];
    return count;
}

rung_status kmeans_cells_neighbours(rung_ctx *ctx, const la_mat *X, int64_t k, double recall, int64_t *index,
                                    double *d2, double *found)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_cols(X), *size = NULL, *sorted_index = NULL;
    double *sorted_d2 = NULL;
    la_mat *sorted = NULL;
    clustering c;
    la_cells cells;
    TRY(cluster(ctx, X, (int64_t)(4 * sqrt((double)n)), &c));
    TRY(NEW_RAW(ctx, &ctx->scratch, size, c.cells));
    TRY(count_probes(ctx, X, &c, k, recall, &cells.probes, found));
    TRY(la_new(ctx, &ctx->scratch, la_rows(X), n, &sorted));
    TRY(la_gather(ctx, X, NULL, c.order, sorted));
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted_index, n * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, sorted_d2, n * k));
    cells = (la_cells){.X = sorted,
                       .centres = c.centres,
                       .start = c.start,
                       .name = c.order,
                       .probes = enough_cells(&c, k, cells.probes, size)};
    TRY(la_nearest_in_cells(ctx, &cells, k, sorted_index, sorted_d2));
    for (int64_t i = 0; i < n; i++) {
        memcpy(index + c.order[i] * k, sorted_index + i * k, (size_t)k * sizeof *index);
        memcpy(d2 + c.order[i] * k, sorted_d2 + i * k, (size_t)k * sizeof *d2);
    }
    log_at(ctx, RUNG_LOG_DEBUG, "nearest neighbours in %lld of %lld cells: %.3f of the true ones",
           (long long)cells.probes, (long long)c.cells, *found);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
