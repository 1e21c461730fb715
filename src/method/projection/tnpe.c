// SPDX-License-Identifier: BSD-3-Clause
/* tnpe.c - tensor neighbourhood preserving embedding: npe with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static const param_row tnpe_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),        PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "auto"), {0},
};

const method method_tnpe = {
    .info = {.name = "tnpe",
             .title = "Tensor neighbourhood preserving embedding",
             .reference = "Dai, Yeung. Tensor embedding methods. AAAI 2006, 330-335",
             .cost = "time n^2 d for the graph, then sweeps x modes x min(n, d) d; memory 8 n d",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = tnpe_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = npe_pair, .modes = true},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = tensor_projection_fit,
    .verify = projection_verify,
};
