// SPDX-License-Identifier: BSD-3-Clause
/* isvor.c - support vector ordinal regression that can be updated with new rows.
 *
 * Each row counts at the one or two thresholds next to its class, as in the paper; the problem is that of svorex,
 * solved exactly, while the paper changes it (a sum of margins) to suit its update. An update starts from the previous
 * solution, whether svorim, svorex or isvor computed it; the result is that of a fit to all rows. */
#include "method/svm/ordinal_svm.h"

const method method_isvor = {
    .info = {.name = "isvor",
             .title = "Incremental support vector ordinal regression",
             .reference = "Gu, Sheng, Tay, Romano, Li. Incremental support vector learning for ordinal regression. "
                          "IEEE TNNLS 26(7):1403-1416, 2015. doi:10.1109/TNNLS.2014.2342533",
             .cost = ORDINAL_SVM_COST,
             .flags = ORDINAL_SVM_FLAGS},
    .variant = &(const svor_hinges){SVOR_EXPLICIT},
    ORDINAL_SVM_HOOKS,
};
