// SPDX-License-Identifier: BSD-3-Clause
/* The variance of the latent value of a member with a probit link. */
#include <math.h>

#include "model/model.h"

enum { ROWS = 256 }; /* at a time; constant, because the bits of a row must not depend on the batch */

/* G (n x rank, column-major) = g(x) F'. */
static rung_status rotated(rung_ctx *ctx, const member *one, int64_t n, const double *x, double *G)
{
    const scorer *s = &one->score;
    const probit_link *link = &one->link;
    if (s->kind == SCORER_KERNEL && s->k.kind != KERNEL_PRECOMPUTED)
        return kernel_expand(ctx, &s->k, &(point_set){s->d, n, x}, &(point_set){s->d, s->m, s->rows}, link->rank,
                             link->factor, G);
    for (int64_t r = 0; r < link->rank; r++)
        for (int64_t i = 0; i < n; i++) {
            const double *row = x + i * s->d, *f = link->factor + r * s->m;
            double sum = 0;
            for (int64_t j = 0; j < s->m; j++) sum += f[j] * row[s->index ? s->index[j] : j];
            G[i + r * n] = sum;
        }
    return RUNG_OK;
}

/* The scorer has F g(x) among its outputs, after the mean and D(x). */
static void joint_variance(const member *one, int64_t n, const double *x, const double *output, double *variance)
{
    int64_t d = one->score.d, outputs = one->score.outputs, first = one->decide.K;
    for (int64_t i = 0; i < n; i++, x += d, output += outputs) {
        double sum = 0;
        for (int64_t r = first; r < outputs; r++) sum += output[r] * output[r];
        variance[i] = fmax(one->link.variance * kernel_self(&one->score.k, d, x) - sum, 0);
    }
}

rung_status member_variance(rung_ctx *ctx, const member *one, int64_t n, const double *scaled, const double *output,
                            double *variance)
{
    const probit_link *link = &one->link;
    int64_t d = one->score.d;
    for (int64_t i = 0; one->proba == PROBA_EFFECTS && i < n; i++)
        variance[i] = effects_of_new(one->score.random, scaled + i * d);
    if (one->proba == PROBA_EFFECTS) return RUNG_OK;
    if (link->spread) {
        joint_variance(one, n, scaled, output, variance);
        return RUNG_OK;
    }
    pool_mark mark = pool_here(&ctx->scratch);
    double *G = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, G, (n < ROWS ? n : ROWS) * link->rank));
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t rows = n - first < ROWS ? n - first : ROWS;
        const double *x = scaled + first * d;
        if (link->rank > 0) TRY(rotated(ctx, one, rows, x, G));
        for (int64_t i = 0; i < rows; i++) {
            double sum = 0;
            for (int64_t r = 0; r < link->rank; r++) sum += G[i + r * rows] * G[i + r * rows];
            variance[first + i] = link->functions ? fmax(kernel_self(&one->score.k, d, x + i * d) - sum, 0) : sum;
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
