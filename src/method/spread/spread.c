// SPDX-License-Identifier: BSD-3-Clause
#include "method/spread/spread.h"

#include "graph/propagate.h"

enum { NEIGHBOURS_OF_WIDTH = 10 }; /* where the graph has none of its own */

rung_status spread_graph(rung_ctx *ctx, problem *p, const spread_params *params, int k, const la_csr **W, double *width)
{
    *W = NULL;
    *width = params->width;
    problem_graph g = {.space = {.kind = SPACE_INPUT},
                       .neighbours = k ? k : NEIGHBOURS_OF_WIDTH,
                       .rule = GRAPH_OR,
                       .weight = EDGE_GAUSSIAN,
                       .width = params->width};
    if (k) return problem_edges(ctx, p, &g, W, width);
    if (!isnan(*width)) return RUNG_OK;
    neighbours near;
    TRY(problem_neighbours(ctx, p, &g.space, g.neighbours, &near));
    return neighbours_median(ctx, &near, width);
}

rung_status spread_labels(rung_ctx *ctx, problem *p, const spread_params *params, int k, double *U, double *width)
{
    const la_csr *W;
    TRY(spread_graph(ctx, p, params, k, &W, width));
    if (W) return propagate_graph(ctx, W, p->K, p->y, params->spread, U);
    return propagate_dense(ctx, &(point_set){p->d, p->n, p->X}, &(ranked_rows){.n = p->n, .y = p->y, .K = p->K}, *width,
                           params->spread, U);
}
