// SPDX-License-Identifier: BSD-3-Clause
/* all_rows.c - data larger than memory: the bins of all rows, a byte per cell, are in memory; their cells never are.
 * Of several processes each has the rows of its files. */
#include <string.h>

#include "method/boost/boost.h"

typedef struct {
    const problem *p;
    const row_source *source;
    const tree_bins *b;
    packed_rows *rows;
    int64_t most; /* rows of the files of this process */
    bool *extra;  /* per row that the sample has beside its own: it is among the rows here */
    int32_t *extra_at;
} row_filler;

static int64_t extra_of(const row_source *s, int64_t file, int64_t row)
{
    for (int64_t k = 0; k < s->n_extra; k++)
        if (s->extra_file[k] == file && s->extra_row[k] == row) return k;
    return -1;
}

/* A row of the sample: their numbers there follow, since both are in the order of the files. */
static void note_sampled(row_filler *f, int64_t file, int64_t row, int32_t at)
{
    const row_source *s = f->source;
    if (!rows_sampled(s, file, row)) return;
    int64_t k = extra_of(s, file, row);
    if (k >= 0) {
        f->extra[k] = true;
        f->extra_at[k] = at;
    } else {
        f->rows->sampled[f->rows->n_sampled++] = at;
    }
}

/* Sums: rows, then weights, of each rank. */
static rung_status take_block(rung_ctx *ctx, void *user, const problem_block *b, double *sum)
{
    row_filler *f = user;
    packed_rows *to = f->rows;
    const row_source *s = f->source;
    tree_codes some;
    tree_table table = {.code = f->p->code, .cells = b->cells, .n_rows = b->n};
    if (to->n + b->n > f->most) return set_error(ctx, RUNG_EIO, "the files changed while they were read");
    TRY(codes_new(ctx, &ctx->scratch, f->b, &table, b->n, NULL, &some));
    memcpy(to->code + to->n * to->columns, some.by_row, (size_t)(b->n * to->columns));
    for (int64_t i = 0; i < b->n; i++, to->n++) {
        double w = b->w ? b->w[i] : 1;
        to->word[to->n] = b->y[i] - 1;
        if (to->w) to->w[to->n] = (float)w;
        sum[b->y[i] - 1]++;
        sum[to->K + b->y[i] - 1] += w;
        note_sampled(f, b->file, b->row[i], (int32_t)to->n);
    }
    for (int64_t slot = 0; slot < to->n_slots; slot++)
        if (s->n_files * (slot + 1) / to->n_slots > b->file) to->slot_end[slot] = to->n;
    return RUNG_OK;
}

static rung_status make_room(rung_ctx *ctx, pool *mem, row_filler *f)
{
    const row_source *s = f->source;
    packed_rows *to = f->rows;
    f->most = rows_of_process(ctx, s, comm_process(ctx));
    if (f->most > INT32_MAX)
        return set_error(ctx, RUNG_EDATA, "boost holds at most %d rows in a process, not %lld", INT32_MAX,
                         (long long)f->most);
    to->n_slots = rows_slots(s);
    TRY(NEW(ctx, mem, to->slot_end, to->n_slots));
    TRY(NEW_RAW(ctx, mem, to->code, f->most * to->columns));
    TRY(NEW_RAW(ctx, mem, to->word, f->most));
    if (f->p->w) TRY(NEW_RAW(ctx, mem, to->w, f->most));
    TRY(NEW_RAW(ctx, mem, to->sampled, f->p->n));
    TRY(NEW_RAW(ctx, mem, to->sample_row, f->p->n));
    TRY(NEW(ctx, &ctx->scratch, f->extra, s->n_extra));
    return NEW(ctx, &ctx->scratch, f->extra_at, s->n_extra);
}

/* What every process has: rows, rows of the sample in the order of the files, and those beside them. */
static rung_status number_rows(rung_ctx *ctx, row_filler *f)
{
    packed_rows *to = f->rows;
    int64_t extras = f->source->n_extra, own = 2 + extras, *mine = NULL, *size, before = 0, ordinary = 0;
    char **all;
    TRY(NEW(ctx, &ctx->scratch, mine, own));
    mine[0] = to->n;
    mine[1] = to->n_sampled;
    for (int64_t k = 0; k < extras; k++) mine[2 + k] = f->extra[k];
    TRY(comm_gather(ctx, mine, own * (int64_t)sizeof *mine, &all, &size));
    for (int r = 0; r < comm_processes(ctx); r++) {
        const int64_t *one = (const int64_t *)(const void *)all[r];
        if (r < comm_process(ctx)) to->before += one[0], before += one[1];
        to->total += one[0];
        ordinary += one[1];
        for (int64_t k = 0; k < extras && r != comm_process(ctx); k++) mine[2 + k] += one[2 + k];
    }
    for (int64_t k = 0; k < to->n_sampled; k++) to->sample_row[k] = (int32_t)(before + k);
    for (int64_t k = 0; k < extras; k++) {
        if (f->extra[k]) {
            to->sampled[to->n_sampled] = f->extra_at[k];
            to->sample_row[to->n_sampled++] = (int32_t)ordinary;
        }
        ordinary += mine[2 + k];
    }
    return ordinary == f->p->n ? RUNG_OK : set_error(ctx, RUNG_EIO, "the files changed while they were read");
}

rung_status boost_all_rows(rung_ctx *ctx, pool *mem, const problem *p, int leaves, boost_rows *out)
{
    packed_rows *all = NULL;
    double *sum = NULL;
    rows_beyond unscaled = *p->all;
    problem own = *p;
    unscaled.scale = NULL;
    own.all = &unscaled;
    TRY(NEW(ctx, mem, all, 1));
    TRY(packed_new(ctx, mem, out->b->n_columns, p->K, leaves, all));
    row_filler f = {.p = &own, .source = p->all->source, .b = out->b, .rows = all};
    TRY(make_room(ctx, mem, &f));
    TRY(NEW(ctx, &ctx->scratch, sum, 2 * (int64_t)p->K));
    TRY(problem_sum(ctx, &own, take_block, &f, 2 * (int64_t)p->K, sum));
    memcpy(all->count, sum, (size_t)p->K * sizeof *sum);
    memcpy(all->mass, sum + p->K, (size_t)p->K * sizeof *sum);
    out->all = all;
    return number_rows(ctx, &f);
}
