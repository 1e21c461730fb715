// SPDX-License-Identifier: BSD-3-Clause
/* mlda.c - multilinear discriminant analysis: lda with a direction that is a product of one vector per mode. */
#include "method/projection/projection.h"

static rung_status mlda_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                            held_out *held)
{
    (void)f, (void)held;
    return tensor_projection_fit(ctx, mem, p, params, lda_pair, out);
}

static rung_status mlda_verify(rung_ctx *ctx, const struct verification *v)
{
    return projection_verify(ctx, v, lda_pair);
}

static double mlda_bytes(const problem_shape *shape, const void *params)
{
    return projection_bytes(shape, params, 0, true);
}

static const rung_param mlda_rows[] = {
    SHAPE_PARAM(projection_params),
    PROJECTION_RIDGE_PARAM,
    SWEEPS_PARAM(projection_params, "10"),
    CALIBRATE_PARAM(projection_params, "0"),
    {0},
};

const method method_mlda = {
    .info = {.name = "mlda",
             .title = "Multilinear discriminant analysis",
             .reference =
                 "Yan, Xu, Yang, Zhang, Tang, Zhang. Discriminant analysis with tensor representation. CVPR 2005, "
                 "vol. 1, 526-532",
             .cost = "time l d^2 (or l^2 d), then sweeps x modes x min(l, d) d; memory 8 l d",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS,
             .params = mlda_rows},
    .params_size = sizeof(projection_params),
    .bytes = mlda_bytes,
    .fit = mlda_fit,
    .verify = mlda_verify,
};
