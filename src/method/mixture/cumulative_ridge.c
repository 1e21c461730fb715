// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/cumulative_ridge.h"

#include <math.h>

#include "data/intervals.h"
#include "solve/cumulative.h"
#include "solve/left_out.h"

double cumulative_target(const cumulative_rows *r, int64_t i, int q)
{
    return is_interval(r->y, r->upper, i) ? label_share_above(r->y[i], r->upper[i], q, r->mass) : r->y[i] > q;
}

void cumulative_means(const cumulative_rows *rows, double *p0)
{
    double all = 0;
    for (int64_t i = 0; i < rows->n; i++) all += rows->weight ? rows->weight[i] : 1;
    for (int q = 1; q < rows->K; q++) {
        double below = q * 0.5 / rows->K;
        for (int64_t i = 0; i < rows->n; i++)
            below += (rows->weight ? rows->weight[i] : 1) * (1 - cumulative_target(rows, i, q));
        p0[q - 1] = 1 - below / (all + 0.5);
    }
}

void cumulative_class_means(int K, const double *mass, double *p0)
{
    double all = 0, below = 0;
    for (int q = 0; q < K; q++) all += mass[q];
    for (int q = 1; q < K; q++) {
        below += mass[q - 1];
        p0[q - 1] = 1 - (below + q * 0.5 / K) / (all + 0.5);
    }
}

static double target(const cumulative_rows *r, int64_t i, int q) { return cumulative_target(r, i, q + 1) - r->p0[q]; }

static const double FLOOR = 1e-6, JITTER = 1e-10;

void cumulative_loo(const cumulative_rows *rows, const double *rest, double *loo)
{
    int J = rows->K - 1;
    for (int q = 0; q < J; q++) {
        for (int64_t i = 0; i < rows->n; i++)
            loo[i * J + q] = target(rows, i, q) - loo[i * J + q] / cumulative_root(rows, i);
        left_out_residuals(rows->together, rows->n, rest, FLOOR, J, loo + q);
        for (int64_t i = 0; i < rows->n; i++) loo[i * J + q] = rows->p0[q] + target(rows, i, q) - loo[i * J + q];
    }
    for (int64_t i = 0; i < rows->n; i++) cumulative_repair(rows->K, loo + i * J);
}

rung_status cumulative_loo_block(rung_ctx *ctx, const cumulative_rows *rows, int64_t group, const la_mat *B,
                                 const double *share, double *loo)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t m = row_groups_size(rows->together, group), w = la_cols(B);
    const int64_t *own = rows->together->rows + rows->together->start[group];
    int J = rows->K - 1;
    la_mat *part = NULL, *rest = NULL;
    double *root = NULL, *residual = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, root, w));
    TRY(NEW_RAW(ctx, &ctx->scratch, residual, m * J));
    TRY(la_new(ctx, &ctx->scratch, m, w, &part));
    TRY(la_new(ctx, &ctx->scratch, m, m, &rest));
    for (int64_t j = 0; j < w; j++) root[j] = sqrt(fmax(share[j], 0));
    TRY(la_gather(ctx, B, NULL, NULL, part));
    TRY(la_scale(ctx, NULL, root, part));
    TRY(la_syrk(ctx, false, -1, part, 0, rest));
    la_add_diagonal(rest, 1 + JITTER, NULL);
    for (int64_t k = 0; k < m; k++)
        for (int q = 0; q < J; q++)
            residual[k + q * m] = cumulative_root(rows, own[k]) * target(rows, own[k], q) - loo[own[k] * J + q];
    TRY(la_potrf(ctx, rest));
    TRY(la_potrs(ctx, rest, J, residual));
    for (int64_t k = 0; k < m; k++) {
        for (int q = 0; q < J; q++)
            loo[own[k] * J + q] =
                rows->p0[q] + target(rows, own[k], q) - residual[k + q * m] / cumulative_root(rows, own[k]);
        cumulative_repair(rows->K, loo + own[k] * J);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
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
    cumulative_means(rows, p0);
    out->rows.p0 = p0;
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *Y = NULL, *Z = NULL;
    int *none = NULL;
    TRY(NEW(ctx, &ctx->scratch, none, n)); /* one group: the same number everywhere */
    TRY(la_new(ctx, &ctx->scratch, n, J, &Y));
    TRY(la_new(ctx, &ctx->scratch, n, J, &Z));
    TRY(la_lookup(ctx, 1, (double[]){RIDGE_CONSTANT}, none, none, out->square));
    TRY(la_scale_add(ctx, scale, gram, 1, out->square));
    if (rows->weight) {
        double *root = NULL;
        TRY(NEW(ctx, &ctx->scratch, root, n));
        for (int64_t i = 0; i < n; i++) root[i] = cumulative_root(rows, i);
        TRY(la_scale(ctx, root, root, out->square));
    }
    TRY(la_eigen(ctx, out->square, n, out->values, out->V));
    TRY(la_gather(ctx, out->V, NULL, NULL, out->square));
    TRY(la_hadamard(ctx, out->V, out->square));
    for (int q = 0; q < J; q++)
        for (int64_t i = 0; i < n; i++) out->Z[i + q * n] = cumulative_root(rows, i) * target(&out->rows, i, q);
    la_put(out->Z, Y);
    TRY(la_gemm(ctx, true, false, 1, out->V, Y, 0, Z));
    la_get(Z, out->Z);
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    for (int64_t i = 0; i < n; i++) out->values[i] = fmax(out->values[i], 0);
    return RUNG_OK;
}

/* V, its squares, and either the room of the eigenproblem or of the predictions. */
double cumulative_ridge_bytes(double n, int K)
{
    return 8 * (2 * n * n + n * (3 * K + 3)) + fmax(la_eigen_bytes((int64_t)n), 8 * n * (2 * K + 2));
}

static rung_status leave_blocks_out(rung_ctx *ctx, const cumulative_ridge *r, const double *share, double *loo)
{
    const row_groups *t = r->rows.together;
    for (int64_t g = 0; g < t->count; g++) {
        pool_mark mark = pool_here(&ctx->scratch);
        la_mat *B = NULL;
        TRY(la_new(ctx, &ctx->scratch, row_groups_size(t, g), r->rows.n, &B));
        TRY(la_gather(ctx, r->V, t->rows + t->start[g], NULL, B));
        TRY(cumulative_loo_block(ctx, &r->rows, g, B, share, loo));
        pool_release(&ctx->scratch, mark);
    }
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
    for (int64_t i = 0; i < n; i++) H[i] = 1 - H[i];
    if (cumulative_mixed(&r->rows))
        TRY(leave_blocks_out(ctx, r, share, loo));
    else
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
    for (int64_t i = 0; i < n * J; i++) coef[i] *= cumulative_root(&r->rows, i % n);
    for (int q = 0; q < J; q++) {
        bias[q] = r->rows.p0[q];
        for (int64_t i = 0; i < n; i++) bias[q] += RIDGE_CONSTANT * coef[i + q * n];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
