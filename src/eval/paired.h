// SPDX-License-Identifier: BSD-3-Clause
/* Whether two sets of predictions differ on the same rows. References: F. Wilcoxon, Biometrics 1 (1945); Q. McNemar,
 * Psychometrika 12 (1947); S. Holm, Scandinavian Journal of Statistics 6 (1979); R. A. Fisher, The Design of
 * Experiments, section 21 (1935), for the random signs. */
#ifndef RUNG_EVAL_PAIRED_H
#define RUNG_EVAL_PAIRED_H

#include "base/context.h"

/* See rung_wilcoxon, rung_holm and rung_compare. */
rung_status paired_wilcoxon(rung_ctx *ctx, int64_t n, const double *a, const double *b, rung_wilcoxon_test *out);
rung_status paired_holm(rung_ctx *ctx, int n, double *p);
rung_status paired_compare(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *upper, const int *a,
                           const int *b, rung_difference *out);

#endif
