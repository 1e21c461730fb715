// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/cumulative_ridge.h"

#include <math.h>

#include "solve/cumulative.h"

void cumulative_means(int64_t n, int K, const int *y, double *p0)
{
    for (int q = 1; q < K; q++) {
        double below = q * 0.5 / K;
        for (int64_t i = 0; i < n; i++) below += y[i] <= q;
        p0[q - 1] = 1 - below / ((double)n + 0.5);
    }
}

static double target(const cumulative_rows *r, int64_t i, int q) { return (r->y[i] > q + 1) - r->p0[q]; }

static void leave_row_out(const cumulative_rows *r, int64_t i, double leverage, double *loo)
{
    for (int q = 0; q < r->K - 1; q++) {
        double t = target(r, i, q);
        loo[q] = r->p0[q] + t - (t - loo[q]) / fmax(1 - leverage, 1e-6);
    }
}

static void leave_group_out(const cumulative_rows *r, int64_t m, const int64_t *rows, double leverage, double *loo)
{
    int J = r->K - 1;
    double share = leverage / fmax(1 - (double)m * leverage, 1e-6);
    for (int q = 0; q < J; q++) {
        double residuals = 0;
        for (int64_t k = 0; k < m; k++) residuals += target(r, rows[k], q) - loo[rows[k] * J + q];
        for (int64_t k = 0; k < m; k++) loo[rows[k] * J + q] += r->p0[q] - share * residuals;
    }
}

void cumulative_loo(const cumulative_rows *rows, const double *leverage, double *loo)
{
    int J = rows->K - 1;
    const row_groups *t = rows->together;
    for (int64_t i = 0; i < rows->n; i++)
        if (!t || row_groups_size(t, t->of[i]) == 1) leave_row_out(rows, i, leverage[i], loo + i * J);
    for (int64_t g = 0; t && g < t->count; g++)
        if (row_groups_size(t, g) > 1)
            leave_group_out(rows, row_groups_size(t, g), t->rows + t->start[g], leverage[t->rows[t->start[g]]], loo);
    for (int64_t i = 0; i < rows->n; i++) cumulative_repair(rows->K, loo + i * J);
}

rung_status cumulative_ridge_new(rung_ctx *ctx, pool *mem, const la_mat *gram, double scale,
                                 const cumulative_rows *rows, cumulative_ridge *out)
{
    int64_t n = rows->n;
    int J = rows->K - 1;
    double *p0 = NULL;
    *out = (cumulative_ridge){.rows = *rows};
    TRY(NEW(ctx, mem, p0, J));
    TRY(NEW(ctx, mem, out->values, n));
    TRY(NEW(ctx, mem, out->Z, n * J));
    TRY(la_new(ctx, mem, n, n, &out->V));
    TRY(la_new(ctx, mem, n, n, &out->square));
    cumulative_means(n, rows->K, rows->y, p0);
    out->rows.p0 = p0;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *Y = NULL, *Z = NULL;
    int *none = NULL;
    TRY(NEW(ctx, &ctx->scratch, none, n)); /* one group: the same number everywhere */
    TRY(la_new(ctx, &ctx->scratch, n, J, &Y));
    TRY(la_new(ctx, &ctx->scratch, n, J, &Z));
    TRY(la_lookup(ctx, 1, (double[]){RIDGE_CONSTANT}, none, none, out->square));
    TRY(la_scale_add(ctx, scale, gram, 1, out->square));
    TRY(la_eigen(ctx, out->square, n, out->values, out->V));
    TRY(la_gather(ctx, out->V, NULL, NULL, out->square));
    TRY(la_hadamard(ctx, out->V, out->square));
    for (int q = 0; q < J; q++)
        for (int64_t i = 0; i < n; i++) out->Z[i + q * n] = target(&out->rows, i, q);
    la_put(out->Z, Y);
    TRY(la_gemm(ctx, true, false, 1, out->V, Y, 0, Z));
    la_get(Z, out->Z);
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    for (int64_t i = 0; i < n; i++) out->values[i] = fmax(out->values[i], 0);
    return RUNG_OK;
}

rung_status cumulative_ridge_loo(rung_ctx *ctx, const cumulative_ridge *r, double ridge, double *loo)
{
    int64_t n = r->rows.n;
    int J = r->rows.K - 1;
    pool_mark mark = pool_here(&ctx->scratch);
    double *share = NULL, *SZ = NULL, *H = NULL, *F = NULL;
    TRY(NEW(ctx, &ctx->scratch, share, n));
    TRY(NEW(ctx, &ctx->scratch, SZ, n * J));
    TRY(NEW(ctx, &ctx->scratch, H, n));
    TRY(NEW(ctx, &ctx->scratch, F, n * J));
    for (int64_t i = 0; i < n; i++) share[i] = r->values[i] / (r->values[i] + ridge);
    for (int64_t i = 0; i < n * J; i++) SZ[i] = share[i % n] * r->Z[i];
    TRY(la_mul(ctx, 1, r->square, 1, share, 0, H));
    TRY(la_mul(ctx, 1, r->V, J, SZ, 0, F));
    for (int64_t i = 0; i < n * J; i++) loo[i / n + i % n * J] = F[i];
    cumulative_loo(&r->rows, H, loo);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status cumulative_ridge_coef(rung_ctx *ctx, const cumulative_ridge *r, double ridge, double *coef, double *bias)
{
    int64_t n = r->rows.n;
    int J = r->rows.K - 1;
    pool_mark mark = pool_here(&ctx->scratch);
    double *SZ = NULL;
    TRY(NEW(ctx, &ctx->scratch, SZ, n * J));
    for (int64_t i = 0; i < n * J; i++) SZ[i] = r->Z[i] / (r->values[i % n] + ridge);
    TRY(la_mul(ctx, 1, r->V, J, SZ, 0, coef));
    for (int q = 0; q < J; q++) {
        bias[q] = r->rows.p0[q];
        for (int64_t i = 0; i < n; i++) bias[q] += RIDGE_CONSTANT * coef[i + q * n];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
