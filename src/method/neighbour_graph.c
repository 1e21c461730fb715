// SPDX-License-Identifier: BSD-3-Clause
#include "method/neighbour_graph.h"

#include <string.h>

#include "graph/novel.h"
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
    if (k && k->kind == KERNEL_PRECOMPUTED)
        return fail(ctx, RUNG_EARG, "graph=linear mixes rows, which a precomputed kernel does not have");
    TRY(problem_neighbours(ctx, p, &g.space, g.neighbours, &near));
    TRY(NEW(ctx, &ctx->scratch, weights, 1));
    TRY(simplex_weights(ctx, &ctx->scratch, p->d, p->X, &near, weights));
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

/* The sum of |rank - y| over the held-out rows of one fold, the rank being that of the largest membership. */
static double errors(const problem *p, int64_t held, const int64_t *rows, const double *P)
{
    double sum = 0;
    for (int64_t h = 0; h < held; h++) {
        int best = 0;
        for (int q = 1; q < p->K; q++)
            if (P[rows[h] + q * p->n] > P[rows[h] + best * p->n]) best = q;
        sum += fabs((double)(best + 1 - p->y[rows[h]]));
    }
    return sum;
}

rung_status propagation_baseline(rung_ctx *ctx, pool *mem, const problem *p, const la_csr *S, double novel, fitted *out)
{
    if (p->rows) return RUNG_OK; /* nobody sees the report of a fold's fit */
    pool_mark mark = pool_here(&ctx->scratch);
    folds f;
    int64_t *rows = NULL, held, total = 0;
    int *y = NULL;
    double *P = NULL, sum = 0;
    TRY(folds_stratified(ctx, &ctx->scratch, p->n, p->y, p->K, 5, 1, &f));
    TRY(NEW(ctx, &ctx->scratch, rows, p->n));
    TRY(NEW(ctx, &ctx->scratch, y, p->n));
    TRY(NEW(ctx, &ctx->scratch, P, p->n * p->K));
    for (int fold = 0; fold < f.count; fold++) {
        held = folds_held(&f, 0, fold, rows);
        memcpy(y, p->y, (size_t)p->n * sizeof *y);
        for (int64_t h = 0; h < held; h++) y[rows[h]] = 0;
        TRY(propagate_novel(ctx, S, p->K, y, novel, P));
        sum += errors(p, held, rows, P);
        total += held;
    }
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    if (total == 0) return RUNG_OK;
    log_at(ctx, RUNG_INFO, "label propagation alone has a cross-validated MAE of %.3f: the baseline to beat",
           sum / (double)total);
    return report_number(ctx, mem, out, "propagation_cv_mae", sum / (double)total);
}

/* Neighbour lists, edges and Laplacian of the problem, their making, and memberships. */
double neighbour_graph_bytes(const problem_shape *shape, const graph_params *params)
{
    double n = (double)shape->n, k = fmin(params->neighbours, n);
    return 8 * n * (3 * (double)shape->d + 18 * k + 4 * shape->K + 60);
}
