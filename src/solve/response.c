// SPDX-License-Identifier: BSD-3-Clause
#include "solve/response.h"

#include <string.h>

rung_status penalty_apply(rung_ctx *ctx, const penalty *W, int64_t k, const double *f, double *Wf)
{
    int64_t n = W->n;
    int r = W->rank;
    pool_mark mark = pool_here(&ctx->scratch);
    double *t = NULL, *u = NULL;
    TRY(NEW(ctx, &ctx->scratch, t, r));
    TRY(NEW(ctx, &ctx->scratch, u, r));
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) Wf[i + c * n] = W->diagonal ? W->diagonal[i] * f[i + c * n] : 0;
    if (W->sparse) TRY(la_spmm_thin(ctx, W->weight, W->sparse, k, f, 1, Wf));
    for (int64_t c = 0; c < k && r > 0; c++) {
        memset(t, 0, (size_t)r * sizeof *t);
        memset(u, 0, (size_t)r * sizeof *u);
        for (int q = 0; q < r; q++)
            for (int64_t i = 0; i < n; i++) t[q] += W->P[i + q * n] * f[i + c * n];
        for (int q = 0; q < r; q++)
            for (int s = 0; s < r; s++) u[q] += W->core[q + s * r] * t[s];
        for (int q = 0; q < r; q++)
            for (int64_t i = 0; i < n; i++) Wf[i + c * n] -= W->P[i + q * n] * u[q];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* WF -= (P core) (P'F). */
static rung_status subtract_low_rank(rung_ctx *ctx, const penalty *W, const la_mat *F, la_mat *WF)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = W->n, r = W->rank;
    la_mat *P = NULL, *left = NULL, *right = NULL;
    double *scaled = NULL;
    TRY(la_new(ctx, &ctx->scratch, n, r, &P));
    TRY(la_new(ctx, &ctx->scratch, n, r, &left));
    TRY(la_new(ctx, &ctx->scratch, r, la_cols(F), &right));
    TRY(NEW(ctx, &ctx->scratch, scaled, n * r));
    for (int64_t q = 0; q < r; q++)
        for (int64_t s = 0; s < r; s++)
            for (int64_t i = 0; i < n; i++) scaled[i + q * n] += W->P[i + s * n] * W->core[s + q * r];
    la_put(W->P, P);
    la_put(scaled, left);
    TRY(la_gemm(ctx, true, false, 1, P, F, 0, right));
    TRY(la_gemm(ctx, false, false, -1, left, right, 1, WF));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status penalty_apply_wide(rung_ctx *ctx, const penalty *W, const la_mat *F, la_mat *WF)
{
    double *none = NULL;
    TRY(NEW(ctx, &ctx->scratch, none, W->n));
    TRY(la_scale_add(ctx, 1, F, 0, WF));
    TRY(la_scale(ctx, W->diagonal ? W->diagonal : none, NULL, WF));
    if (W->sparse) TRY(la_spmm(ctx, W->weight, W->sparse, F, 1, WF));
    return W->rank > 0 ? subtract_low_rank(ctx, W, F, WF) : RUNG_OK;
}

rung_status response_new(rung_ctx *ctx, const penalty *W, const la_mat *F, response *out)
{
    la_mat *WF = NULL;
    *out = (response){.W = W, .F = F};
    TRY(la_new(ctx, &ctx->scratch, la_cols(F), la_cols(F), &out->M));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(la_new(ctx, &ctx->scratch, W->n, la_cols(F), &WF));
    TRY(penalty_apply_wide(ctx, W, F, WF));
    TRY(la_gemm_symmetric(ctx, true, 1, F, WF, 0, out->M));
    pool_release(&ctx->scratch, mark);
    la_add_diagonal(out->M, 1, NULL);
    return la_potrf(ctx, out->M);
}

rung_status response_weights(rung_ctx *ctx, const response *r, int64_t k, const double *c, double *z)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *C = NULL, *FC = NULL;
    TRY(la_new(ctx, &ctx->scratch, r->W->n, k, &C));
    TRY(la_new(ctx, &ctx->scratch, la_cols(r->F), k, &FC));
    la_put(c, C);
    TRY(la_gemm(ctx, true, false, 1, r->F, C, 0, FC));
    la_get(FC, z);
    TRY(la_potrs(ctx, r->M, k, z));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status response_apply(rung_ctx *ctx, const response *r, int64_t k, const double *c, double *f, double *a)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *z = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, z, la_cols(r->F) * k));
    TRY(response_weights(ctx, r, k, c, z));
    TRY(la_mul(ctx, 1, r->F, k, z, 0, f));
    TRY(penalty_apply(ctx, r->W, k, f, a));
    for (int64_t i = 0; i < r->W->n * k; i++) a[i] = c[i] - a[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status response_block(rung_ctx *ctx, const response *r, int64_t l, const int64_t *rows, double *G)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t rank = la_cols(r->F);
    la_mat *some = NULL, *half = NULL, *block = NULL;
    TRY(la_new(ctx, &ctx->scratch, l, rank, &some));
    TRY(la_new(ctx, &ctx->scratch, rank, l, &half));
    TRY(la_gather(ctx, r->F, rows, NULL, some));
    TRY(la_transpose(ctx, some, half));
    la_free(&ctx->scratch, some);
    TRY(la_trsm(ctx, r->M, false, half));
    TRY(la_new(ctx, &ctx->scratch, l, l, &block));
    TRY(la_syrk(ctx, true, 1, half, 0, block));
    la_get(block, G);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
