// SPDX-License-Identifier: BSD-3-Clause
/* mlda.c - multilinear discriminant analysis: lda with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static const param_row mlda_rows[] = {
    SHAPE_PARAM(projection_params),
    PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"),
    CALIBRATE_PARAM(projection_params, "auto"),
    {0},
};

const method method_mlda = {
    .info = {.name = "mlda",
             .title = "Multilinear discriminant analysis",
             .reference =
                 "Yan, Xu, Yang, Zhang, Tang, Zhang. Discriminant analysis with tensor representation. CVPR 2005, "
                 "vol. 1, 526-532",
             .cost = "time l d^2 (or l^2 d), then sweeps x modes x min(l, d) d; memory 8 l d",
             .flags =
                 RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS | RUNG_METHOD_NO_ROWS},
    .params = mlda_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = lda_pair, .modes = true},
    .bytes = projection_bytes,
    .fit = tensor_projection_fit,
    .verify = projection_verify,
};
