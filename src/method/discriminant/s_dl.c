// SPDX-License-Identifier: BSD-3-Clause
/* s_dl.c - S-DL: the graph joins rows that are near in the input space (eq. 13-18). */
#include "fit/verify.h"
#include "method/discriminant/graph_dl.h"

static rung_status prepare(rung_ctx *ctx, problem *p, const void *params)
{
    return graph_dl_prepare_in(ctx, p, params, false, 1);
}

static rung_status fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                       held_out *held)
{
    return graph_dl_fit_in(ctx, mem, p, params, false, 1, f, out, held);
}

static rung_status verify(rung_ctx *ctx, const struct verification *v) { return graph_dl_verify_in(ctx, v, false, 1); }

static const rung_param rows[] = {
    KERNEL_PARAMS(graph_dl_params), LANDMARKS_PARAM(graph_dl_params),      DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),  CALIBRATE_PARAM(graph_dl_params, "5"), {0},
};

const method method_s_dl = {
    .info = {.name = "s-dl",
             .title = "Semi-supervised discriminant learning for ordinal regression",
             .reference = "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for "
                          "ordinal kernel discriminant "
                          "analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004",
             .cost = "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_USES_UNLABELLED,
             .params = rows},
    .params_size = sizeof(graph_dl_params),
    .bytes = graph_dl_bytes,
    .settle = graph_dl_settle,
    .prepare = prepare,
    .holds_out = graph_dl_holds_out,
    .fit = fit,
    .verify = verify,
};
