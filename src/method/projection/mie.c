// SPDX-License-Identifier: BSD-3-Clause
/* mie.c - multilinear isometric embedding: isoproj with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static const param_row mie_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),        PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "auto"), {0},
};

const method method_mie = {
    .info = {.name = "mie",
             .title = "Multilinear isometric embedding",
             .reference = "Liu, Liu, Chan. Multilinear isometric embedding for visual pattern analysis. ICCV Subspace "
                          "Workshop 2009, 212-218",
             .cost = "time n^2 d + n^2 k log n, then sweeps x modes x min(n, d) d; memory 2 n^2",
             .flags = RUNG_METHOD_USES_UNLABELLED | RUNG_METHOD_NO_ROWS},
    .params = mie_rows,
    .params_size = sizeof(projection_params),
    .variant = &(const projection_variant){.pair = isoproj_pair, .squares = 2, .modes = true},
    .bytes = projection_bytes,
    .prepare = projection_prepare,
    .fit = tensor_projection_fit,
    .verify = projection_verify,
};
