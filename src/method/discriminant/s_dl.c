// SPDX-License-Identifier: BSD-3-Clause
/* s_dl.c - S-DL: the graph joins rows that are near in the input space (eq. 13-18). */
#include "method/discriminant/graph_dl.h"

const method method_s_dl = {
    .info = {.name = "s-dl",
             .title = "Semi-supervised discriminant learning for ordinal regression",
             .reference = GRAPH_DL_REFERENCE,
             .cost = GRAPH_DL_COST,
             .flags = GRAPH_DL_FLAGS},
    .params = graph_dl_rows,
    .variant = &(const graph_dl_variant){.space = SPACE_INPUT},
    .bytes = graph_dl_bytes,
    GRAPH_DL_HOOKS,
};
