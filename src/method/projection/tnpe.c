// SPDX-License-Identifier: BSD-3-Clause
/* tnpe.c - tensor neighbourhood preserving embedding: npe with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static rung_status tnpe_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                            held_out *held)
{
    (void)f, (void)held;
    return tensor_projection_fit(ctx, mem, p, params, npe_pair, out);
}

static rung_status tnpe_verify(rung_ctx *ctx, const struct verification *v)
{
    return projection_verify(ctx, v, npe_pair);
}

static double tnpe_bytes(const problem_shape *shape, const void *params)
{
    return projection_bytes(shape, params, 0, true);
}

static const rung_param tnpe_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),     PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "0"), {0},
};

const method method_tnpe = {
    .info = {.name = "tnpe",
             .title = "Tensor neighbourhood preserving embedding",
             .reference = "Dai, Yeung. Tensor embedding methods. AAAI 2006, 330-335",
             .cost = "time n^2 d for the graph, then sweeps x modes x min(n, d) d; memory 8 n d",
             .flags = RUNG_USES_UNLABELLED,
             .params = tnpe_rows},
    .params_size = sizeof(projection_params),
    .bytes = tnpe_bytes,
    .prepare = projection_prepare,
    .fit = tnpe_fit,
    .verify = tnpe_verify,
};
