// SPDX-License-Identifier: BSD-3-Clause
/* dl_regulariser.c - the regulariser and its graph.
 *
 * F = mu K L K + eps K: on the labelled rows K_T'F^-1 K_T = K~ / eps with the deformed kernel
 *     K~ = (K^-1 + nu L)^-1 = K (I + nu L K)^-1,   nu = mu / eps.
 * With A = I + nu L K (one LU factorisation, well conditioned where K^-1 is not) and V = A^-1 I_T,
 *     K~_TT = K_T'V,    b = V c:
 * neither K^-1 nor K L K is ever formed. */
#include "method/discriminant/dl_regulariser.h"

#include <math.h>

static rung_status deformed_kernel(rung_ctx *ctx, const la_mat *K, dl_regulariser *out)
{
    int64_t n = out->n, l = out->l;
    int *pivot = NULL;
    double *unit = NULL;
    la_mat *A = NULL, *G = NULL, *KT = NULL; /* KT: the rows of K that are labelled */
    TRY(NEW(ctx, &ctx->scratch, pivot, n));
    TRY(la_new(ctx, &ctx->scratch, n, l, &out->V));
    TRY(NEW(ctx, &ctx->scratch, unit, n * l));
    for (int64_t i = 0; i < l; i++) unit[out->rows[i] + i * n] = 1;
    la_put(unit, out->V);
    pool_free(&ctx->scratch, unit);
    TRY(la_new(ctx, &ctx->scratch, n, n, &A));
    TRY(la_spmm(ctx, out->mu / out->ridge, out->L, K, 0, A));
    la_add_diagonal(A, 1, NULL);
    TRY(la_getrf(ctx, A, pivot));
    TRY(la_getrs_wide(ctx, A, pivot, false, out->V));
    la_free(&ctx->scratch, A);
    TRY(la_new(ctx, &ctx->scratch, l, n, &KT));
    TRY(la_new(ctx, &ctx->scratch, l, l, &G));
    TRY(la_gather(ctx, K, out->rows, NULL, KT));
    TRY(la_gemm_symmetric(ctx, false, 1, KT, out->V, 0, G));
    la_free(&ctx->scratch, KT);
    out->G = G;
    return RUNG_OK;
}

rung_status dl_regulariser_new(rung_ctx *ctx, const la_mat *K, dl_regulariser *form)
{
    form->n = la_rows(K);
    if (form->L) return deformed_kernel(ctx, K, form);
    if (form->l == form->n) {
        form->G = K;
        return RUNG_OK;
    }
    la_mat *G = NULL;
    TRY(la_new(ctx, &ctx->scratch, form->l, form->l, &G));
    TRY(la_gather(ctx, K, form->rows, form->rows, G));
    form->G = G;
    return RUNG_OK;
}

rung_status dl_regulariser_expand(rung_ctx *ctx, const dl_regulariser *form, int64_t m, const double *c, double *beta)
{
    if (form->V) return la_mul(ctx, 1, form->V, m, c, 0, beta);
    for (int64_t i = 0; i < form->n * m; i++) beta[i] = 0;
    for (int64_t j = 0; j < m; j++)
        for (int64_t i = 0; i < form->l; i++) beta[form->rows[i] + j * form->n] = c[i + j * form->l];
    return RUNG_OK;
}
