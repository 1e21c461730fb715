// SPDX-License-Identifier: BSD-3-Clause
/* ces_dl.c - CES-DL: the graph joins rows that are near in the whole empirical feature space (eq. 19-21). For a kernel
 * that falls with the distance that is the graph of S-DL. */
#include "method/discriminant/graph_dl.h"

static const param_row rows[] = {
    KERNEL_PARAMS(graph_dl_params), LANDMARKS_PARAM(graph_dl_params),      DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),  CALIBRATE_PARAM(graph_dl_params, "5"), {0},
};

const method method_ces_dl = {
    .info = {.name = "ces-dl",
             .title = "Discriminant learning with a graph in the empirical feature space",
             .reference = "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for "
                          "ordinal kernel discriminant "
                          "analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004",
             .cost = "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_USES_UNLABELLED},
    .params = rows,
    .params_size = sizeof(graph_dl_params),
    .variant = &(const graph_dl_variant){.space = SPACE_FEATURE},
    .bytes = graph_dl_bytes,
    .settle = graph_dl_settle,
    .prepare = graph_dl_prepare,
    .fit = graph_dl_fit,
    .hold_out = graph_dl_hold_out,
    .can_hold_out = graph_dl_can_hold_out,
    .verify = graph_dl_verify,
};
