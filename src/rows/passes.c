// SPDX-License-Identifier: BSD-3-Clause
/* passes.c - sums over the blocks of all files. */
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "input/encode/features.h"
#include "input/read/format.h"
#include "input/read/read.h"

uint64_t rows_key(uint64_t seed, int64_t file, int64_t row)
{
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)file * UINT64_C(0xd1b54a32d192ed03) + (uint64_t)row;
    for (int i = 0; i < 2; i++) { /* splitmix64 */
        z += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        z ^= z >> 31;
    }
    return z;
}

void rows_share(const rung_ctx *ctx, const row_source *s, int process, int64_t *first, int64_t *end)
{
    int64_t slots = rows_slots(s);
    comm_share_of(ctx, process, slots, first, end);
    *first = s->n_files * *first / slots;
    *end = s->n_files * *end / slots;
}

int64_t rows_of_process(const rung_ctx *ctx, const row_source *s, int process)
{
    int64_t first, end;
    rows_share(ctx, s, process, &first, &end);
    int64_t rows = s->rows_before[end] - s->rows_before[first];
    return rows < s->n_labelled ? rows : s->n_labelled;
}

int64_t rows_most(const rung_ctx *ctx, const row_source *s)
{
    int64_t most = 0;
    for (int r = 0; r < comm_processes(ctx); r++) {
        int64_t rows = rows_of_process(ctx, s, r);
        if (rows > most) most = rows;
    }
    return most;
}

bool rows_sampled(const row_source *s, int64_t file, int64_t row)
{
    if (rows_key(s->seed, file, row) <= s->last_key) return true;
    for (int64_t k = 0; k < s->n_extra; k++)
        if (s->extra_file[k] == file && s->extra_row[k] == row) return true;
    return false;
}

rung_status rows_check_labels(rung_ctx *ctx, const rung_data *rows, const char *path)
{
    if (!rows->upper) return RUNG_OK;
    return set_error(ctx, RUNG_EARG,
                     "%s: labels that are intervals cannot be read in passes: all rows must fit into the "
                     "memory limit",
                     path);
}

/* ---- a pass ---- */

typedef struct {
    const row_source *s;
    row_block_fn *fn;
    void *user;
    int64_t slots;
} pass;

/* Blocks that follow each other: they are coded at the same time, and added one by one. */
typedef struct {
    rung_table *t;
    rung_data *rows;
    int64_t first; /* row of the file */
} coded_block;

typedef struct {
    const row_source *s;
    int64_t file, n, room;
    coded_block *block;
    bool ended; /* with the file */
} batch;

static rung_status code_block(rung_ctx *ctx, void *user, int64_t k)
{
    const batch *b = user;
    const row_source *s = b->s;
    const rung_table *t = b->block[k].t;
    rung_data **rows = &b->block[k].rows;
    TRY(dataset_recode(ctx, t, s->code, s->code->label_position >= 0 ? RUNG_LABELS_REQUIRED : RUNG_LABELS_IGNORED,
                       rows));
    TRY(rows_check_labels(ctx, *rows, t->path));
    if (!s->weights) return RUNG_OK;
    int64_t j;
    TRY(table_find(ctx, t, s->weights, "weights", &j));
    return dataset_weights(ctx, t, j, *rows);
}

static rung_status read_batch(rung_ctx *ctx, rung_reader *r, int64_t *rows, batch *b)
{
    while (b->n < b->room && !b->ended) {
        rung_table *t;
        TRY(interrupted(ctx));
        TRY(reader_next(ctx, r, b->s->block, &t));
        b->ended = !t;
        if (!t) return RUNG_OK;
        b->block[b->n++] = (coded_block){.t = t, .first = *rows};
        *rows += t->n_rows;
    }
    return RUNG_OK;
}

static rung_status add_batch(rung_ctx *ctx, const pass *p, batch *b, double *sum)
{
    if (b->n == 1)
        TRY(code_block(ctx, b, 0));
    else
        TRY(parallel_tasks(ctx, (int)b->n, b->n, code_block, b));
    for (int64_t k = 0; k < b->n; k++) {
        pool_mark mark = pool_here(&ctx->scratch);
        TRY(p->fn(ctx, p->user, &(row_block){b->block[k].rows, b->file, b->block[k].first}, sum));
        pool_release(&ctx->scratch, mark);
    }
    return RUNG_OK;
}

static void free_batch(batch *b)
{
    for (int64_t k = 0; k < b->n; k++) {
        table_free(b->block[k].t);
        dataset_free(b->block[k].rows);
    }
    b->n = 0;
}

/* As many blocks as threads, if a small share of the memory limit holds them. */
static int64_t blocks_at_once(const rung_ctx *ctx, const row_source *s, int64_t columns)
{
    enum { SHARE = 16 };
    double each = (double)s->block * 8 * (double)(columns + s->code->d + 2), room = memory_left(ctx) / SHARE;
    int64_t n = ctx->threads;
    while (n > 1 && room > 0 && (double)n * each > room) n--;
    return n;
}

static rung_status add_blocks(rung_ctx *ctx, const pass *p, rung_reader *r, int64_t file, double *sum)
{
    const row_source *s = p->s;
    int64_t rows = 0, expected = s->rows_before[file + 1] - s->rows_before[file];
    batch b = {.s = s, .file = file, .room = blocks_at_once(ctx, s, r->shape->n_columns)};
    TRY(NEW(ctx, &ctx->scratch, b.block, b.room));
    while (!b.ended) {
        pool_mark mark = pool_here(&ctx->scratch);
        rung_status status = read_batch(ctx, r, &rows, &b);
        if (status == RUNG_OK && b.n > 0) status = add_batch(ctx, p, &b, sum);
        free_batch(&b);
        pool_release(&ctx->scratch, mark);
        if (status != RUNG_OK) return status;
    }
    if (rows == expected) return RUNG_OK;
    return set_error(ctx, RUNG_EIO, "%s changed while it was read: it has %lld rows and had %lld", s->path[file],
                     (long long)rows, (long long)expected);
}

static rung_status add_file(rung_ctx *ctx, const pass *p, int64_t file, double *sum)
{
    const row_source *s = p->s;
    rung_reader *r;
    double all = (double)s->n_rows;
    rung_read_options how = s->how;
    how.format = s->format;
    progress_part outer =
        progress_enter(ctx, "reading", (double)s->rows_before[file] / all, (double)s->rows_before[file + 1] / all);
    if (s->rows_before[file + 1] > s->rows_before[file]) {
        TRY(reader_open(ctx, s->path[file], &how, s->code, &r));
        rung_status status = add_blocks(ctx, p, r, file, sum);
        reader_close(r);
        if (status != RUNG_OK) return status;
    }
    progress_leave(ctx, outer);
    return RUNG_OK;
}

/* The files of a leaf of the tree follow each other. */
static rung_status add_slot(rung_ctx *ctx, void *user, int64_t slot, double *sum)
{
    const pass *p = user;
    int64_t n = p->s->n_files;
    for (int64_t file = n * slot / p->slots; file < n * (slot + 1) / p->slots; file++) TRY(add_file(ctx, p, file, sum));
    return RUNG_OK;
}

rung_status rows_sum(rung_ctx *ctx, const row_source *s, row_block_fn *fn, void *user, int64_t size, double *sum)
{
    pass p = {.s = s, .fn = fn, .user = user, .slots = rows_slots(s)};
    rung_log_fn *log = ctx->log; /* what a pass would say of every block was said by the first */
    ctx->log = NULL;
    rung_status status = comm_tree_sum(ctx, p.slots, add_slot, &p, size, sum);
    ctx->log = log;
    return status;
}
