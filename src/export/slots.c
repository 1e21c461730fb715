// SPDX-License-Identifier: BSD-3-Clause
#include "export/slots.h"

typedef struct { /* a place that is free again */
    int64_t at, n;
} free_place;

static rung_status last_uses(rung_ctx *ctx, const program *p, int **out)
{
    int *last = NULL, ends[] = {p->rank, p->score, p->proba, p->sd, p->interval};
    TRY(NEW(ctx, &ctx->scratch, last, p->n_operations));
    for (int i = 0; i < p->n_operations; i++)
        for (int k = 0; k < p->operations[i].operands; k++) last[p->operations[i].operand[k]] = i;
    for (int k = 0; k < 5; k++)
        if (ends[k] != NO_VALUE) last[ends[k]] = p->n_operations;
    *out = last;
    return RUNG_OK;
}

rung_status slots_of(rung_ctx *ctx, const program *p, slots *out)
{
    int *last, n_free = 0;
    free_place *places = NULL;
    *out = (slots){0};
    TRY(NEW(ctx, &ctx->scratch, out->at, p->n_operations));
    TRY(NEW(ctx, &ctx->scratch, places, p->n_operations));
    TRY(last_uses(ctx, p, &last));
    for (int i = 0; i < p->n_operations; i++) {
        const operation *o = &p->operations[i];
        out->at[i] = -1;
        if (o->kind == OP_CONSTANT) continue;
        for (int k = n_free - 1; k >= 0 && out->at[i] < 0; k--) {
            if (places[k].n != o->n) continue;
            out->at[i] = places[k].at;
            places[k] = places[--n_free];
        }
        if (out->at[i] < 0) out->at[i] = out->size, out->size += o->n;
        for (int k = 0; k < o->operands; k++) {
            int x = o->operand[k];
            bool again = (k > 0 && x == o->operand[0]) || (k > 1 && x == o->operand[1]);
            if (last[x] == i && out->at[x] >= 0 && !again)
                places[n_free++] = (free_place){out->at[x], p->operations[x].n};
        }
    }
    return RUNG_OK;
}
