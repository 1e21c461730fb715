// SPDX-License-Identifier: BSD-3-Clause
/* ces_dl.c - CES-DL: the graph joins rows that are near in the whole empirical feature space (eq. 19-21). For a kernel
 * that falls with the distance that is the graph of S-DL. */
#include "method/discriminant/graph_dl.h"

const method method_ces_dl = {
    .info = {.name = "ces-dl",
             .title = "Discriminant learning with a graph in the empirical feature space",
             .reference = GRAPH_DL_REFERENCE,
             .cost = GRAPH_DL_COST,
             .flags = GRAPH_DL_FLAGS},
    .params = graph_dl_rows,
    .variant = &(const graph_dl_variant){.space = SPACE_FEATURE},
    .bytes = graph_dl_bytes,
    GRAPH_DL_HOOKS,
};
