// SPDX-License-Identifier: BSD-3-Clause
/* Weights for many models from their leave-one-out predictions alone: a softmax within a family, ridge-shrunk stacking
 * on the simplex between families, and an exponent that sharpens the result. A prediction is n x (K - 1) by rows:
 * P(y_i > q). */
#ifndef RUNG_METHOD_MIXTURE_STACK_H
#define RUNG_METHOD_MIXTURE_STACK_H

#include "data/intervals.h"
#include "data/row_groups.h"

typedef struct {
    int64_t n;
    int K;
    const int *y, *upper;       /* upper: where labels are intervals (data/intervals.h), whose inner thresholds do not
                                   count; NULL: none is */
    const row_groups *together; /* equal rows, which have leave-one-out predictions without all of them */
    const int *classes;         /* K: where they are on the scale of absolute errors (problem.h); NULL: 1..K */
    double *weight; /* n: 1/4 for the only row of its class, which no model without it can predict; 0 for one that was
                       never left out; else 1 */
} stack_rows;

/* weight (or NULL): of the rows, which multiply those here. */
rung_status stack_rows_new(rung_ctx *ctx, pool *mem, int K, const int *y, const int *upper, const double *weight,
                           const row_groups *together, stack_rows *out);

double stack_error(const stack_rows *rows, const double *P); /* weighted sum of the ranked probability scores */
/* The absolute error of a rank for row i. */
int stack_distance(const stack_rows *rows, int64_t i, int rank);
/* Of the posterior medians, over the rows that were left out; counts: how many times each counts, NULL: once. */
double stack_mae(const stack_rows *rows, const double *counts, const double *P);

/* w ~ exp(-strength error - 8 penalty), normalised, over the m predictions; NULL: a model that failed, weight 0. mean:
 * their weighted mean. */
void stack_family(const stack_rows *rows, double strength, int m, double *const *P, const double *penalty, double *w,
                  double *mean);

/* One of the families that are stacked. */
typedef struct {
    int n;               /* its models; 0: the mean alone */
    double *const *P;    /* their predictions, NULL: one that failed */
    double strength;     /* as in stack_family */
    const double *w;     /* their weights */
    double *mean, prior; /* the weighted mean; the prior weight of the family */
    const bool *kept;    /* n: the models that stay in the mixture; NULL: all */
    double dropped;      /* of a family without models: the share of its weight that does not stay */
} stack_part;

/* w on the simplex that minimises |sum w mean - Y|^2 (weighted rows) + sum w^2 / prior, the priors normalised first;
 * P: the mixture, sum w mean. */
rung_status stack_families(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, double *w, double *P);

/* The part of the weighted error that a row and those equal to it have. */
double stack_group_error(const stack_rows *rows, const double *P, int64_t group);

/* P: the prediction of every row by what stays of the families with these weights, sharpened: as the model combines its
 * members. */
rung_status stack_combined(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, const double *w,
                           double sharpen, double *P);

/* P: the same by the weights and the exponent that the other rows give. The weights of stack_family and stack_families
 * have seen the label of the row, which is too optimistic with few rows. */
rung_status stack_left_out(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, double *P);

/* The violation of the optimality conditions of stack_families at w, relative to its value: derivatives are equal where
 * w > 0 and not smaller where w = 0. */
rung_status stack_violation(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, const double *w,
                            double *out);

/* The exponent of cumulative_sharpen, from 1 to 2, that fits best with a penalty on the distance from 1.4; sharpens
 * P. */
rung_status stack_sharpen(rung_ctx *ctx, const stack_rows *rows, double *P, double *t);

#endif
