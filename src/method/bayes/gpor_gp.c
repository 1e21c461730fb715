// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/gpor_gp.h"

#include <math.h>

rung_status gpor_gp_posterior_new(rung_ctx *ctx, pool *mem, int64_t n, int K, gpor_gp_posterior *out)
{
    *out = (gpor_gp_posterior){0};
    TRY(NEW(ctx, mem, out->alpha, n));
    TRY(NEW(ctx, mem, out->precision, n));
    TRY(NEW(ctx, mem, out->natural, n));
    TRY(NEW(ctx, mem, out->thresholds, K - 1));
    TRY(NEW(ctx, mem, out->bend, (int64_t)(K - 1) * (K - 1)));
    TRY(NEW(ctx, mem, out->links, K - 1));
    TRY(la_new(ctx, mem, n, n, &out->factor));
    out->pull = out->factor;
    return RUNG_OK;
}

rung_status gpor_gp_factorise(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, la_mat *B,
                              double *log_root_det)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *diagonal = NULL;
    TRY(la_gather(ctx, p->gram, NULL, NULL, B));
    TRY(la_scale(ctx, root, root, B));
    la_add_diagonal(B, 1, NULL);
    TRY(la_potrf(ctx, B));
    TRY(NEW_RAW(ctx, &ctx->scratch, diagonal, p->n));
    la_diagonal(B, diagonal);
    *log_root_det = 0;
    for (int64_t i = 0; i < p->n; i++) *log_root_det += log(diagonal[i]);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status gpor_gp_shrink(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, const la_mat *L, double *x)
{
    for (int64_t i = 0; i < p->n; i++) x[i] *= root[i];
    TRY(la_potrs(ctx, L, 1, x));
    for (int64_t i = 0; i < p->n; i++) x[i] *= root[i];
    return RUNG_OK;
}

rung_status gpor_gp_pull(rung_ctx *ctx, const gpor_gp_problem *p, const double *root, int64_t k, const double *left,
                         const double *right, la_mat *inverse)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *A = NULL, *B = NULL;
    TRY(la_new(ctx, &ctx->scratch, p->n, k, &A));
    TRY(la_new(ctx, &ctx->scratch, p->n, k, &B));
    la_put(left, A);
    la_put(right, B);
    TRY(la_scale(ctx, root, root, inverse));
    TRY(la_gemm(ctx, false, true, 1, A, B, -0.5, inverse));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
