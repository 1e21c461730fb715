// SPDX-License-Identifier: BSD-3-Clause
/* landmark_products.c - products without explicit features: features are linear in kernel values, so these are summed
 * first and the triangular solve is applied to the sums: n m d instead of n m^2. */
#include <string.h>

#include "kernel/landmark.h"

rung_status landmarks_pull(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, int o, const double *C,
                           double *P)
{
    TRY(kernel_expand(ctx, &l->k, &(point_set){l->d, l->m, l->X}, &(point_set){l->d, n, X}, o, C, P));
    return landmarks_solve_sums(ctx, l, o, P);
}

rung_status landmarks_scores(rung_ctx *ctx, const landmarks *l, int64_t n, const double *X, int o, const double *V,
                             double *F)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *coef = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, coef, l->m * o));
    memcpy(coef, V, (size_t)(l->m * o) * sizeof *coef);
    TRY(landmarks_expand(ctx, l, o, coef));
    TRY(kernel_expand(ctx, &l->k, &(point_set){l->d, n, X}, &(point_set){l->d, l->m, l->X}, o, coef, F));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The lower triangle, zeros above it. */
static rung_status lower(rung_ctx *ctx, const la_mat *A, la_mat *out)
{
    int64_t m = la_rows(A);
    double *values = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, values, m * m));
    la_get(A, values);
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < j; i++) values[i + j * m] = 0;
    la_put(values, out);
    pool_free(&ctx->scratch, values);
    return RUNG_OK;
}

/* L^-1 R^-1 = (R L)^-1, and R L is a lower triangle again. */
rung_status landmarks_deformed(rung_ctx *ctx, const landmarks *l, la_mat *M, la_mat *R, landmarks *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *old = NULL;
    TRY(la_potrf(ctx, M));
    TRY(lower(ctx, M, M));
    TRY(la_new(ctx, &ctx->scratch, l->m, l->m, &old));
    TRY(lower(ctx, l->R, old));
    TRY(la_gemm(ctx, false, false, 1, old, M, 0, R));
    *out = *l;
    out->R = R;
    out->steady = false; /* the condition after M is unknown */
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
