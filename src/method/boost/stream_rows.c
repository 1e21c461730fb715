// SPDX-License-Identifier: BSD-3-Clause
/* stream_rows.c - data larger than memory: the bins of all rows, a byte per cell, are in memory; their cells never are.
 * Beside the bins a row takes as little as possible: a label, its place in the leaves, its function. */
#include <string.h>

#include "method/boost/boost.h"

typedef struct {
    const problem *p;
    boost_rows *rows;
    int *y;
    double *w;
    int64_t n; /* rows so far */
} row_filler;

/* A row of the sample is there already. */
static rung_status take_block(rung_ctx *ctx, void *user, const problem_block *b, double *sum)
{
    row_filler *f = user;
    tree_codes *to = &f->rows->codes, some;
    int64_t columns = f->rows->b->n_columns, fresh = 0, *rows = NULL;
    (void)sum;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, b->n));
    for (int64_t i = 0; i < b->n; i++)
        if (!stream_sampled(f->p->stream->rows, b->file, b->row[i])) rows[fresh++] = i;
    if (f->n + fresh > to->n) return set_error(ctx, RUNG_EIO, "the files changed while they were read");
    tree_table table = {.code = f->p->code, .cells = b->cells, .n_rows = b->n};
    TRY(codes_new(ctx, &ctx->scratch, f->rows->b, &table, fresh, rows, &some));
    memcpy(to->by_row + f->n * columns, some.by_row, (size_t)(fresh * columns));
    for (int64_t i = 0; i < fresh; i++) {
        f->y[f->n + i] = b->y[rows[i]];
        if (f->w) f->w[f->n + i] = b->w ? b->w[rows[i]] : 1;
    }
    f->n += fresh;
    return RUNG_OK;
}

rung_status boost_stream_rows(rung_ctx *ctx, pool *mem, const problem *p, boost_rows *out)
{
    boost_rows sample;
    int64_t n = p->stream->n_labelled, columns;
    double nothing;
    row_filler f = {.p = p, .rows = out, .n = p->n};
    if (comm_ranks(ctx) > 1)
        return set_error(ctx, RUNG_EARG, "boost holds the bins of all rows, so that it is fitted by a single process");
    if (p->n > n || n > INT32_MAX)
        return set_error(ctx, RUNG_EDATA, "boost is fitted to at most %d rows, not %lld", INT32_MAX, (long long)n);
    TRY(boost_rows_new(ctx, mem, p, &sample));
    columns = sample.b->n_columns;
    TRY(NEW(ctx, mem, f.y, n));
    if (p->w) TRY(NEW(ctx, mem, f.w, n));
    *out = (boost_rows){.b = sample.b, .codes = {.n = n}, .n = n, .K = p->K, .y = f.y, .w = f.w, .thrifty = true};
    TRY(NEW(ctx, mem, out->codes.by_row, n * columns));
    memcpy(out->codes.by_row, sample.codes.by_row, (size_t)(p->n * columns));
    memcpy(f.y, p->y, (size_t)p->n * sizeof *f.y);
    if (p->w) memcpy(f.w, p->w, (size_t)p->n * sizeof *f.w);
    pool_free(mem, sample.codes.by_row);
    pool_free(mem, sample.codes.by_column);
    return problem_sum(ctx, p, take_block, &f, 0, &nothing);
}
