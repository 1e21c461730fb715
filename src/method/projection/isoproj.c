// SPDX-License-Identifier: BSD-3-Clause
/* isoproj.c - isometric projection: Euclidean distances of the projection follow the distances along the graph.
 *
 *     A = X'G X,  B = X'X,   G = -1/2 J D^2 J,  D the shortest paths on the neighbour graph, made connected by the
 *     minimum spanning tree; X centred, so that J need not be applied */
#include "graph/paths.h"
#include "method/projection/projection.h"

rung_status isoproj_pair(rung_ctx *ctx, problem *p, const projection_params *params, projection_pair *pair)
{
    problem_graph g = {
        .space = {.kind = SPACE_INPUT}, .neighbours = params->neighbours, .rule = GRAPH_OR, .weight = EDGE_SQUARED};
    const la_csr *S;
    la_csr connected;
    la_mat *D = NULL, *N = NULL;
    TRY(problem_edges(ctx, p, &g, &S, NULL));
    TRY(graph_connected(ctx, &ctx->scratch, S, p->d, p->X, &connected));
    TRY(la_new(ctx, &ctx->scratch, p->n, la_cols(pair->T), &N));
    TRY(la_new(ctx, &ctx->scratch, p->n, p->n, &D));
    TRY(graph_geodesics(ctx, &connected, D));
    TRY(la_gemm(ctx, false, false, -0.5, D, pair->T, 0, N)); /* T'J = T': the centring of D^2 is in T */
    la_free(&ctx->scratch, D);
    pair->N = N;
    pair->R = pair->T;
    return RUNG_OK;
}

static const param_row isoproj_rows[] = {
    COMPONENTS_PARAM,
    NEIGHBOURS_PARAM(projection_params),
    PROJECTION_RIDGE_PARAM,
    CALIBRATE_PARAM(projection_params, "auto"),
    {0},
};

const method method_isoproj = {
    .info = {.name = "isoproj",
             .title = "Isometric projection",
             .reference = "Cai, He, Han. Isometric projection. AAAI 2007, 528-533",
             .cost = "time n^2 d + n^2 k log n, memory 2 n^2",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = isoproj_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = isoproj_pair, .squares = 2},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = projection_fit,
    .verify = projection_verify,
};
