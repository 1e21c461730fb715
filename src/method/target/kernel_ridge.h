// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of the methods that learn a real value by ridge regression on a (centred) kernel: krr, kpca, ot, tld. */
#ifndef RUNG_METHOD_TARGET_KERNEL_RIDGE_H
#define RUNG_METHOD_TARGET_KERNEL_RIDGE_H

#include "method/target/centred.h"

typedef enum { LAMBDA_RELATIVE, LAMBDA_ABSOLUTE } lambda_kind;

#define LAMBDA_PARAMS(T, value, published_value)                                                                       \
    PARAM(T, lambda, .name = "lambda", .help = "weight of the ridge; auto: least leave-one-out error",                 \
          .type = RUNG_TYPE_REAL, .default_value = value, .published = published_value, .low = 0, .high = HUGE_VAL,    \
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO | RUNG_PARAM_SMOOTH_UP,                      \
          .grid = "10,1,0.1,0.01,0.001"),                                                                              \
        PARAM(T, lambda_kind, .name = "lambda-kind",                                                                   \
              .help = "unit of lambda: the mean eigenvalue of the centred kernel matrix, or 1",                        \
              .type = RUNG_TYPE_CHOICE, .default_value = "relative", .published = "absolute",                          \
              .choices = "relative|absolute")

#define TARGET_THRESHOLDS_PARAM(T)                                                                                     \
    PARAM(T, thresholds, .name = "thresholds",                                                                         \
          .help = "fitted to out-of-fold scores, or midpoints of the class values", .type = RUNG_TYPE_CHOICE,          \
          .default_value = "recalibrated", .published = "midpoint", .choices = "recalibrated|midpoint")

/* lambda of the parameters as a number; RUNG_EDATA if all rows are equal, RUNG_EARG if it is far out of range. */
rung_status centred_lambda(rung_ctx *ctx, const centred_kernel *c, double lambda, int kind, double *out);

/* ---- the target values ---- */

/* At the labelled rows of a problem: the real target; two classes: -1 and 1; more: the rank. */
typedef struct {
    int64_t m, l;      /* labelled, unlabelled */
    int64_t *lab, *un; /* their rows */
    double *v;         /* m */
    double mean, sd;   /* of v, sd with 1/m */
} ridge_target;

double ridge_class_value(int K, int rank);
rung_status ridge_target_new(rung_ctx *ctx, const problem *p, ridge_target *out);
/* mean and sd of some of the values. */
void ridge_target_moments(int64_t m, const double *v, double *mean, double *sd);
/* decide and map of a fit whose score is unit times these values: none (real or no labels), always the only class, or
 * thresholds midway between the values of the classes. */
rung_status ridge_target_decision(rung_ctx *ctx, pool *mem, const problem *p, double unit, fitted *out);
/* Adds a held-out row with this score, and the rank by the thresholds and rank map of the fit. */
void ridge_target_hold_out(const fitted *fit, int64_t row, int repeat, int fold, double score, held_out *held);

/* Candidates for lambda=auto, times the mean eigenvalue, largest first. */
enum { LAMBDA_CANDIDATES = 25 };
double lambda_candidate(int i);
/* The best of them by leave-one-out error (NaN: not fitted); both are reported. */
rung_status lambda_choose(rung_ctx *ctx, pool *mem, const centred_kernel *c, const double *loo, fitted *out,
                          double *lambda);

#endif
