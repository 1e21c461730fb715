// SPDX-License-Identifier: BSD-3-Clause
/* lpp.c - locality preserving projection: neighbours stay neighbours.
 *
 *     A = X'D X,  B = X'L X,   L = D - S,  S the heat weights of the neighbour graph, X centred by the degrees D */
#include "method/projection/manifold.h"
#include "method/projection/projection.h"

rung_status lpp_pair(rung_ctx *ctx, problem *p, const projection_params *params, projection_pair *pair)
{
    const la_csr *S;
    la_csr L;
    double *degree = NULL;
    la_mat *N = NULL, *R = NULL;
    TRY(heat_graph(ctx, p, params->neighbours, &S));
    TRY(graph_laplacian(ctx, &ctx->scratch, S, LAPLACIAN_PLAIN, &L));
    TRY(NEW(ctx, &ctx->scratch, degree, p->n));
    graph_degrees(S, degree);
    TRY(centre_rows(ctx, degree, pair->T));
    TRY(la_new(ctx, &ctx->scratch, p->n, la_cols(pair->T), &N));
    TRY(la_new(ctx, &ctx->scratch, p->n, la_cols(pair->T), &R));
    TRY(la_scale_add(ctx, 1, pair->T, 0, N));
    TRY(la_scale(ctx, degree, NULL, N));
    TRY(la_spmm(ctx, 1, &L, pair->T, 0, R));
    pair->N = N;
    pair->R = R;
    pair->cancels = true;
    return RUNG_OK;
}

static const param_row lpp_rows[] = {
    COMPONENTS_PARAM,
    NEIGHBOURS_PARAM(projection_params),
    PROJECTION_RIDGE_PARAM,
    CALIBRATE_PARAM(projection_params, "auto"),
    {0},
};

const method method_lpp = {
    .info = {.name = "lpp",
             .title = "Locality preserving projection",
             .reference = "He, Niyogi. Locality preserving projections. NIPS 16, 2003",
             .cost = "time n^2 d for the graph, n d^2 + d^3 (n^3 for d > n); memory 5 n d",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = lpp_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = lpp_pair},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = projection_fit,
    .verify = projection_verify,
};
