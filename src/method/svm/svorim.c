// SPDX-License-Identifier: BSD-3-Clause
/* svorim.c - support vector ordinal regression with implicit constraints.
 *
 *     minimise  1/2 |w|^2 + C sum_i sum_j max(0, 1 - s_ij (f(x_i) - b_j)),   s_ij = +1 if y_i > j, else -1
 *
 * Every row counts at every threshold; the thresholds are in order automatically. */
#include "method/svm/ordinal_svm.h"

const method method_svorim = {
    .info = {.name = "svorim",
             .title = "Support vector ordinal regression, implicit constraints",
             .reference = "Chu, Keerthi. Support vector ordinal regression. Neural Computation 19(3):792-815, 2007. "
                          "doi:10.1162/neco.2007.19.3.792",
             .cost = ORDINAL_SVM_COST,
             .flags = ORDINAL_SVM_FLAGS},
    .variant = &(const svor_hinges){SVOR_IMPLICIT},
    ORDINAL_SVM_HOOKS,
};
