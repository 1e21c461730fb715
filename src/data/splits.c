// SPDX-License-Identifier: BSD-3-Clause
#include "data/splits.h"

#include <math.h>

#include "base/rng.h"

/* Streams of random numbers: one per repeat, apart from those of other tasks. */
#define FOLDS_STREAM (UINT64_C(1) << 32)
#define HOLDOUT_STREAM (UINT64_C(2) << 32)

/* The rows of each class, class after class: those of class k are rows[first[k-1]] .. rows[first[k]-1]. */
typedef struct {
    int64_t *first, *rows;
    int64_t eligible; /* rows in classes of two rows or more */
} by_class;

static rung_status sort_by_class(rung_ctx *ctx, int64_t n, const int *y, int K, by_class *out)
{
    int64_t *next = NULL;
    TRY(NEW(ctx, &ctx->scratch, out->first, (int64_t)K + 1));
    TRY(NEW(ctx, &ctx->scratch, next, (int64_t)K + 1));
    TRY(NEW(ctx, &ctx->scratch, out->rows, n));
    for (int64_t i = 0; i < n; i++) {
        if (y[i] < 0 || y[i] > K)
            return fail(ctx, RUNG_EARG, "rank %d of row %lld is outside 0..%d", y[i], (long long)i + 1, K);
        if (y[i] > 0) out->first[y[i]]++;
    }
    out->eligible = 0;
    for (int k = 1; k <= K; k++) {
        if (out->first[k] > 1) out->eligible += out->first[k];
        out->first[k] += out->first[k - 1];
        next[k] = out->first[k - 1];
    }
    for (int64_t i = 0; i < n; i++)
        if (y[i] > 0) out->rows[next[y[i]]++] = i;
    return RUNG_OK;
}

static rung_status open_folds(rung_ctx *ctx, pool *mem, int64_t n, int count, int repeats, folds *out)
{
    *out = (folds){.n = n, .count = count, .repeats = repeats};
    TRY(pool_alloc_raw(ctx, mem, repeats, (size_t)n * sizeof(int), "folds", (void **)&out->fold));
    for (int64_t i = 0; i < n * repeats; i++) out->fold[i] = -1;
    return RUNG_OK;
}

rung_status folds_stratified(rung_ctx *ctx, pool *mem, int64_t n, const int *y, int K, int count, int repeats,
                             folds *out)
{
    by_class c;
    if (count < 2 || repeats < 1)
        return fail(ctx, RUNG_EARG, "%d folds, %d times: at least 2 folds, once", count, repeats);
    TRY(sort_by_class(ctx, n, y, K, &c));
    TRY(open_folds(ctx, mem, n, c.eligible < count ? (int)c.eligible : count, repeats, out));
    for (int repeat = 0; repeat < repeats; repeat++) {
        rng r;
        int turn = 0, *fold = out->fold + repeat * n;
        rng_open(&r, ctx->seed, FOLDS_STREAM + (uint64_t)repeat);
        for (int k = 1; k <= K; k++) {
            int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
            if (size < 2) continue;
            rng_shuffle(&r, rows, size);
            for (int64_t i = 0; i < size; i++) {
                fold[rows[i]] = turn;
                turn = (turn + 1) % out->count;
            }
        }
    }
    return RUNG_OK;
}

rung_status folds_holdout(rung_ctx *ctx, pool *mem, int64_t n, const int *y, int K, double share, int64_t most,
                          folds *out)
{
    by_class c;
    if (!(share > 0 && share < 1) || most < 1)
        return fail(ctx, RUNG_EARG, "a share of %g, at most %lld rows: not a part to hold out", share, (long long)most);
    TRY(sort_by_class(ctx, n, y, K, &c));
    TRY(open_folds(ctx, mem, n, 1, 1, out));
    double target = fmin(fmax(round(share * (double)c.eligible), 1), (double)most);
    rng r;
    rng_open(&r, ctx->seed, HOLDOUT_STREAM);
    /* Rounding the running total, not each class, keeps the sum at the target. */
    int64_t seen = 0, taken = 0;
    for (int k = 1; k <= K; k++) {
        int64_t size = c.first[k] - c.first[k - 1], *rows = c.rows + c.first[k - 1];
        if (size < 2) continue;
        rng_shuffle(&r, rows, size);
        seen += size;
        int64_t quota = (int64_t)round(target * (double)seen / (double)c.eligible) - taken;
        if (quota > size - 1) quota = size - 1;
        for (int64_t i = 0; i < quota; i++) out->fold[rows[i]] = 0;
        taken += quota;
    }
    return RUNG_OK;
}

int64_t folds_held(const folds *f, int repeat, int fold, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->fold[repeat * f->n + i] == fold) rows[count++] = i;
    return count;
}

int64_t folds_kept(const folds *f, int repeat, int fold, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->n; i++)
        if (f->fold[repeat * f->n + i] != fold) rows[count++] = i;
    return count;
}
