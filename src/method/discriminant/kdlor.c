// SPDX-License-Identifier: BSD-3-Clause
/* kdlor.c - kernel discriminant learning for ordinal regression (DL).
 *
 *     minimise  b'Z b - C rho   subject to  b'(M_{q+1} - M_q) >= rho,  q = 1..K-1,     Z = K P K + R
 *
 * with P the within-class centring, M_q the class means in the kernel expansion and R the ridge: eps K (default) or t I
 * (as published). The expansion is over the labelled rows. C scales score and thresholds together and never changes a
 * rank. The solver, its algebra and its folds are those of the whole family: discriminant.c. */
#include "fit/verify.h"
#include "method/discriminant/discriminant.h"
#include "method/discriminant/identity_dl.h"
#include "method/discriminant/landmark_dl.h"

typedef struct {
    kernel_params kernel;
    discriminant_params d;
    int calibrate;
} kdlor_params;

static bool kdlor_can_hold_out(const void *params)
{
    return ((const kdlor_params *)params)->d.ridge_kind == RIDGE_KERNEL;
}

static rung_status kdlor_prepare(rung_ctx *ctx, const fit_input *in)
{
    kernel k;
    return kernel_prepare(ctx, in->p, &((const kdlor_params *)in->params)->kernel, &k);
}

/* f, held: NULL for a fit without held-out rows. */
static rung_status kdlor_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                                  held_out *held)
{
    problem *p = in->p;
    const kdlor_params *params = in->params;
    kernel k;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    dl_problem d = {.p = p, .k = &k, .landmarks = params->kernel.landmarks, .params = &params->d};
    return discriminant_fit(ctx, mem, &d, f, out, held);
}

static rung_status kdlor_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return kdlor_hold_out(ctx, mem, in, NULL, out, NULL);
}

static rung_status kdlor_verify(rung_ctx *ctx, const struct verification *v)
{
    return discriminant_verify(ctx, v, &((const kdlor_params *)v->params)->d, NULL, 0, NULL);
}

/* Gram matrix and factor, with folds also the inverse and its work space (up to 2000 rows). The data are there three
 * times: scaled, centred and in linalg. */
static double kdlor_bytes(const problem_shape *shape, const void *params_)
{
    const kdlor_params *params = params_;
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    if (params->kernel.landmarks > 0) return landmark_dl_bytes(shape, params->kernel.landmarks, 0, 0);
    if (params->d.ridge_kind == RIDGE_IDENTITY) return identity_dl_bytes(shape, n, false);
    bool inverse = params->calibrate > 0 && n <= 2000;
    return 8 * ((inverse ? 3 : 2) * n * n + 3 * n * d + n * (4 * K + 80));
}

static const param_row kdlor_rows[] = {
    KERNEL_PARAMS(kdlor_params),
    LANDMARKS_PARAM(kdlor_params),
    DISCRIMINANT_PARAMS(kdlor_params),
    CALIBRATE_PARAM(kdlor_params, "5"),
    {0},
};

const method method_kdlor = {
    .info = {.name = "kdlor",
             .title = "Kernel discriminant learning for ordinal regression",
             .reference = "Sun, Li, Wu, Zhang, Li. Kernel discriminant learning for ordinal regression. IEEE TKDE "
                          "22(6):906-910, 2010. doi:10.1109/TKDE.2009.170",
             .cost = "time l^3/3, memory 2 l^2 for l labelled rows; l m^2, m^2 with m landmarks",
             .flags =
                 RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS | RUNG_METHOD_PASSES},
    .params = kdlor_rows,
    .params_size = sizeof(kdlor_params),
    .bytes = kdlor_bytes,
    .prepare = kdlor_prepare,
    .fit = kdlor_fit,
    .hold_out = kdlor_hold_out,
    .can_hold_out = kdlor_can_hold_out,
    .verify = kdlor_verify,
};
