// SPDX-License-Identifier: BSD-3-Clause
/* nearest.c - exact nearest neighbours.
 *
 * Blocks of approximate distances |x|^2 + |z|^2 - 2 x'z come from gemm. Distances that they cannot exclude (a bound on
 * their rounding is added to the worst neighbour so far) are summed directly, and only these sums decide: the result is
 * that of direct summation, ties by index. */
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "linalg/heap.h"
#include "linalg/internal.h"

enum { QUERIES = 64, CHUNK = 1024, LOOK = 32, TREE_ROWS = 2048, TREE_QUERIES = 64, TREE_GROUP = 64 };

static const double SLACK = 1e-9; /* relative: larger than the rounding error of the direct sum */

typedef struct { /* the columns centred at the mean of X, where cancellation is smallest */
    la_mat *X, *Z;
    double *nx, *nz; /* squared norms */
    double largest;  /* of nx */
} centred;

static double direct(int64_t d, const double *x, const double *z)
{
    double s = 0;
    for (int64_t j = 0; j < d; j++) s += (x[j] - z[j]) * (x[j] - z[j]);
    return s;
}

static rung_status move(rung_ctx *ctx, const la_mat *X, const double *middle, la_mat **out, double **norm)
{
    TRY(la_new(ctx, &ctx->scratch, X->rows, X->cols, out));
    TRY(NEW_RAW(ctx, &ctx->scratch, *norm, X->cols));
    for (int64_t i = 0; i < X->cols; i++) {
        const double *x = la_at(X, 0, i);
        double *y = la_at(*out, 0, i), s = 0;
        for (int64_t j = 0; j < X->rows; j++) {
            y[j] = x[j] - middle[j];
            s += y[j] * y[j];
        }
        (*norm)[i] = s;
    }
    return RUNG_OK;
}

static rung_status centre_both(rung_ctx *ctx, const la_mat *X, const la_mat *Z, centred *out)
{
    double *middle = NULL;
    TRY(NEW(ctx, &ctx->scratch, middle, X->rows));
    for (int64_t i = 0; i < X->cols; i++)
        for (int64_t j = 0; j < X->rows; j++) middle[j] += *la_at(X, j, i) / (double)X->cols;
    TRY(move(ctx, X, middle, &out->X, &out->nx));
    TRY(move(ctx, Z, middle, &out->Z, &out->nz));
    out->largest = 0;
    for (int64_t i = 0; i < X->cols; i++) out->largest = fmax(out->largest, out->nx[i]);
    return RUNG_OK;
}

typedef struct {
    const nearest_query *q;
    const centred *c;
    int64_t j; /* the query */
    double margin, smallest_factor;
    nearest_heap heap;
} search;

/* An upper bound of |x|^2 - 2 x'z for a column that can still be a neighbour. */
static double limit_of(const search *s)
{
    return heap_worst(&s->heap) * (1 + SLACK) / s->smallest_factor + s->margin - s->c->nz[s->j];
}

static void consider(search *s, int64_t i, double approximate)
{
    const nearest_query *q = s->q;
    double factor = 1;
    if (q->self && q->self[s->j] == i) return;
    if (q->factor) {
        factor = q->factor->table[q->factor->row[i] + q->factor->col[s->j] * q->factor->groups];
        if (factor * (approximate + s->c->nz[s->j] - s->margin) > heap_worst(&s->heap) * (1 + SLACK)) return;
    }
    double d2 = factor * direct(q->X->rows, la_at(q->X, 0, i), la_at(q->Z, 0, s->j));
    if (heap_takes(&s->heap, d2, i)) heap_put(&s->heap, d2, i);
}

/* g: the inner products of columns first.. of X with the query. */
static void scan(search *s, int64_t first, int64_t count, double *g)
{
    const double *nx = s->c->nx + first;
    for (int64_t i = 0; i < count; i++) g[i] = nx[i] - 2 * g[i];
    for (int64_t i0 = 0; i0 < count; i0 += LOOK) {
        int64_t end = min64(i0 + LOOK, count);
        double limit = limit_of(s);
        int some = 0;
        for (int64_t i = i0; i < end; i++) some |= g[i] <= limit;
        for (int64_t i = i0; i < end && some; i++)
            if (g[i] <= limit) consider(s, first + i, g[i]);
    }
}

static int threads_for(int64_t queries, int threads)
{
    int64_t blocks = (queries + QUERIES - 1) / QUERIES;
    return (int)min64(threads, blocks > 0 ? blocks : 1);
}

double la_nearest_bytes(int64_t n, int64_t d, int threads)
{
    return 16 * (double)n * (double)(d + 1) +
           threads_for(n, threads) * QUERIES * (double)(CHUNK * sizeof(double) + sizeof(search));
}

rung_status nearest_by_blocks(rung_ctx *ctx, const nearest_query *q)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = q->X->cols, m = q->Z->cols, d = q->X->rows, blocks = (m + QUERIES - 1) / QUERIES;
    int threads = threads_for(m, ctx->threads), ld = blas_int(la_ld(q->X));
    double smallest = q->factor ? INFINITY : 1, *room = NULL;
    centred c;
    search *searches = NULL;
    TRY(centre_both(ctx, q->X, q->Z, &c));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, threads * CHUNK * QUERIES));
    TRY(NEW(ctx, &ctx->scratch, searches, threads * QUERIES));
    if (q->factor)
        for (int64_t i = 0; i < (int64_t)q->factor->groups * q->factor->groups; i++)
            smallest = fmin(smallest, q->factor->table[i]);
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t b = 0; b < blocks; b++) {
        search *s = searches + omp_get_thread_num() * QUERIES;
        double *g = room + (int64_t)omp_get_thread_num() * CHUNK * QUERIES;
        int64_t j0 = b * QUERIES, count = min64(QUERIES, m - j0);
        for (int64_t j = 0; j < count; j++)
            s[j] = (search){.q = q,
                            .c = &c,
                            .j = j0 + j,
                            .margin = 4 * (double)(d + 8) * DBL_EPSILON * (c.nz[j0 + j] + c.largest),
                            .smallest_factor = smallest,
                            .heap = {.k = q->k, .d2 = q->d2 + (j0 + j) * q->k, .index = q->index + (j0 + j) * q->k}};
        for (int64_t i0 = 0; i0 < n && !stop_asked(ctx); i0 += CHUNK) {
            int64_t rows = min64(CHUNK, n - i0);
            cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(rows), blas_int(count), blas_int(d), 1,
                        la_at(c.X, 0, i0), ld, la_at(c.Z, 0, j0), ld, 0, g, CHUNK);
            for (int64_t j = 0; j < count; j++) scan(&s[j], i0, rows, g + j * CHUNK);
        }
        for (int64_t j = 0; j < count; j++) heap_sort(&s[j].heap);
    }
    pool_release(&ctx->scratch, mark);
    return interrupted(ctx);
}

rung_status la_nearest(rung_ctx *ctx, const la_mat *X, const la_mat *Z, const int64_t *self,
                       const la_pair_factor *factor, int64_t k, int64_t *index, double *d2)
{
    double started = op_start();
    nearest_query q = {.X = X, .Z = Z, .self = self, .factor = factor, .k = k, .index = index, .d2 = d2};
    if (k == 0 || Z->cols == 0) return RUNG_OK;
    bool tree = X->rows <= TREE_DIMENSIONS && X->cols >= TREE_ROWS && Z->cols >= TREE_QUERIES && 16 * k <= X->cols &&
                (!factor || TREE_GROUP * factor->groups <= X->cols);
    TRY(tree ? nearest_by_tree(ctx, &q) : nearest_by_blocks(ctx, &q));
    op_done(ctx, OP_NEAREST, tree ? 0 : 2.0 * (double)X->cols * (double)Z->cols * (double)X->rows, started);
    return RUNG_OK;
}

rung_status la_nearest_kernel(rung_ctx *ctx, const la_mat *K, int64_t m, const int64_t *of, int64_t k, int64_t *index,
                              double *d2)
{
    double started = op_start();
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = K->rows;
    double *self = NULL;
    if (k == 0 || m == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, self, n));
    la_diagonal(K, self);
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (n * m > WORTH_SHARING)
    for (int64_t t = 0; t < m; t++) {
        int64_t j = of ? of[t] : t;
        const double *column = la_at(K, 0, j);
        nearest_heap heap = {.k = k, .d2 = d2 + t * k, .index = index + t * k};
        for (int64_t i = 0; i < n; i++) {
            double distance = self[i] + self[j] - 2 * column[i];
            if (distance < 0) distance = 0;
            if (i != j && heap_takes(&heap, distance, i)) heap_put(&heap, distance, i);
        }
        heap_sort(&heap);
    }
    pool_release(&ctx->scratch, mark);
    op_done(ctx, OP_NEAREST, 3.0 * (double)n * (double)m, started);
    return interrupted(ctx);
}
