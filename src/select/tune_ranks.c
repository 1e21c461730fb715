// SPDX-License-Identifier: BSD-3-Clause
#include "select/tune_ranks.h"

#include <string.h>

#include "base/comm.h"

/* One description of a result serves to measure, to write and to read it. */
typedef struct {
    bool reads;
    char *at; /* NULL: only measured */
    int64_t n;
} cursor;

static void move(cursor *c, void *bytes, size_t n)
{
    if (c->at && n) memcpy(c->reads ? bytes : c->at + c->n, c->reads ? c->at + c->n : bytes, n);
    c->n += (int64_t)n;
}

static void move_result(cursor *c, point_result *r)
{
    held_out *h = &r->held;
    bool proba = h->proba != NULL;
    move(c, &r->status, sizeof r->status);
    move(c, &r->value, sizeof r->value);
    move(c, &r->se, sizeof r->se);
    move(c, &r->criterion, sizeof r->criterion);
    move(c, r->message, sizeof r->message);
    move(c, &r->compared.a, sizeof r->compared.a);
    move(c, r->compared.c, (size_t)r->compared.K * sizeof *r->compared.c);
    move(c, &h->n, sizeof h->n);
    move(c, &proba, sizeof proba);
    if (!proba) h->proba = NULL;
    size_t n = (size_t)h->n;
    move(c, h->row, n * sizeof *h->row);
    move(c, h->repeat, n * sizeof *h->repeat);
    move(c, h->fold, n * sizeof *h->fold);
    move(c, h->score, n * sizeof *h->score);
    move(c, h->rank, n * sizeof *h->rank);
    if (proba) move(c, h->proba, n * (size_t)h->K * sizeof *h->proba);
}

static void move_own(cursor *c, search *s, const bool *own)
{
    c->n = 0;
    for (int i = 0; i < s->grid.n; i++) {
        if (!own[i]) continue;
        move(c, &i, sizeof i);
        move_result(c, &s->results[i]);
    }
}

rung_status tune_exchange(rung_ctx *ctx, search *s, const bool *own)
{
    cursor out = {0};
    char *bytes = NULL, **all;
    int64_t *size;
    if (comm_processes(ctx) == 1) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    move_own(&out, s, own);
    TRY(NEW_RAW(ctx, &ctx->scratch, bytes, out.n));
    out.at = bytes;
    move_own(&out, s, own);
    TRY(comm_gather(ctx, bytes, out.n, &all, &size));
    for (int r = 0; r < comm_processes(ctx); r++) {
        cursor in = {.reads = true, .at = all[r]};
        while (r != comm_process(ctx) && in.n < size[r]) {
            int point = 0;
            move(&in, &point, sizeof point);
            move_result(&in, &s->results[point]);
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
