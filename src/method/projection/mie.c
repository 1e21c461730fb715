// SPDX-License-Identifier: BSD-3-Clause
/* mie.c - multilinear isometric embedding: isoproj with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static rung_status mie_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                           held_out *held)
{
    (void)f, (void)held;
    return tensor_projection_fit(ctx, mem, p, params, isoproj_pair, out);
}

static rung_status mie_verify(rung_ctx *ctx, const struct verification *v)
{
    return projection_verify(ctx, v, isoproj_pair);
}

static double mie_bytes(const problem_shape *shape, const void *params)
{
    return projection_bytes(shape, params, 2, true);
}

static const rung_param mie_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),     PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "0"), {0},
};

const method method_mie = {
    .info = {.name = "mie",
             .title = "Multilinear isometric embedding",
             .reference = "Liu, Liu, Chan. Multilinear isometric embedding for visual pattern analysis. ICCV Subspace "
                          "Workshop 2009, 212-218",
             .cost = "time n^2 d + n^2 k log n, then sweeps x modes x min(n, d) d; memory 2 n^2",
             .flags = RUNG_USES_UNLABELLED,
             .params = mie_rows},
    .params_size = sizeof(projection_params),
    .bytes = mie_bytes,
    .prepare = projection_prepare,
    .fit = mie_fit,
    .verify = mie_verify,
};
