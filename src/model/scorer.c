// SPDX-License-Identifier: BSD-3-Clause
/* From scaled rows to outputs. Every row is worked on by itself: its outputs do not depend on the rows it comes with.
 */
#include <math.h>
#include <string.h>

#include "model/nearest.h"

static void add_linear(const scorer *s, int64_t n, const double *x, double *output)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, output++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *output += w[j] * x[j];
        }
}

static void add_precomputed(const scorer *s, int64_t n, const double *x, double *output)
{
    for (int64_t i = 0; i < n; i++, x += s->d)
        for (int o = 0; o < s->outputs; o++, output++) {
            const double *w = s->coef + o * s->m;
            for (int64_t j = 0; j < s->m; j++) *output += w[j] * x[s->index[j]];
        }
}

static rung_status add_expansion(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, double *output)
{
    if (s->m == 0 || n == 0) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    double *F = NULL; /* n x outputs, column-major */
    TRY(NEW_RAW(ctx, &ctx->scratch, F, n * s->outputs));
    TRY(kernel_expand(ctx, &s->k, s->d, n, x, s->m, s->rows, s->outputs, s->coef, F));
    for (int64_t i = 0; i < n; i++)
        for (int o = 0; o < s->outputs; o++) *output++ += F[i + o * n];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* Shares from squared distances, nearest first. Taking off the smallest one changes no share and keeps a row far from
 * all others from dividing 0 by 0. */
static void shares_of(const scorer *s, const double *distance, double *share)
{
    int64_t k = s->neighbours;
    double sum = 0;
    for (int64_t j = 0; j < k; j++)
        share[j] = s->weights == WEIGHTS_BINARY ? 0 : -(distance[j] - distance[0]) / s->width / s->width / 2;
    la_exp(k, share, share);
    for (int64_t j = 0; j < k; j++) sum += share[j];
    for (int64_t j = 0; j < k; j++) share[j] /= sum;
}

static rung_status average_neighbours(rung_ctx *ctx, const scorer *s, int64_t n, const double *x, double *output)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t k = s->neighbours, *row = NULL;
    double *distance = NULL, *share = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, row, k));
    TRY(NEW_RAW(ctx, &ctx->scratch, distance, k));
    TRY(NEW_RAW(ctx, &ctx->scratch, share, k));
    for (int64_t i = 0; i < n; i++, x += s->d, output += s->outputs) {
        TRY(interrupted(ctx));
        nearest_rows(s->d, x, s->m, s->rows, k, row, distance);
        shares_of(s, distance, share);
        bool known = isfinite(distance[k - 1]); /* otherwise the squares overflow, and who is nearest is not known */
        for (int o = 0; o < s->outputs; o++) output[o] = known ? 0 : NAN;
        for (int o = 0; o < s->outputs; o++)
            for (int64_t j = 0; j < k; j++) output[o] += share[j] * s->coef[row[j] + o * s->m];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status scorer_apply(rung_ctx *ctx, const scorer *s, int64_t n, const double *scaled, double *output)
{
    size_t size = (size_t)s->outputs * sizeof *output;
    for (int64_t i = 0; s->bias && i < n; i++) memcpy(output + i * s->outputs, s->bias, size);
    switch (s->kind) {
    case SCORER_CONSTANT: return RUNG_OK;
    case SCORER_LINEAR: add_linear(s, n, scaled, output); return RUNG_OK;
    case SCORER_KERNEL:
        if (s->k.kind != KERNEL_PRECOMPUTED) return add_expansion(ctx, s, n, scaled, output);
        add_precomputed(s, n, scaled, output);
        return RUNG_OK;
    case SCORER_NEIGHBOURS: return average_neighbours(ctx, s, n, scaled, output);
    }
    return fail(ctx, RUNG_EINTERNAL, "unknown kind of scorer %d", (int)s->kind);
}
