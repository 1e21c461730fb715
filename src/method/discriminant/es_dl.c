// SPDX-License-Identifier: BSD-3-Clause
/* es_dl.c - ES-DL: the graph joins rows that are near in the leading components of the empirical feature space (eq.
 * 19-21). */
#include "method/discriminant/graph_dl.h"

static const param_row rows[] = {
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
             .reference = GRAPH_DL_REFERENCE,
             .cost = GRAPH_DL_COST,
             .flags = GRAPH_DL_FLAGS},
    .params = rows,
    .variant = &(const graph_dl_variant){.space = SPACE_FEATURE, .reduced = true},
    .bytes = feature_dl_bytes,
    GRAPH_DL_HOOKS,
};
