// SPDX-License-Identifier: BSD-3-Clause
#include "fit/neighbour_graph.h"

#include "solve/simplex_weights.h"

static problem_graph graph_of(const graph_params *params, const kernel *k)
{
    bool gaussian = params->weights == WEIGH_GAUSSIAN;
    problem_graph g = {.space = {.kind = SPACE_INPUT},
                       .neighbours = params->neighbours,
                       .rule = GRAPH_OR,
                       .weight = gaussian ? EDGE_GAUSSIAN : EDGE_BINARY,
                       .width = gaussian ? params->width : 0};
    if (k) g.space.k = *k;
    return g;
}

static rung_status mixtures(rung_ctx *ctx, problem *p, const graph_params *params, const kernel *k, const la_csr **S,
                            const la_csr **L)
{
    problem_graph g = graph_of(params, k);
    neighbours near;
    la_csr *weights = NULL, *laplacian = NULL, symmetric;
    TRY(problem_neighbours(ctx, p, &g.space, g.neighbours, &near));
    TRY(NEW(ctx, &ctx->scratch, weights, 1));
    if (k && k->kind == KERNEL_PRECOMPUTED) {
        const la_mat *K;
        TRY(problem_gram(ctx, p, k, &K));
        TRY(simplex_weights_kernel(ctx, &ctx->scratch, K, &near, weights));
    } else {
        TRY(simplex_weights(ctx, &ctx->scratch, p->d, p->X, &near, weights));
    }
    *S = weights;
    if (!L) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, laplacian, 1));
    TRY(symmetric_part(ctx, &ctx->scratch, weights, &symmetric));
    TRY(graph_laplacian(ctx, &ctx->scratch, &symmetric, LAPLACIAN_PLAIN, laplacian));
    *L = laplacian;
    return RUNG_OK;
}

rung_status neighbour_graph(rung_ctx *ctx, problem *p, const graph_params *params, const kernel *k, const la_csr **S,
                            const la_csr **L, double *width)
{
    *width = 0;
    if (params->weights == WEIGH_LINEAR) return mixtures(ctx, p, params, k, S, L);
    problem_graph g = graph_of(params, k);
    TRY(problem_edges(ctx, p, &g, S, width));
    return L ? problem_laplacian(ctx, p, &g, LAPLACIAN_PLAIN, L) : RUNG_OK;
}

rung_status neighbour_graph_prepare(rung_ctx *ctx, problem *p, const graph_params *params, const kernel *k)
{
    const la_csr *L;
    neighbours near;
    problem_graph g = graph_of(params, k);
    if (params->weights == WEIGH_LINEAR) return problem_neighbours(ctx, p, &g.space, g.neighbours, &near);
    return problem_laplacian(ctx, p, &g, LAPLACIAN_PLAIN, &L);
}

/* Neighbour lists, edges and Laplacian of the problem, their making, and memberships. */
double neighbour_graph_bytes(const problem_shape *shape, const graph_params *params)
{
    double n = (double)shape->n, k = fmin(params->neighbours, n);
    return 8 * n * (18 * k + 4 * shape->K + 60) + graph_bytes(n, (double)shape->d, k, shape->threads);
}
