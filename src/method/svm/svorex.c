// SPDX-License-Identifier: BSD-3-Clause
/* svorex.c - support vector ordinal regression with explicit constraints.
 *
 *     minimise  1/2 |w|^2 + C sum_i sum_{j = y_i - 1, y_i} max(0, 1 - s_ij (f(x_i) - b_j))
 *     subject to  b_1 <= b_2 <= ...
 *
 * A row counts at the thresholds next to its class only. */
#include "method/svm/ordinal_svm.h"

const method method_svorex = {
    .info = {.name = "svorex",
             .title = "Support vector ordinal regression, explicit constraints",
             .reference = "Chu, Keerthi. Support vector ordinal regression. Neural Computation 19(3):792-815, 2007. "
                          "doi:10.1162/neco.2007.19.3.792",
             .cost = ORDINAL_SVM_COST,
             .flags = ORDINAL_SVM_FLAGS},
    .variant = &(const svor_hinges){SVOR_EXPLICIT},
    ORDINAL_SVM_HOOKS,
};
