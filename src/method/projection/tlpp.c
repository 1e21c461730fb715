// SPDX-License-Identifier: BSD-3-Clause
/* tlpp.c - tensor locality preserving projection: lpp with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static const param_row tlpp_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),        PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "auto"), {0},
};

const method method_tlpp = {
    .info = {.name = "tlpp",
             .title = "Tensor locality preserving projection",
             .reference = "He, Cai, Niyogi. Tensor subspace analysis. NIPS 18, 2006, 499-506",
             .cost = "time n^2 d for the graph, then sweeps x modes x min(n, d) d; memory 8 n d",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = tlpp_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = lpp_pair, .modes = true},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = tensor_projection_fit,
    .verify = projection_verify,
};
