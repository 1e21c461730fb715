// SPDX-License-Identifier: BSD-3-Clause
/* passes.c - sums over the blocks of all files. */
#include "rows/rows.h"

#include <stdlib.h>
#include <string.h>

#include "input/encode/features.h"
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

void rows_share(const rung_ctx *ctx, const row_source *s, int rank, int64_t *first, int64_t *end)
{
    int64_t slots = rows_slots(s);
    comm_share_of(ctx, rank, slots, first, end);
    *first = s->n_files * *first / slots;
    *end = s->n_files * *end / slots;
}

int64_t rows_of_process(const rung_ctx *ctx, const row_source *s, int rank)
{
    int64_t first, end;
    rows_share(ctx, s, rank, &first, &end);
    int64_t rows = s->rows_before[end] - s->rows_before[first];
    return rows < s->n_labelled ? rows : s->n_labelled;
}

int64_t rows_most(const rung_ctx *ctx, const row_source *s)
{
    int64_t most = 0;
    for (int r = 0; r < comm_ranks(ctx); r++) {
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

static rung_status add_table(rung_ctx *ctx, const pass *p, const rung_table *t, int64_t file, int64_t first,
                             double *sum)
{
    const row_source *s = p->s;
    rung_data *rows;
    TRY(dataset_recode(ctx, t, s->code, s->code->label_position >= 0 ? RUNG_LABELS_REQUIRED : RUNG_LABELS_IGNORED,
                       &rows));
    rung_status status = rows_check_labels(ctx, rows, t->path);
    if (status == RUNG_OK && s->weights) {
        int64_t j;
        status = table_find(ctx, t, s->weights, "weights", &j);
        if (status == RUNG_OK) status = dataset_weights(ctx, t, j, rows);
    }
    if (status == RUNG_OK) status = p->fn(ctx, p->user, &(row_block){rows, file, first}, sum);
    dataset_free(rows);
    return status;
}

static rung_status add_blocks(rung_ctx *ctx, const pass *p, rung_reader *r, int64_t file, double *sum)
{
    const row_source *s = p->s;
    int64_t first = 0, expected = s->rows_before[file + 1] - s->rows_before[file];
    for (;;) {
        pool_mark mark = pool_here(&ctx->scratch);
        rung_table *t;
        TRY(interrupted(ctx));
        TRY(reader_next(ctx, r, s->block, &t));
        if (!t) break;
        rung_status status = add_table(ctx, p, t, file, first, sum);
        first += t->n_rows;
        table_free(t);
        pool_release(&ctx->scratch, mark);
        if (status != RUNG_OK) return status;
    }
    if (first == expected) return RUNG_OK;
    return set_error(ctx, RUNG_EIO, "%s changed while it was read: it has %lld rows and had %lld", s->path[file],
                     (long long)first, (long long)expected);
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
