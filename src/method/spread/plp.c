// SPDX-License-Identifier: BSD-3-Clause
/* plp.c - probabilistic label propagation with a novel class (graph/novel.h). New rows get the weighted mean of the
 * memberships of their nearest training rows. */
#include "fit/neighbour_graph.h"
#include "graph/novel.h"
#include "method/spread/novel_verify.h"

typedef struct {
    graph_params graph;
    double novel;
    int calibrate;
} plp_params;

static rung_status plp_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const plp_params *params = in->params;
    const la_csr *S;
    double *P = NULL, width;
    bool gaussian = params->graph.weights == WEIGH_GAUSSIAN;
    TRY(neighbour_graph(ctx, p, &params->graph, NULL, &S, NULL, &width));
    TRY(NEW(ctx, &ctx->scratch, P, p->n * p->K));
    TRY(propagate_novel(ctx, S, p->K, p->y, params->novel, NOVEL_ACCURACY, P));
    if (gaussian) TRY(report_number(ctx, mem, out, "graph_width", width));
    return membership_fit(ctx, mem, p, P,
                          &(membership_rule){params->graph.neighbours, gaussian ? WEIGHTS_GAUSSIAN : WEIGHTS_BINARY,
                                             width, DECISION_ARGMAX},
                          out);
}

static rung_status plp_verify(rung_ctx *ctx, const struct verification *v)
{
    const plp_params *params = v->params;
    const la_csr *S;
    double width;
    TRY(neighbour_graph(ctx, v->p, &params->graph, NULL, &S, NULL, &width));
    return novel_verify(ctx, v, S, params->novel, v->model->members->score.coef);
}

static double plp_bytes(const problem_shape *shape, const void *params)
{
    return neighbour_graph_bytes(shape, &((const plp_params *)params)->graph) +
           8 * (double)shape->n *
               (2 * (double)shape->d + 4.0 * shape->K); /* the rows and predictions stored in the model */
}

static const param_row plp_rows[] = {
    NOVEL_PARAM(plp_params),
    NEIGHBOUR_GRAPH_PARAMS(plp_params),
    CALIBRATE_PARAM(plp_params, "auto"),
    {0},
};

const method method_plp = {
    .info = {.name = "plp",
             .title = "Probabilistic label propagation with a novel class",
             .reference =
                 "Qian, Nie, Zhang. Probabilistic labeled semi-supervised SVM. ICDM Workshops 2009; novel class: Nie, "
                 "Xiang, Liu, Zhang. A general graph-based semi-supervised learning with novel class "
                 "discovery. Neural Computing and Applications 19:549-555, 2010",
             .cost = "time n^2 d for the neighbours, n k per sweep; memory n k",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_TRANSDUCTIVE | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_USES_UNLABELLED},
    .params = plp_rows,
    .params_size = sizeof(plp_params),
    .bytes = plp_bytes,
    .fit = plp_fit,
    .verify = plp_verify,
};
