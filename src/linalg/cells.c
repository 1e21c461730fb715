// SPDX-License-Identifier: BSD-3-Clause
/* cells.c - nearest neighbours within the cells nearest to a column.
 *
 * Columns come sorted by cell. A block of columns asks together: products with the centres tell each column its cells,
 * and each cell meets those columns of the block that asked for it in one product. As in nearest.c a product only
 * excludes; what remains is summed directly. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "linalg/heap.h"
#include "linalg/internal.h"

enum { ASKING = 64, PIECE = 1024, LOOK = 32 };

static const double SLACK = 1e-9; /* relative: more than the direct sum itself may be off */

typedef struct {           /* of one thread */
    double *g;             /* PIECE x ASKING, cells x ASKING: inner products */
    double *z;             /* d x ASKING: the columns that ask for a cell */
    double *near_d2;       /* probes x ASKING */
    int64_t *near_cell;    /* probes x ASKING */
    int64_t *first, *next; /* who asks for a cell: a list through the probes */
    int64_t *wanted;       /* cells in the order they were first asked for */
    nearest_heap *heap;    /* ASKING */
} asking_room;

typedef struct {
    const la_cells *c;
    int64_t k, *index;
    double *d2, *norm, *centre_norm, largest;
} cell_search;

static rung_status room_new(rung_ctx *ctx, const la_cells *c, asking_room *out)
{
    int64_t cells = c->centres->cols, d = c->X->rows;
    TRY(NEW_RAW(ctx, &ctx->scratch, out->g, ASKING * (cells > PIECE ? cells : PIECE)));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->z, ASKING * d));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->near_d2, ASKING * c->probes));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->near_cell, ASKING * c->probes));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->first, cells));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->next, ASKING * c->probes));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->wanted, cells));
    return NEW(ctx, &ctx->scratch, out->heap, ASKING);
}

static rung_status norms(rung_ctx *ctx, const la_mat *A, double **out)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, A->cols));
    return la_column_dots(ctx, A, A, *out);
}

/* Columns j0 .. j0 + count - 1 and the cells each asks for; returns how many cells are asked for by any. */
static int64_t ask(const cell_search *s, asking_room *r, int64_t j0, int64_t count)
{
    const la_mat *X = s->c->X, *centres = s->c->centres;
    int64_t cells = centres->cols, probes = s->c->probes, n_wanted = 0;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(cells), blas_int(count), blas_int(X->rows), 1,
                centres->v, blas_int(la_ld(centres)), la_at(X, 0, j0), blas_int(la_ld(X)), 0, r->g, blas_int(cells));
    for (int64_t c = 0; c < cells; c++) r->first[c] = -1;
    for (int64_t j = 0; j < count; j++) {
        nearest_heap near = {.k = probes, .d2 = r->near_d2 + j * probes, .index = r->near_cell + j * probes};
        for (int64_t c = 0; c < cells; c++) {
            double d2 = s->centre_norm[c] - 2 * r->g[c + j * cells];
            if (heap_takes(&near, d2, c)) heap_put(&near, d2, c);
        }
        heap_sort(&near);
        for (int64_t i = j * probes; i < (j + 1) * probes; i++) {
            int64_t cell = r->near_cell[i];
            if (r->first[cell] < 0) r->wanted[n_wanted++] = cell;
            r->next[i] = r->first[cell];
            r->first[cell] = i;
        }
    }
    return n_wanted;
}

/* Columns i0 .. of X, whose products with column j are g, as neighbours of j. */
static void look(const cell_search *s, int64_t j, int64_t i0, int64_t count, double *g, nearest_heap *heap)
{
    const la_mat *X = s->c->X;
    const double *norm = s->norm + i0, *z = la_at(X, 0, j);
    double margin = 4 * (double)(X->rows + 8) * DBL_EPSILON * (s->norm[j] + s->largest) - s->norm[j];
    for (int64_t i = 0; i < count; i++) g[i] = norm[i] - 2 * g[i];
    for (int64_t first = 0; first < count; first += LOOK) {
        int64_t end = min64(first + LOOK, count);
        double limit = heap_worst(heap) * (1 + SLACK) + margin;
        int some = 0;
        for (int64_t i = first; i < end; i++) some |= g[i] <= limit;
        for (int64_t i = first; i < end && some; i++) {
            if (g[i] > limit || i0 + i == j) continue;
            const double *x = la_at(X, 0, i0 + i);
            double d2 = 0;
            for (int64_t t = 0; t < X->rows; t++) d2 += (x[t] - z[t]) * (x[t] - z[t]);
            if (heap_takes(heap, d2, s->c->name[i0 + i])) heap_put(heap, d2, s->c->name[i0 + i]);
        }
    }
}

static void visit(const cell_search *s, asking_room *r, int64_t j0, int64_t cell)
{
    const la_mat *X = s->c->X;
    int64_t d = X->rows, who[ASKING], asks = 0;
    for (int64_t i = r->first[cell]; i >= 0; i = r->next[i]) {
        who[asks] = i / s->c->probes;
        memcpy(r->z + asks++ * d, la_at(X, 0, j0 + i / s->c->probes), (size_t)d * sizeof *r->z);
    }
    for (int64_t i0 = s->c->start[cell]; i0 < s->c->start[cell + 1]; i0 += PIECE) {
        int64_t rows = min64(PIECE, s->c->start[cell + 1] - i0);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(asks), blas_int(d), 1,
                    la_at(X, 0, i0), blas_int(d), r->z, blas_int(d), 0, r->g, PIECE);
        for (int64_t a = 0; a < asks; a++) look(s, j0 + who[a], i0, rows, r->g + a * PIECE, &r->heap[who[a]]);
    }
}

rung_status la_nearest_in_cells(rung_ctx *ctx, const la_cells *c, int64_t k, int64_t *index, double *d2)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = c->X->cols, blocks = (n + ASKING - 1) / ASKING;
    asking_room *rooms = NULL;
    cell_search s = {.c = c, .k = k, .index = index, .d2 = d2};
    double met = 0;
    TRY(NEW(ctx, &ctx->scratch, rooms, ctx->threads));
    for (int t = 0; t < ctx->threads; t++) TRY(room_new(ctx, c, &rooms[t]));
    TRY(norms(ctx, c->X, &s.norm));
    TRY(norms(ctx, c->centres, &s.centre_norm));
    for (int64_t i = 0; i < n; i++) s.largest = fmax(s.largest, s.norm[i]);
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) reduction(+ : met)
    for (int64_t b = 0; b < blocks; b++) {
        if (stop_asked(ctx)) continue;
        asking_room *r = &rooms[omp_get_thread_num()];
        int64_t j0 = b * ASKING, count = min64(ASKING, n - j0);
        for (int64_t j = 0; j < count; j++)
            r->heap[j] = (nearest_heap){.k = k, .d2 = d2 + (j0 + j) * k, .index = index + (j0 + j) * k};
        int64_t wanted = ask(&s, r, j0, count);
        for (int64_t w = 0; w < wanted; w++) visit(&s, r, j0, r->wanted[w]);
        for (int64_t j = 0; j < count; j++) heap_sort(&r->heap[j]);
        for (int64_t i = 0; i < count * c->probes; i++)
            met += (double)(c->start[r->near_cell[i] + 1] - c->start[r->near_cell[i]]);
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_NEAREST, 2 * met * (double)c->X->rows, started);
    return interrupted(ctx);
}
