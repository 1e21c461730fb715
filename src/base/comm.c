// SPDX-License-Identifier: BSD-3-Clause
#include "base/comm.h"

#include <string.h>

enum { CHUNK = 1 << 16 }; /* numbers of a sum exchanged at a time */

int comm_process(const rung_ctx *ctx) { return ctx->comm.ranks > 1 ? ctx->comm.rank : 0; }
int comm_processes(const rung_ctx *ctx) { return ctx->comm.ranks > 1 ? ctx->comm.ranks : 1; }

static rung_status done(rung_ctx *ctx, int code, const char *what)
{
    return code == 0 ? RUNG_OK : set_error(ctx, RUNG_EIO, "%s between processes failed (%d)", what, code);
}

rung_status comm_barrier(rung_ctx *ctx)
{
    return comm_processes(ctx) > 1 ? done(ctx, ctx->comm.barrier(ctx->comm.user), "waiting") : RUNG_OK;
}

rung_status comm_broadcast(rung_ctx *ctx, void *bytes, int64_t n, int from)
{
    if (comm_processes(ctx) == 1 || n == 0) return RUNG_OK;
    return done(ctx, ctx->comm.broadcast(ctx->comm.user, bytes, n, from), "sending");
}

rung_status comm_gather(rung_ctx *ctx, const void *bytes, int64_t n, char ***all, int64_t **size)
{
    int processes = comm_processes(ctx);
    TRY(pool_alloc(ctx, &ctx->scratch, processes, sizeof **all, "messages", (void **)all));
    TRY(pool_alloc(ctx, &ctx->scratch, processes, sizeof **size, "messages", (void **)size));
    for (int r = 0; r < processes; r++) {
        (*size)[r] = n;
        TRY(comm_broadcast(ctx, &(*size)[r], sizeof **size, r));
        TRY(NEW_RAW(ctx, &ctx->scratch, (*all)[r], (*size)[r]));
        if (r == comm_process(ctx)) memcpy((*all)[r], bytes, (size_t)n);
        TRY(comm_broadcast(ctx, (*all)[r], (*size)[r], r));
    }
    return RUNG_OK;
}

/* FNV-1a, eight bytes at a time: the rows of a large table, too. */
uint64_t comm_hash(uint64_t hash, const void *bytes, size_t n)
{
    const char *at = bytes;
    for (uint64_t word = 0; n > 0; word = 0) {
        size_t some = n < sizeof word ? n : sizeof word;
        memcpy(&word, at, some);
        hash = (hash ^ word ^ UINT64_C(0xcbf29ce484222325)) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
        at += some;
        n -= some;
    }
    return hash;
}

rung_status comm_agree(rung_ctx *ctx, uint64_t hash, const char *what)
{
    uint64_t first = hash;
    TRY(comm_broadcast(ctx, &first, sizeof first, 0));
    if (first == hash) return RUNG_OK;
    return set_error(
        ctx, RUNG_EDATA,
        "%s of this process (number %d) differ from those of process 0; all processes must see the same data "
        "under the same names",
        what, comm_process(ctx));
}

/* As two doubles, the upper and the lower half of the bits: sums of these are exact for two million processes. */
rung_status comm_sum_whole(rung_ctx *ctx, int64_t n, int64_t *v)
{
    double *half = NULL;
    if (comm_processes(ctx) == 1 || n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, half, 2 * n));
    for (int64_t i = 0; i < n; i++) {
        half[2 * i] = (double)(v[i] >> 32);
        half[2 * i + 1] = (double)(v[i] & UINT32_MAX);
    }
    TRY(done(ctx, ctx->comm.sum(ctx->comm.user, half, 2 * n), "summing"));
    for (int64_t i = 0; i < n; i++) v[i] = (int64_t)half[2 * i] * (INT64_C(1) << 32) + (int64_t)half[2 * i + 1];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static int64_t start_of(int64_t n, int process, int processes) { return n * process / processes; }

void comm_share(const rung_ctx *ctx, int64_t n, int64_t *first, int64_t *end)
{
    comm_share_of(ctx, comm_process(ctx), n, first, end);
}

void comm_share_of(const rung_ctx *ctx, int process, int64_t n, int64_t *first, int64_t *end)
{
    int processes = comm_processes(ctx);
    *first = start_of(n, process, processes);
    *end = start_of(n, process + 1, processes);
}

typedef struct {
    rung_ctx *ctx;
    leaf_fn *leaf;
    void *user;
    int64_t n, size;
    int64_t nodes;    /* that are exchanged ... */
    int64_t own;      /* ... those of this process ... */
    double **value;   /* ... and their sums */
    int64_t *number;  /* of them among all */
    int64_t chunk;    /* numbers of a node that are exchanged at a time */
    double *exchange; /* nodes x chunk */
} tree;

/* The sum of [low, high), all leaves of which are here. */
static rung_status add_here(tree *t, int64_t low, int64_t high, double *sum)
{
    rung_ctx *ctx = t->ctx;
    if (high - low == 1) return t->leaf(ctx, t->user, low, sum);
    int64_t middle = (low + high) / 2;
    double *upper = NULL;
    TRY(add_here(t, low, middle, sum));
    TRY(NEW(ctx, &ctx->scratch, upper, t->size));
    TRY(add_here(t, middle, high, upper));
    for (int64_t i = 0; i < t->size; i++) sum[i] += upper[i];
    pool_free(&ctx->scratch, upper);
    return RUNG_OK;
}

/* The process that has all leaves of [low, high); -1: none. */
static int owner(const tree *t, int64_t low, int64_t high)
{
    int processes = comm_processes(t->ctx);
    for (int r = 0; r < processes; r++)
        if (start_of(t->n, r, processes) <= low && high <= start_of(t->n, r + 1, processes)) return r;
    return -1;
}

/* Counts the nodes that single processes add, from the lowest leaf on, and adds those of this one. */
static rung_status add_nodes(tree *t, int64_t low, int64_t high)
{
    int r = owner(t, low, high);
    if (r < 0) {
        TRY(add_nodes(t, low, (low + high) / 2));
        return add_nodes(t, (low + high) / 2, high);
    }
    if (r == comm_process(t->ctx)) {
        TRY(NEW(t->ctx, &t->ctx->scratch, t->value[t->own], t->size));
        TRY(add_here(t, low, high, t->value[t->own]));
        t->number[t->own++] = t->nodes;
    }
    t->nodes++;
    return RUNG_OK;
}

/* Adds the nodes of [low, high) as they follow each other in `exchange`; the sum ends up in the first of them. */
static double *add_exchanged(const tree *t, int64_t low, int64_t high, int64_t count, double **next)
{
    if (owner(t, low, high) >= 0) {
        double *one = *next;
        *next += t->chunk;
        return one;
    }
    double *lower = add_exchanged(t, low, (low + high) / 2, count, next);
    const double *upper = add_exchanged(t, (low + high) / 2, high, count, next);
    for (int64_t i = 0; i < count; i++) lower[i] += upper[i];
    return lower;
}

/* Numbers of others are 0 here, so that the sum over the processes is a copy. */
static rung_status exchange(tree *t, double *sum)
{
    rung_ctx *ctx = t->ctx;
    t->chunk = t->size < CHUNK ? t->size : CHUNK;
    TRY(NEW_RAW(ctx, &ctx->scratch, t->exchange, t->nodes * t->chunk));
    for (int64_t first = 0; first < t->size; first += t->chunk) {
        int64_t count = t->size - first < t->chunk ? t->size - first : t->chunk;
        memset(t->exchange, 0, (size_t)(t->nodes * t->chunk) * sizeof *t->exchange);
        for (int64_t k = 0; k < t->own; k++)
            memcpy(t->exchange + t->number[k] * t->chunk, t->value[k] + first, (size_t)count * sizeof *sum);
        TRY(done(ctx, ctx->comm.sum(ctx->comm.user, t->exchange, t->nodes * t->chunk), "summing"));
        double *next = t->exchange;
        memcpy(sum + first, add_exchanged(t, 0, t->n, count, &next), (size_t)count * sizeof *sum);
    }
    return RUNG_OK;
}

rung_status comm_tree_sum(rung_ctx *ctx, int64_t n, leaf_fn *leaf, void *user, int64_t size, double *sum)
{
    tree t = {.ctx = ctx, .leaf = leaf, .user = user, .n = n, .size = size};
    memset(sum, 0, (size_t)size * sizeof *sum);
    if (n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    if (comm_processes(ctx) == 1) {
        TRY(add_here(&t, 0, n, sum));
    } else {
        TRY(NEW(ctx, &ctx->scratch, t.value, 2 * 64));
        TRY(NEW(ctx, &ctx->scratch, t.number, 2 * 64));
        TRY(add_nodes(&t, 0, n));
        TRY(exchange(&t, sum));
    }
    for (int64_t i = 0; i < size; i++) sum[i] += 0.0; /* one zero: that of an exchange has lost its sign */
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
