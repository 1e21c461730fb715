// SPDX-License-Identifier: BSD-3-Clause
/* npe.c - neighbourhood preserving embedding: the weights that reconstruct a row from its neighbours reconstruct its
 * projection.
 *
 *     A = X'X,  B = X'(I - W)'(I - W) X,   X centred, W the reconstruction weights of locally linear embedding */
#include "method/projection/manifold.h"
#include "method/projection/projection.h"

rung_status npe_pair(rung_ctx *ctx, problem *p, const projection_params *params, projection_pair *pair)
{
    la_csr left, transposed;
    la_mat *rest = NULL, *R = NULL;
    TRY(reconstruction(ctx, p, params->neighbours, &left, &transposed));
    TRY(la_new(ctx, &ctx->scratch, p->n, la_cols(pair->T), &rest));
    TRY(la_new(ctx, &ctx->scratch, p->n, la_cols(pair->T), &R));
    TRY(la_spmm(ctx, 1, &left, pair->T, 0, rest));
    TRY(la_spmm(ctx, 1, &transposed, rest, 0, R));
    la_free(&ctx->scratch, rest);
    pair->N = pair->T;
    pair->R = R;
    pair->cancels = true;
    return RUNG_OK;
}

static const param_row npe_rows[] = {
    COMPONENTS_PARAM,
    NEIGHBOURS_PARAM(projection_params),
    PROJECTION_RIDGE_PARAM,
    CALIBRATE_PARAM(projection_params, "auto"),
    {0},
};

const method method_npe = {
    .info = {.name = "npe",
             .title = "Neighbourhood preserving embedding",
             .reference = "He, Cai, Yan, Zhang. Neighborhood preserving embedding. ICCV 2005, 1208-1213",
             .cost = "time n^2 d for the graph, n k^2 d + n d^2 + d^3 (n^3 for d > n); memory 5 n d",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = npe_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = npe_pair},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = projection_fit,
    .verify = projection_verify,
};
