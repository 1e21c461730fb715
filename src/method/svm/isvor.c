// SPDX-License-Identifier: BSD-3-Clause
/* isvor.c - support vector ordinal regression that can be updated with new rows.
 *
 * Each row counts at the one or two thresholds next to its class, as in the paper; the problem is that of svorex,
 * solved exactly, while the paper changes it (a sum of margins) to suit its update. An update starts from the previous
 * solution, whether svorim, svorex or isvor computed it; the result is that of a fit to all rows. */
#include "method/svm/ordinal_svm.h"

static const param_row isvor_rows[] = {
    KERNEL_PARAMS(ordinal_svm_params),
    LANDMARKS_PARAM(ordinal_svm_params),
    ORDINAL_SVM_PARAMS(ordinal_svm_params),
    CALIBRATE_PARAM(ordinal_svm_params, "0"),
    {0},
};

const method method_isvor = {
    .info = {.name = "isvor",
             .title = "Incremental support vector ordinal regression",
             .reference = "Gu, Sheng, Tay, Romano, Li. Incremental support vector learning for ordinal regression. "
                          "IEEE TNNLS 26(7):1403-1416, 2015. doi:10.1109/TNNLS.2014.2342533",
             .cost = "time about l s (d + K) for s support vectors of l labelled rows, memory l d + s^2; m landmarks: "
                     "l m (d + K) per round, and s^2 m",
             .flags = RUNG_NEEDS_LABELS | RUNG_NEEDS_TWO_CLASSES | RUNG_WEIGHTS | RUNG_UPDATABLE},
    .params = isvor_rows,
    .params_size = sizeof(ordinal_svm_params),
    .variant = &(const svor_hinges){SVOR_EXPLICIT},
    .bytes = ordinal_svm_bytes,
    .prepare = ordinal_svm_prepare,
    .fit = ordinal_svm_fit,
    .update = ordinal_svm_update,
    .state_per_threshold = true,
    .verify = ordinal_svm_verify,
};
