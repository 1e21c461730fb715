// SPDX-License-Identifier: BSD-3-Clause
/* kda.c - kernel discriminant analysis: directions that maximise the scatter between the classes against that within
 * them, and the nearest class mean. It knows no order: the unordered counterpart of KDLOR (Perez-Ortiz et al. 2016, eq.
 * 4). */
#include "method/discriminant/kda.h"

#include "fit/verify.h"
#include "method/discriminant/identity_dl.h"
#include "method/discriminant/landmark_dl.h"

static rung_status laplacian_of(rung_ctx *ctx, problem *p, const kda_params *params, const kernel *k,
                                const la_csr **out)
{
    problem_graph g = {.space = {.kind = SPACE_INPUT, .k = *k},
                       .neighbours = params->neighbours,
                       .rule = GRAPH_OR,
                       .weight = EDGE_BINARY};
    *out = NULL;
    return params->mu > 0 ? problem_laplacian(ctx, p, &g, (laplacian_norm)params->graph_norm, out) : RUNG_OK;
}

rung_status kda_prepare(rung_ctx *ctx, const fit_input *in)
{
    const kda_params *params = in->params;
    const la_csr *L;
    kernel k;
    TRY(kernel_prepare(ctx, in->p, &params->kernel, &k));
    return laplacian_of(ctx, in->p, params, &k, &L);
}

rung_status kda_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const kda_params *params = in->params;
    const la_csr *L;
    kernel k;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    TRY(laplacian_of(ctx, p, params, &k, &L));
    dl_problem d = {
        .p = p, .k = &k, .landmarks = params->kernel.landmarks, .params = &params->d, .L = L, .mu = params->mu};
    return discriminant_directions(ctx, mem, &d, params->components ? params->components : p->K - 1, out);
}

rung_status kda_verify(rung_ctx *ctx, const struct verification *v)
{
    const kda_params *params = v->params;
    const la_csr *L;
    kernel k;
    TRY(kernel_from_params(ctx, &ctx->scratch, &params->kernel, &k));
    k = problem_kernel(v->p, &k);
    TRY(laplacian_of(ctx, v->p, params, &k, &L));
    return discriminant_directions_verify(ctx, v, &params->d, L, params->mu);
}

static double kda_bytes(const problem_shape *shape, const void *params)
{
    int m = ((const kda_params *)params)->kernel.landmarks;
    if (m > 0) return landmark_dl_bytes(shape, m, 0, 0) - 8.0 * m * m; /* no sums of a fold */
    double n = (double)shape->labelled, d = (double)shape->d, K = shape->K;
    if (((const kda_params *)params)->d.ridge_kind == RIDGE_IDENTITY) return identity_dl_bytes(shape, n, false);
    double matrices = ((const kda_params *)params)->calibrate > 0 ? 3 : 2; /* folds are parts of the kernel matrix */
    return 8 * (matrices * n * n + 3 * n * d + n * (6 * K + 80));
}

static const param_row kda_rows[] = {
    KERNEL_PARAMS(kda_params), LANDMARKS_PARAM(kda_params), KDA_PARAMS(kda_params), {0}};

const method method_kda = {
    .info = {.name = "kda",
             .title = "Kernel discriminant analysis",
             .reference =
                 "Mika, Raetsch, Weston, Schoelkopf, Mueller. Fisher discriminant analysis with kernels. NNSP 1999, "
                 "41-48. doi:10.1109/NNSP.1999.788121",
             .cost = "time l^3/3, memory 2 l^2 for l labelled rows",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS},
    .params = kda_rows,
    .params_size = sizeof(kda_params),
    .bytes = kda_bytes,
    .prepare = kda_prepare,
    .fit = kda_fit,
    .verify = kda_verify,
};
