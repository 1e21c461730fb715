// SPDX-License-Identifier: BSD-3-Clause
/* From scaled rows to outputs. Every row is processed separately: its outputs do not depend on the batch. */
#include <math.h>
#include <string.h>

#include "model/model.h"

enum { MOST_PAIRS = 1 << 20 }; /* of a row and a neighbour, at a time */

static void add_linear(const scorer *s, int64_t n, const double *x, double *output)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, output++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *output += w[j] * x[j];
        }
}

static void add_precomputed(const scorer *s, int64_t n, const double *x, double *output)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, output++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *output += w[j] * x[s->index[j]];
        }
}

static rung_status add_expansion(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, double *output)
{
    if (s->m == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    double *F = NULL; /* n x outputs, column-major */
    TRY(NEW_RAW(ctx, &ctx->scratch, F, n * s->outputs));
    TRY(kernel_expand(ctx, &s->k, &(point_set){s->d, n, x}, &(point_set){s->d, s->m, s->rows}, s->outputs, s->coef, F));
    for (int64_t i = 0; i < n; i++)
        for (int o = 0; o < s->outputs; o++) *output++ += F[i + o * n];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Shares from squared distances, nearest first. Subtracting the smallest one changes no share and avoids 0 / 0 for a
 * row far from all others. */
static void shares_of(const scorer *s, const double *distance, double *share)
{
    int64_t k = s->neighbours;
    double sum = 0;
    for (int64_t j = 0; j < k; j++)
        share[j] = s->weights == WEIGHTS_BINARY ? 0 : -(distance[j] - distance[0]) / s->width / s->width / 2;
    la_exp(k, share, share);
    for (int64_t j = 0; j < k; j++) sum += share[j];
    for (int64_t j = 0; j < k; j++) share[j] /= sum;
}

typedef struct {        /* for some rows at a time */
    const la_mat *rows; /* the stored ones */
    double *near;       /* d x rows: the queries */
    int64_t *index;     /* neighbours x rows */
    double *d2, *share; /* the same; neighbours */
} neighbour_room;

static rung_status average_block(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, const neighbour_room *room,
                                 double *output)
{
    int64_t k = s->neighbours;
    la_mat *queries = NULL;
    for (int64_t i = 0; i < n * s->d; i++) room->near[i] = fmin(fmax(x[i], -NEIGHBOUR_MOST), NEIGHBOUR_MOST);
    TRY(la_new(ctx, &ctx->scratch, s->d, n, &queries));
    la_put(room->near, queries);
    TRY(la_nearest(ctx, room->rows, queries, NULL, NULL, k, room->index, room->d2));
    la_free(&ctx->scratch, queries);
    for (int64_t i = 0; i < n; i++) {
        const int64_t *row = room->index + i * k;
        shares_of(s, room->d2 + i * k, room->share);
        for (int o = 0; o < s->outputs; o++, output++) {
            *output = 0;
            for (int64_t j = 0; j < k; j++) *output += room->share[j] * s->coef[row[j] + o * s->m];
        }
    }
    return RUNG_OK;
}

static rung_status average_neighbours(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, double *output)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t k = s->neighbours, most = 1 + MOST_PAIRS / k;
    neighbour_room room = {0};
    la_mat *rows = NULL;
    if (most > n) most = n;
    TRY(la_new(ctx, &ctx->scratch, s->d, s->m, &rows));
    la_put(s->rows, rows);
    room.rows = rows;
    TRY(NEW_RAW(ctx, &ctx->scratch, room.near, most * s->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.index, most * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.d2, most * k));
    TRY(NEW_RAW(ctx, &ctx->scratch, room.share, k));
    for (int64_t first = 0; first < n; first += most) {
        int64_t count = n - first < most ? n - first : most;
        TRY(average_block(ctx, s, count, x + first * s->d, &room, output + first * s->outputs));
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status scorer_apply(rung_ctx *ctx, const scorer *s, int64_t n, const double *scaled, double *output)
{
    size_t size = (size_t)s->outputs * sizeof *output;
    for (int64_t i = 0; s->bias && i < n; i++) memcpy(output + i * s->outputs, s->bias, size);
    switch (s->kind) {
    case SCORER_CONSTANT: return RUNG_OK;
    case SCORER_LINEAR:
        add_linear(s, n, scaled, output);
        for (int64_t i = 0; s->random && i < n; i++)
            output[i * s->outputs] += effects_of_known(s->random, scaled + i * s->d);
        return RUNG_OK;
    case SCORER_KERNEL:
        if (s->k.kind != KERNEL_PRECOMPUTED) return add_expansion(ctx, s, n, scaled, output);
        add_precomputed(s, n, scaled, output);
        return RUNG_OK;
    case SCORER_NEIGHBOURS: return average_neighbours(ctx, s, n, scaled, output);
    case SCORER_TREES: return forest_apply(ctx, &s->trees, n, scaled, output);
    }
    return set_error(ctx, RUNG_EINTERNAL, "unknown kind of scorer %d", (int)s->kind);
}
