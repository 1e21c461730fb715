// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "method/method.h"

rung_status held_out_new(rung_ctx *ctx, pool *mem, int64_t room, held_out *out)
{
    *out = (held_out){0};
    TRY(NEW(ctx, mem, out->row, room));
    TRY(NEW(ctx, mem, out->repeat, room));
    TRY(NEW(ctx, mem, out->fold, room));
    TRY(NEW(ctx, mem, out->score, room));
    return NEW(ctx, mem, out->rank, room);
}

static rung_status copy_doubles(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "a copy", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

rung_status expansion_scorer(rung_ctx *ctx, pool *mem, const problem *p, const kernel *k, const double *beta,
                             scorer *out)
{
    *out = (scorer){.kind = SCORER_KERNEL, .outputs = 1, .k = *k, .m = p->n, .d = p->d};
    TRY(NEW(ctx, mem, out->bias, 1));
    if (k->kind == KERNEL_LINEAR) {
        out->kind = SCORER_LINEAR;
        out->m = p->d;
        TRY(NEW(ctx, mem, out->coef, p->d));
        for (int64_t i = 0; i < p->n; i++)
            for (int64_t j = 0; j < p->d; j++) out->coef[j] += beta[i] * p->X[j + i * p->d];
        return RUNG_OK;
    }
    TRY(copy_doubles(ctx, mem, p->n, beta, &out->coef));
    if (k->kind != KERNEL_PRECOMPUTED) return copy_doubles(ctx, mem, p->d * p->n, p->X, &out->rows);
    TRY(NEW(ctx, mem, out->index, p->n));
    memcpy(out->index, p->origin, (size_t)p->n * sizeof *out->index);
    return RUNG_OK;
}

rung_status mean_rank_map(rung_ctx *ctx, pool *mem, int K, const double *mean, rank_map *out)
{
    out->n = K;
    TRY(NEW(ctx, mem, out->f, K));
    TRY(NEW(ctx, mem, out->s, K));
    for (int q = 0; q < K; q++) {
        out->f[q] = q > 0 && mean[q] < out->f[q - 1] ? out->f[q - 1] : mean[q];
        out->s[q] = q + 1;
    }
    return RUNG_OK;
}

static rung_status report_entry_new(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, int64_t n, int64_t stored,
                                    const double *values)
{
    report_entry entry = {.name = name, .n = n};
    TRY(copy_doubles(ctx, mem, stored, values, &entry.value));
    TRY(RESIZE(ctx, mem, fit->report, fit->n_report + 1));
    fit->report[fit->n_report++] = entry;
    return RUNG_OK;
}

rung_status report_list(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, int64_t n, const double *values)
{
    return report_entry_new(ctx, mem, fit, name, n, n, values);
}

rung_status report_number(rung_ctx *ctx, pool *mem, fitted *fit, const char *name, double value)
{
    return report_entry_new(ctx, mem, fit, name, -1, 1, &value);
}
