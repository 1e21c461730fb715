// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/named_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

typedef struct {
    double code;
    int32_t place;
} numbered;

static int by_code(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static rung_status tell_apart(rung_ctx *ctx, pool *mem, double code, const char **name)
{
    char number[32];
    text_format(code, number);
    return pool_printf(ctx, mem, name, "%s (%s)", *name, number);
}

rung_status named_values_make(rung_ctx *ctx, pool *mem, int32_t n, const double *code, const char *const *name,
                              named_values *out)
{
    numbered *order = NULL;
    bool *shared = NULL;
    *out = (named_values){0};
    if (n == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, order, n));
    TRY(NEW(ctx, &ctx->scratch, shared, n));
    TRY(NEW_RAW(ctx, mem, out->code, n));
    TRY(NEW_RAW(ctx, mem, out->name, n));
    for (int32_t k = 0; k < n; k++) order[k] = (numbered){code[k], k};
    qsort(order, (size_t)n, sizeof *order, by_code);
    for (int32_t k = 0; k < n; k++) {
        if (out->n > 0 && out->code[out->n - 1] == order[k].code) continue;
        out->code[out->n] = order[k].code;
        TRY(pool_text(ctx, mem, name[order[k].place], &out->name[out->n]));
        for (int32_t i = 0; i < out->n; i++)
            if (strcmp(out->name[i], out->name[out->n]) == 0) shared[i] = shared[out->n] = true;
        out->n++;
    }
    for (int32_t k = 0; k < out->n; k++)
        if (shared[k]) TRY(tell_apart(ctx, mem, out->code[k], &out->name[k]));
    return RUNG_OK;
}

rung_status named_values_copy(rung_ctx *ctx, pool *mem, const named_values *from, named_values *to)
{
    *to = (named_values){0};
    if (from->n == 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, mem, to->code, from->n));
    TRY(NEW_RAW(ctx, mem, to->name, from->n));
    memcpy(to->code, from->code, (size_t)from->n * sizeof *to->code);
    for (int32_t k = 0; k < from->n; k++) TRY(pool_text(ctx, mem, from->name[k], &to->name[k]));
    to->n = from->n;
    return RUNG_OK;
}

int32_t named_values_find(const named_values *v, double code)
{
    int32_t low = 0, high = v->n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (v->code[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->n && v->code[low] == code ? low : -1;
}

int32_t named_values_called(const named_values *v, const char *name)
{
    for (int32_t k = 0; k < v->n; k++)
        if (strcmp(v->name[k], name) == 0) return k;
    return -1;
}

bool named_values_same(const named_values *a, const named_values *b)
{
    if (a->n != b->n) return false;
    for (int32_t k = 0; k < a->n; k++)
        if (a->code[k] != b->code[k] || strcmp(a->name[k], b->name[k]) != 0) return false;
    return true;
}
