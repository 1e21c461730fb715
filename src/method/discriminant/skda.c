// SPDX-License-Identifier: BSD-3-Clause
/* skda.c - semi-supervised kernel discriminant analysis: KDA with a graph over all rows in the denominator (Perez-Ortiz
 * et al. 2016, eq. 7; Cai, He, Han 2007). */
#include "method/discriminant/graph_dl.h"
#include "method/discriminant/kda.h"

static double skda_bytes(const problem_shape *shape, const void *params_)
{
    const kda_params *params = params_;
    graph_dl_params same = {
        .kernel = params->kernel, .d = params->d, .mu = params->mu, .neighbours = params->neighbours};
    return graph_dl_bytes(shape, &same);
}

static const param_row skda_rows[] = {
    KERNEL_PARAMS(kda_params),    LANDMARKS_PARAM(kda_params),
    KDA_PARAMS(kda_params),       MU_PARAM(kda_params, "", 0, "0,0.01,0.1,0.5", "0.5,0.25,0.1,0.01"),
    NEIGHBOUR_PARAMS(kda_params), {0},
};

const method method_skda = {
    .info = {.name = "skda",
             .title = "Semi-supervised kernel discriminant analysis",
             .reference =
                 "Cai, He, Han. Semi-supervised discriminant analysis. ICCV 2007. doi:10.1109/ICCV.2007.4408856",
             .cost = "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS |
                      RUNG_METHOD_USES_UNLABELLED},
    .params = skda_rows,
    .params_size = sizeof(kda_params),
    .bytes = skda_bytes,
    .prepare = kda_prepare,
    .fit = kda_fit,
    .verify = kda_verify,
};
