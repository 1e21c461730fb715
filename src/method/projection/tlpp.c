// SPDX-License-Identifier: BSD-3-Clause
/* tlpp.c - tensor locality preserving projection: lpp with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static rung_status tlpp_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                            held_out *held)
{
    (void)f, (void)held;
    return tensor_projection_fit(ctx, mem, p, params, lpp_pair, out);
}

static rung_status tlpp_verify(rung_ctx *ctx, const struct verification *v)
{
    return projection_verify(ctx, v, lpp_pair);
}

static double tlpp_bytes(const problem_shape *shape, const void *params)
{
    return projection_bytes(shape, params, 0, true);
}

static const rung_param tlpp_rows[] = {
    SHAPE_PARAM(projection_params),        NEIGHBOURS_PARAM(projection_params),     PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"), CALIBRATE_PARAM(projection_params, "0"), {0},
};

const method method_tlpp = {
    .info = {.name = "tlpp",
             .title = "Tensor locality preserving projection",
             .reference = "He, Cai, Niyogi. Tensor subspace analysis. NIPS 18, 2006, 499-506",
             .cost = "time n^2 d for the graph, then sweeps x modes x min(n, d) d; memory 8 n d",
             .flags = RUNG_USES_UNLABELLED,
             .params = tlpp_rows},
    .params_size = sizeof(projection_params),
    .bytes = tlpp_bytes,
    .prepare = projection_prepare,
    .fit = tlpp_fit,
    .verify = tlpp_verify,
};
