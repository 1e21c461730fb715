// SPDX-License-Identifier: BSD-3-Clause
/* es_dl.c - ES-DL: the graph joins rows that are near in the leading components of the empirical feature space (eq.
 * 19-21). */
#include "fit/verify.h"
#include "method/discriminant/graph_dl.h"

static rung_status prepare(rung_ctx *ctx, problem *p, const void *params)
{
    return graph_dl_prepare_in(ctx, p, params, true, ((const graph_dl_params *)params)->rank);
}

static rung_status fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                       held_out *held)
{
    return graph_dl_fit_in(ctx, mem, p, params, true, ((const graph_dl_params *)params)->rank, f, out, held);
}

static rung_status verify(rung_ctx *ctx, const struct verification *v)
{
    return graph_dl_verify_in(ctx, v, true, ((const graph_dl_params *)v->params)->rank);
}

static const rung_param rows[] = {
    KERNEL_PARAMS(graph_dl_params),
    LANDMARKS_PARAM(graph_dl_params),
    DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),
    RANK_PARAM(graph_dl_params),
    CALIBRATE_PARAM(graph_dl_params, "5"),
    {0},
};

const method method_es_dl = {
    .info = {.name = "es-dl",
             .title = "Discriminant learning with a graph in the reduced empirical feature space",
             .reference = "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for "
                          "ordinal kernel discriminant "
                          "analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004",
             .cost = "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_USES_UNLABELLED,
             .params = rows},
    .params_size = sizeof(graph_dl_params),
    .bytes = feature_dl_bytes,
    .settle = graph_dl_settle,
    .prepare = prepare,
    .holds_out = graph_dl_holds_out,
    .fit = fit,
    .verify = verify,
};
