// SPDX-License-Identifier: BSD-3-Clause
/* svorim.c - support vector ordinal regression with implicit constraints.
 *
 *     minimise  1/2 |w|^2 + C sum_i sum_j max(0, 1 - s_ij (f(x_i) - b_j)),   s_ij = +1 if y_i > j, else -1
 *
 * Every row counts at every threshold; the thresholds are in order automatically. */
#include "method/svm/ordinal_svm.h"

static const param_row svorim_rows[] = {
    KERNEL_PARAMS(ordinal_svm_params),
    LANDMARKS_PARAM(ordinal_svm_params),
    ORDINAL_SVM_PARAMS(ordinal_svm_params),
    CALIBRATE_PARAM(ordinal_svm_params, "0"),
    {0},
};

const method method_svorim = {
    .info = {.name = "svorim",
             .title = "Support vector ordinal regression, implicit constraints",
             .reference = "Chu, Keerthi. Support vector ordinal regression. Neural Computation 19(3):792-815, 2007. "
                          "doi:10.1162/neco.2007.19.3.792",
             .cost = "time about l s (d + K) for s support vectors of l labelled rows, memory l d + s^2; m landmarks: "
                     "l m (d + K) per round, and s^2 m",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_UPDATABLE},
    .params = svorim_rows,
    .params_size = sizeof(ordinal_svm_params),
    .variant = &(const svor_hinges){SVOR_IMPLICIT},
    .bytes = ordinal_svm_bytes,
    .prepare = ordinal_svm_prepare,
    .fit = ordinal_svm_fit,
    .update = ordinal_svm_update,
    .state_per_threshold = true,
    .verify = ordinal_svm_verify,
};
