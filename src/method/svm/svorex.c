// SPDX-License-Identifier: BSD-3-Clause
/* svorex.c - support vector ordinal regression with explicit constraints.
 *
 *     minimise  1/2 |w|^2 + C sum_i sum_{j = y_i - 1, y_i} max(0, 1 - s_ij (f(x_i) - b_j))
 *     subject to  b_1 <= b_2 <= ...
 *
 * A row counts at the thresholds next to its class only. */
#include "method/svm/ordinal_svm.h"

static rung_status svorex_fit(rung_ctx *ctx, pool *mem, problem *p, const void *params, const folds *f, fitted *out,
                              held_out *held)
{
    (void)f, (void)held;
    return ordinal_svm_fit(ctx, mem, p, params, SVOR_EXPLICIT, 0, NULL, out);
}

static rung_status svorex_update(rung_ctx *ctx, pool *mem, problem *p, const void *params, int64_t known,
                                 const double *state, fitted *out)
{
    return ordinal_svm_fit(ctx, mem, p, params, SVOR_EXPLICIT, known, state, out);
}

static rung_status svorex_verify(rung_ctx *ctx, const struct verification *v)
{
    return ordinal_svm_verify(ctx, v, SVOR_EXPLICIT);
}

static const rung_param svorex_rows[] = {
    KERNEL_PARAMS(ordinal_svm_params),
    LANDMARKS_PARAM(ordinal_svm_params),
    ORDINAL_SVM_PARAMS(ordinal_svm_params),
    CALIBRATE_PARAM(ordinal_svm_params, "0"),
    {0},
};

const method method_svorex = {
    .info = {.name = "svorex",
             .title = "Support vector ordinal regression, explicit constraints",
             .reference = "Chu, Keerthi. Support vector ordinal regression. Neural Computation 19(3):792-815, 2007. "
                          "doi:10.1162/neco.2007.19.3.792",
             .cost = "time about l s (d + K) for s support vectors of l labelled rows, memory l d + s^2; m landmarks: "
                     "l m (d + K) per round, and s^2 m",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_UPDATABLE,
             .params = svorex_rows},
    .params_size = sizeof(ordinal_svm_params),
    .bytes = ordinal_svm_bytes,
    .prepare = ordinal_svm_prepare,
    .fit = svorex_fit,
    .update = svorex_update,
    .state_per_threshold = true,
    .verify = svorex_verify,
};
