// SPDX-License-Identifier: BSD-3-Clause
#include "suggest/design.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "data/scale.h"

static const double GAMMA = 1; /* the width of the kernel exp(-|x - z|^2 GAMMA / columns) */

typedef struct {
    int64_t m, d;
    const double *X; /* d x m */
    double gamma, *C;
} kernel_rows;

/* The lower triangle of row i, mirrored. */
static rung_status kernel_row(rung_ctx *ctx, void *user, int64_t i)
{
    const kernel_rows *k = user;
    const double *x = k->X + i * k->d;
    if (i % 64 == 0) TRY(interrupted(ctx));
    for (int64_t j = 0; j <= i; j++) {
        const double *z = k->X + j * k->d;
        double d2 = 0;
        for (int64_t c = 0; c < k->d; c++) d2 += (x[c] - z[c]) * (x[c] - z[c]);
        k->C[i + j * k->m] = k->C[j + i * k->m] = exp(-k->gamma * d2);
    }
    return RUNG_OK;
}

rung_status design_new(rung_ctx *ctx, pool *mem, const rung_data *data, int64_t m, const int64_t *row, const double *w,
                       const double *v, design *out)
{
    int64_t d = data->d, varying = 0;
    double *fill = NULL, *X = NULL;
    scaling scale;
    *out = (design){.m = m, .row = row, .w = w, .v = v};
    TRY(coding_fill(ctx, &ctx->scratch, &data->code, &fill));
    TRY(scale_fit(ctx, &ctx->scratch, SCALE_STANDARD, &(scale_rows){d, data->n, data->X, fill, data->weight}, &scale));
    for (int64_t j = 0; j < d; j++) varying += scale.factor[j] != 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, d * m));
    scale_apply(&scale, m, &(rung_view){.v = data->X, .n = data->n, .d = d, .row = d, .col = 1}, row, X);
    TRY(NEW_RAW(ctx, mem, out->C, m * m));
    kernel_rows k = {.m = m, .d = d, .X = X, .gamma = GAMMA / (double)(varying ? varying : 1), .C = out->C};
    TRY(parallel_tasks(ctx, ctx->threads, m, kernel_row, &k));
    for (int64_t i = 0; i < m; i++) out->prior += w[i];
    return RUNG_OK;
}

double design_gain(const design *d, int64_t j)
{
    const double *c = d->C + j * d->m;
    double sum = 0;
    for (int64_t i = 0; i < d->m; i++) sum += d->w[i] * c[i] * c[i];
    return sum / (c[j] + d->v[j]);
}

double design_unknown(const design *d)
{
    double sum = 0;
    for (int64_t i = 0; i < d->m; i++) sum += d->w[i] * d->C[i + i * d->m];
    return sum;
}

rung_status design_best(rung_ctx *ctx, const design *d, const bool *is_free, int64_t *out)
{
    double best = -1;
    *out = -1;
    TRY(interrupted(ctx));
    for (int64_t j = 0; j < d->m; j++) {
        double gain = is_free[j] ? design_gain(d, j) : -1;
        if (gain > best) {
            best = gain;
            *out = j;
        }
    }
    return RUNG_OK;
}

rung_status design_learn(rung_ctx *ctx, design *d, int64_t j, double v)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *c = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, c, d->m));
    memcpy(c, d->C + j * d->m, (size_t)d->m * sizeof *c);
    for (int64_t i = 0; i < d->m; i++) {
        double factor = c[i] / (c[j] + v), *to = d->C + i * d->m;
        for (int64_t k = 0; k < d->m; k++) to[k] -= factor * c[k];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
