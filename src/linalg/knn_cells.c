// SPDX-License-Identifier: BSD-3-Clause
/* knn_cells.c - nearest neighbours within the cells nearest to a column.
 *
 * Columns are sorted by cell. The columns of a cell are processed together: products with the centres determine the
 * cells that each of them searches, and one product compares each cell with all columns that search it. As in nearest.c
 * a product only excludes candidates, and the remaining distances are summed directly; so single precision suffices, at
 * twice the speed, with a bound on its rounding. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/heap.h"
#include "linalg/internal.h"

enum { ASKING = 512, PIECE = 256, CHOOSING = 32, LOOK = 32 };

static const double SLACK = 1e-6; /* relative: more than the rounding of a direct sum, or of a limit */

typedef struct {
    int64_t cell, asks, end; /* asked for by the columns asker[end - asks .. end - 1] */
} asked_cell;

typedef struct {        /* of one thread */
    double *centre_d2;  /* cells x CHOOSING: less the norm of who asks */
    float *g;           /* PIECE x ASKING */
    float *z;           /* ASKING x (d + 1): the columns that ask for a cell */
    int64_t *near_cell; /* probes x ASKING */
    int64_t *asker;     /* the same pairs cell by cell */
    asked_cell *wanted; /* cells, those asked for by most columns first */
    nearest_heap *heap; /* ASKING */
} asking_room;

typedef struct {
    const la_cells *c;
    int64_t k, *index;
    double *d2, *centre_norm;
    double *norm;    /* n: of the columns from the middle of X */
    double *largest; /* cells: the largest of these norms */
    int64_t (*count_below)(int64_t n, const double *v, double limit);
    int (*all_below)(int64_t n, const float *g, float limit);
    float *x; /* cell by cell, size x (d + 1): its columns from the middle of X as rows, and -norm / 2 */
} cell_search;

static rung_status room_new(rung_ctx *ctx, const la_cells *c, asking_room *out)
{
    int64_t cells = c->centres->cols, d = c->X->rows;
    TRY(NEW_RAW(ctx, &ctx->scratch, out->centre_d2, CHOOSING * cells));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->g, ASKING * PIECE));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->z, ASKING * (d + 1)));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->near_cell, ASKING * c->probes));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->asker, ASKING * c->probes));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->wanted, cells));
    return NEW(ctx, &ctx->scratch, out->heap, ASKING);
}

/* The columns in single precision, relative to their mean, where rounding is smallest. */
static rung_status shorten(rung_ctx *ctx, const la_cells *c, cell_search *s)
{
    int64_t n = c->X->cols, d = c->X->rows;
    double *middle = NULL;
    TRY(NEW(ctx, &ctx->scratch, middle, d));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->norm, n));
    TRY(NEW(ctx, &ctx->scratch, s->largest, c->centres->cols));
    TRY(NEW_RAW(ctx, &ctx->scratch, s->x, (d + 1) * n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < d; t++) middle[t] += *la_at(c->X, t, i) / (double)n;
    for (int64_t cell = 0; cell < c->centres->cols; cell++) {
        int64_t first = c->start[cell], size = c->start[cell + 1] - first;
        float *x = s->x + first * (d + 1);
        for (int64_t i = 0; i < size; i++) {
            double norm = 0;
            for (int64_t t = 0; t < d; t++) {
                double v = *la_at(c->X, t, first + i) - middle[t];
                norm += v * v;
                x[i + t * size] = (float)v;
            }
            x[i + d * size] = (float)(-norm / 2);
            s->norm[first + i] = norm;
            s->largest[cell] = fmax(s->largest[cell], norm);
        }
    }
    return RUNG_OK;
}

/* ---- loops compiled for several instruction sets, as in exp.c ---- */

#define COUNT_BODY                                                                                                     \
    int64_t count = 0;                                                                                                 \
    for (int64_t i = 0; i < n; i++) count += v[i] < limit;                                                             \
    return count;

#define BELOW_BODY                                                                                                     \
    int all = 1;                                                                                                       \
    for (int64_t i = 0; i < n; i++) all &= g[i] < limit;                                                               \
    return all;

#define LOOPS(FORM, TARGET)                                                                                            \
    TARGET static int64_t count_##FORM(int64_t n, const double *v, double limit){                                      \
        COUNT_BODY} TARGET static int below_##FORM(int64_t n, const float *g, float limit)                             \
    {                                                                                                                  \
        BELOW_BODY                                                                                                     \
    }

LOOPS(plain, )
#if defined(__x86_64__) && defined(__GNUC__)
LOOPS(avx2, __attribute__((target("avx2"))))
LOOPS(avx512, __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))))
#endif

static void choose_loops(cell_search *s)
{
    s->count_below = count_plain;
    s->all_below = below_plain;
#if defined(__x86_64__) && defined(__GNUC__)
    bool widest = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw"),
         wide = __builtin_cpu_supports("avx2");
    s->count_below = widest ? count_avx512 : wide ? count_avx2 : count_plain;
    s->all_below = widest ? below_avx512 : wide ? below_avx2 : below_plain;
#endif
}

/* ---- which cells ---- */

/* The `count` smallest of v by (value, index), by bisection of the limit that separates them from the others. */
static void choose_smallest(const cell_search *s, int64_t n, const double *v, int64_t count, int64_t *chosen)
{
    double low = v[0], high = v[0];
    for (int64_t i = 1; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    high = nextafter(high, INFINITY);
    int64_t below = n, at = 0; /* below: how many are < high, at least `count`; fewer are < low */
    while (below > count) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break; /* ties */
        int64_t b = s->count_below(n, v, middle);
        low = b < count ? middle : low;
        high = b < count ? high : middle;
        below = b < count ? below : b;
    }
    double all = below > count ? low : high;
    for (int64_t i = 0; i < n; i++)
        if (v[i] < all) chosen[at++] = i;
    for (int64_t i = 0; i < n && at < count; i++)
        if (v[i] >= all && v[i] < high) chosen[at++] = i;
}

static int most_asked(const void *a, const void *b)
{
    const asked_cell *x = a, *y = b;
    if (x->asks != y->asks) return x->asks < y->asks ? 1 : -1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Columns j0 .. j0 + count - 1 and the cells that each searches; returns how many cells are searched by any. */
static int64_t ask(const cell_search *s, asking_room *r, int64_t j0, int64_t count)
{
    const la_mat *X = s->c->X, *centres = s->c->centres;
    int64_t cells = centres->cols, probes = s->c->probes, n_wanted = 0;
    for (int64_t j1 = 0; j1 < count; j1 += CHOOSING) {
        int64_t few = min64(CHOOSING, count - j1);
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(cells), blas_int(few), blas_int(X->rows), -2,
                    centres->v, blas_int(la_ld(centres)), la_at(X, 0, j0 + j1), blas_int(la_ld(X)), 0, r->centre_d2,
                    blas_int(cells));
        for (int64_t j = 0; j < few; j++) {
            double *d2 = r->centre_d2 + j * cells;
            for (int64_t c = 0; c < cells; c++) d2[c] += s->centre_norm[c];
            choose_smallest(s, cells, d2, probes, r->near_cell + (j1 + j) * probes);
        }
    }
    for (int64_t c = 0; c < cells; c++) r->wanted[c] = (asked_cell){.cell = c};
    for (int64_t i = 0; i < count * probes; i++) r->wanted[r->near_cell[i]].asks++;
    for (int64_t c = 1; c < cells; c++) r->wanted[c].end = r->wanted[c - 1].end + r->wanted[c - 1].asks;
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = j * probes; i < (j + 1) * probes; i++) r->asker[r->wanted[r->near_cell[i]].end++] = j0 + j;
    for (int64_t c = 0; c < cells; c++)
        if (r->wanted[c].asks) r->wanted[n_wanted++] = r->wanted[c];
    qsort(r->wanted, (size_t)n_wanted, sizeof *r->wanted, most_asked);
    return n_wanted;
}

/* ---- the columns of the cells ---- */

/* A lower bound of x'z - |x|^2 / 2 for a column x that can still be a neighbour of j, with norm at most `largest`; if
 * single precision is insufficient, nothing is excluded. */
static float limit_of(const cell_search *s, int64_t j, double largest, const nearest_heap *heap)
{
    double norms = s->norm[j] + largest, margin = 4 * (double)(s->c->X->rows + 8) * FLT_EPSILON * norms + FLT_MIN;
    if (norms > FLT_MAX / 8) return -INFINITY;
    return (float)((s->norm[j] - heap_worst(heap) * (1 + SLACK) - margin) / 2);
}

/* Columns i0 .. of X, whose products with column j are g, as neighbours of j. */
static void look(const cell_search *s, int64_t j, int64_t i0, int64_t count, double largest, const float *g,
                 nearest_heap *heap)
{
    const la_mat *X = s->c->X;
    const double *z = la_at(X, 0, j);
    float limit = limit_of(s, j, largest, heap);
    if (s->all_below(count, g, limit)) return;
    for (int64_t first = 0; first < count; first += LOOK) {
        int64_t end = min64(first + LOOK, count);
        if (s->all_below(end - first, g + first, limit)) continue;
        for (int64_t i = first; i < end; i++) {
            if (g[i] < limit || i0 + i == j) continue;
            const double *x = la_at(X, 0, i0 + i);
            double d2 = 0;
            for (int64_t t = 0; t < X->rows; t++) d2 += (x[t] - z[t]) * (x[t] - z[t]);
            if (!heap_takes(heap, d2, s->c->name[i0 + i])) continue;
            heap_put(heap, d2, s->c->name[i0 + i]);
            limit = limit_of(s, j, largest, heap);
        }
    }
}

/* Compares the columns of cell `own`, from j0 on, that search a cell with its columns. */
static void visit(const cell_search *s, asking_room *r, int64_t own, int64_t j0, const asked_cell *to)
{
    const int64_t *start = s->c->start, *who = r->asker + to->end - to->asks;
    int64_t d1 = s->c->X->rows + 1, asks = to->asks, cell = to->cell, own_size = start[own + 1] - start[own],
            size = start[cell + 1] - start[cell];
    const float *own_x = s->x + start[own] * d1;
    for (int64_t t = 0; t < d1; t++)
        for (int64_t a = 0; a < asks; a++)
            r->z[a + t * ASKING] = t < d1 - 1 ? own_x[who[a] - start[own] + t * own_size] : 1;
    for (int64_t i0 = 0; i0 < size; i0 += PIECE) {
        int64_t rows = min64(PIECE, size - i0);
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_int(rows), blas_int(asks), blas_int(d1), 1,
                    s->x + start[cell] * d1 + i0, blas_int(size), r->z, ASKING, 0, r->g, PIECE);
        for (int64_t a = 0; a < asks; a++)
            look(s, who[a], start[cell] + i0, rows, s->largest[cell], r->g + a * PIECE, &r->heap[who[a] - j0]);
    }
}

/* Columns j0 .. j0 + count - 1 of a cell; returns the pairs met. */
static double answer(const cell_search *s, asking_room *r, int64_t own, int64_t j0, int64_t count)
{
    double met = 0;
    for (int64_t j = 0; j < count; j++)
        r->heap[j] = (nearest_heap){.k = s->k, .d2 = s->d2 + (j0 + j) * s->k, .index = s->index + (j0 + j) * s->k};
    int64_t wanted = ask(s, r, j0, count);
    for (int64_t w = 0; w < wanted; w++) visit(s, r, own, j0, &r->wanted[w]);
    for (int64_t j = 0; j < count; j++) heap_sort(&r->heap[j]);
    for (int64_t i = 0; i < count * s->c->probes; i++)
        met += (double)(s->c->start[r->near_cell[i] + 1] - s->c->start[r->near_cell[i]]);
    return met;
}

rung_status la_nearest_in_cells(rung_ctx *ctx, const la_cells *c, int64_t k, int64_t *index, double *d2)
{
    double started = op_start(), met = 0;
    pool_mark mark = pool_here(&ctx->scratch);
    asking_room *rooms = NULL;
    cell_search s = {.c = c, .k = k, .index = index, .d2 = d2};
    TRY(NEW(ctx, &ctx->scratch, rooms, ctx->threads));
    for (int t = 0; t < ctx->threads; t++) TRY(room_new(ctx, c, &rooms[t]));
    choose_loops(&s);
    TRY(shorten(ctx, c, &s));
    TRY(NEW_RAW(ctx, &ctx->scratch, s.centre_norm, c->centres->cols));
    TRY(la_column_dots(ctx, c->centres, c->centres, s.centre_norm));
#pragma omp parallel for num_threads(ctx->threads) schedule(dynamic) reduction(+ : met)
    for (int64_t cell = 0; cell < c->centres->cols; cell++)
        for (int64_t j0 = c->start[cell]; j0 < c->start[cell + 1] && !stop_asked(ctx); j0 += ASKING)
            met += answer(&s, &rooms[omp_get_thread_num()], cell, j0, min64(ASKING, c->start[cell + 1] - j0));
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_NEAREST, 2 * met * (double)c->X->rows, started);
    return interrupted(ctx);
}
