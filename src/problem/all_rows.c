// SPDX-License-Identifier: BSD-3-Clause
/* All labelled rows, block by block, with the ranks, weights and scaling of a problem. */
#include <string.h>

#include "problem/problem.h"

typedef struct {
    const problem *p;
    problem_block_fn *fn;
    void *user;
    double *X, *cells, *w;
    int *y;
    int64_t *row;
} block_rows;

static double weight_of(const rows_beyond *s, const rung_data *rows, int64_t i)
{
    return (rows->weight ? rows->weight[i] : 1) * (s->class_weight ? s->class_weight[rows->y[i] - 1] : 1);
}

static rung_status add_block(rung_ctx *ctx, void *user, const row_block *b, double *sum)
{
    block_rows *r = user;
    const rows_beyond *s = r->p->all;
    const rung_data *rows = b->rows;
    bool weighted = rows->weight || s->class_weight;
    int64_t n = 0, d = rows->d;
    for (int64_t i = 0; i < rows->n; i++) {
        double w = rows->y[i] ? weight_of(s, rows, i) : 0;
        if (!(w > 0) || !s->rank[rows->y[i]]) continue;
        memcpy(r->cells + n * d, rows->X + i * d, (size_t)d * sizeof *r->cells);
        r->y[n] = s->rank[rows->y[i]];
        r->w[n] = w;
        r->row[n++] = b->first + i;
    }
    problem_block block = {n, NULL, r->cells, r->y, weighted ? r->w : NULL, r->row, b->file};
    if (s->scale) {
        scale_apply(s->scale, n, &(rung_view){r->cells, n, d, d, 1}, NULL, r->X);
        block.X = r->X;
    }
    return n > 0 ? r->fn(ctx, r->user, &block, sum) : RUNG_OK;
}

rung_status problem_sum(rung_ctx *ctx, const problem *p, problem_block_fn *fn, void *user, int64_t size, double *sum)
{
    pool_mark mark = pool_here(&ctx->scratch);
    block_rows r = {.p = p, .fn = fn, .user = user};
    int64_t rows = p->all->source->block;
    TRY(NEW_RAW(ctx, &ctx->scratch, r.X, p->all->scale ? rows * p->d : 0));
    TRY(NEW_RAW(ctx, &ctx->scratch, r.cells, rows * p->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, r.w, rows));
    TRY(NEW_RAW(ctx, &ctx->scratch, r.y, rows));
    TRY(NEW_RAW(ctx, &ctx->scratch, r.row, rows));
    TRY(rows_sum(ctx, p->all->source, add_block, &r, size, sum));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
