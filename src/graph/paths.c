// SPDX-License-Identifier: BSD-3-Clause
#include "graph/paths.h"

#include <math.h>
#include <string.h>

/* ---- minimum spanning tree ---- */

/* Prim on all pairs; of equal distances the smaller index first. link[i]: the tree's neighbour of i (row 0 has none).
 */
static rung_status spanning_tree(rung_ctx *ctx, int64_t d, int64_t n, const double *X, int64_t *link, double *length2)
{
    bool *inside = NULL;
    TRY(NEW(ctx, &ctx->scratch, inside, n));
    for (int64_t i = 0; i < n; i++) length2[i] = INFINITY;
    for (int64_t at = 0, left = n - 1; left > 0; left--) {
        int64_t nearest = -1;
        TRY(interrupted(ctx));
        inside[at] = true;
        for (int64_t i = 0; i < n; i++) {
            if (inside[i]) continue;
            double s = 0;
            for (int64_t j = 0; j < d; j++) s += (X[j + i * d] - X[j + at * d]) * (X[j + i * d] - X[j + at * d]);
            if (s < length2[i]) {
                length2[i] = s;
                link[i] = at;
            }
            if (nearest < 0 || length2[i] < length2[nearest]) nearest = i;
        }
        at = nearest;
    }
    return RUNG_OK;
}

static bool joined(const la_csr *G, int64_t i, int64_t j)
{
    int64_t low = G->start[i], high = G->start[i + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (G->col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < G->start[i + 1] && G->col[low] == j;
}

/* Puts (j, value) in its place among the entries first .. *end - 1 of a row. */
static void insert(la_csr *S, int64_t first, int64_t *end, int64_t j, double value)
{
    int64_t at = (*end)++;
    for (; at > first && S->col[at - 1] > j; at--) {
        S->col[at] = S->col[at - 1];
        S->value[at] = S->value[at - 1];
    }
    S->col[at] = j;
    S->value[at] = value;
}

rung_status graph_connected(rung_ctx *ctx, pool *mem, const la_csr *G, int64_t d, const double *X, la_csr *out)
{
    int64_t n = G->rows, *link = NULL, *end = NULL;
    double *length2 = NULL;
    *out = (la_csr){.rows = n, .cols = n};
    TRY(NEW(ctx, mem, out->start, n + 1));
    TRY(NEW_RAW(ctx, mem, out->col, G->start[n] + 2 * n));
    TRY(NEW_RAW(ctx, mem, out->value, G->start[n] + 2 * n));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, link, n));
    TRY(NEW(ctx, &ctx->scratch, length2, n));
    TRY(NEW(ctx, &ctx->scratch, end, n));
    TRY(spanning_tree(ctx, d, n, X, link, length2));
    for (int64_t i = 0; i < n; i++) out->start[i + 1] = G->start[i + 1] - G->start[i];
    for (int64_t i = 1; i < n; i++)
        if (!joined(G, i, link[i])) {
            out->start[i + 1]++;
            out->start[link[i] + 1]++;
        }
    for (int64_t i = 0; i < n; i++) {
        int64_t size = G->start[i + 1] - G->start[i];
        out->start[i + 1] += out->start[i];
        memcpy(out->col + out->start[i], G->col + G->start[i], (size_t)size * sizeof *out->col);
        memcpy(out->value + out->start[i], G->value + G->start[i], (size_t)size * sizeof *out->value);
        end[i] = out->start[i] + size;
    }
    for (int64_t i = 1; i < n; i++)
        if (!joined(G, i, link[i])) {
            insert(out, out->start[i], &end[i], link[i], length2[i]);
            insert(out, out->start[link[i]], &end[link[i]], i, length2[i]);
        }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- shortest paths ---- */

typedef struct { /* points reached and not yet settled, the nearest on top; place[i] - 1: where point i stands */
    int64_t n, *point, *place;
    double *length;
} front;

static void put(front *f, int64_t at, int64_t point)
{
    f->point[at] = point;
    f->place[point] = at + 1;
}

static bool nearer(const front *f, int64_t a, int64_t b)
{
    if (f->length[a] != f->length[b]) return f->length[a] < f->length[b];
    return a < b;
}

static void rise(front *f, int64_t point)
{
    int64_t at = f->place[point] - 1;
    for (; at > 0 && nearer(f, point, f->point[(at - 1) / 2]); at = (at - 1) / 2) put(f, at, f->point[(at - 1) / 2]);
    put(f, at, point);
}

static int64_t take(front *f)
{
    int64_t top = f->point[0], last = f->point[--f->n], at = 0;
    for (int64_t child; (child = 2 * at + 1) < f->n; at = child) {
        if (child + 1 < f->n && nearer(f, f->point[child + 1], f->point[child])) child++;
        if (!nearer(f, f->point[child], last)) break;
        put(f, at, f->point[child]);
    }
    if (f->n > 0) put(f, at, last);
    return top;
}

/* Dijkstra from one point. */
static void paths_from(const la_csr *G, int64_t source, front *f)
{
    for (int64_t i = 0; i < G->rows; i++) {
        f->length[i] = INFINITY;
        f->place[i] = 0;
    }
    f->length[source] = 0;
    f->n = 1;
    put(f, 0, source);
    while (f->n > 0) {
        int64_t i = take(f);
        for (int64_t e = G->start[i]; e < G->start[i + 1]; e++) {
            int64_t j = G->col[e];
            double length = f->length[i] + sqrt(G->value[e]);
            if (!(length < f->length[j])) continue;
            f->length[j] = length;
            if (!f->place[j]) put(f, f->n++, j);
            rise(f, j);
        }
    }
}

rung_status graph_geodesics(rung_ctx *ctx, const la_csr *G, la_mat *D)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = G->rows, *room = NULL, chunks = ctx->threads < n ? ctx->threads : n;
    double *all = NULL, farthest = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, all, n * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, 2 * n * chunks));
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (n > 200)
    for (int64_t c = 0; c < chunks; c++) /* each with its own room; a source's paths do not depend on the chunk */
        for (int64_t i = c; i < n && !stop_asked(ctx); i += chunks) {
            front f = {.point = room + 2 * n * c, .place = room + 2 * n * c + n, .length = all + i * n};
            paths_from(G, i, &f);
        }
    TRY(interrupted(ctx));
    for (int64_t i = 0; i < n * n; i++)
        if (isfinite(all[i])) farthest = fmax(farthest, all[i]);
    for (int64_t i = 0; i < n * n; i++) {
        double length = isfinite(all[i]) ? all[i] : farthest;
        all[i] = length * length;
    }
    la_put(all, D);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
