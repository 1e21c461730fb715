// SPDX-License-Identifier: BSD-3-Clause
/* The order-constrained discriminant solver that the whole KDLOR family shares: its members differ in the Gram matrix
 * (plain or deformed by a graph) and in the rows of the expansion. */
#ifndef RUNG_METHOD_DISCRIMINANT_H
#define RUNG_METHOD_DISCRIMINANT_H

#include "method/method.h"

typedef enum { RIDGE_KERNEL, RIDGE_IDENTITY } ridge_kind;
typedef enum { RULE_RECALIBRATED, RULE_MIDPOINT, RULE_WEIGHTED } threshold_rule;

typedef struct {
    double C, ridge;
    int ridge_kind, thresholds;
} discriminant_params;

/* The parameter rows of the family; T has a member `discriminant_params d`. */
#define DISCRIMINANT_PARAMS(T)                                                                                         \
    {.name = "C",                                                                                                      \
     .help =                                                                                                           \
         "weight of the margin between neighbouring class means; scales score and thresholds, never changes a rank",   \
     .type = RUNG_REAL,                                                                                                \
     .standard = "1",                                                                                                  \
     .published = "1",                                                                                                 \
     .low = 0,                                                                                                         \
     .high = HUGE_VAL,                                                                                                 \
     .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_NO_EFFECT,                                                               \
     PARAM_PLACE(T, d.C)},                                                                                             \
        {.name = "ridge",                                                                                              \
         .help = "how much is added to the within-class scatter",                                                      \
         .type = RUNG_REAL,                                                                                            \
         .standard = "0.01",                                                                                           \
         .published = "1e-8",                                                                                          \
         .low = 0,                                                                                                     \
         .high = HUGE_VAL,                                                                                             \
         .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_SMOOTH_UP,                                                           \
         .grid = "1,0.1,0.01,0.001,0.0001",                                                                            \
         PARAM_PLACE(T, d.ridge)},                                                                                     \
        {.name = "ridge-kind",                                                                                         \
         .help = "what is added: ridge times the kernel matrix, or times the identity",                                \
         .type = RUNG_CHOICE,                                                                                          \
         .standard = "kernel",                                                                                         \
         .published = "identity",                                                                                      \
         .choices = "kernel|identity",                                                                                 \
         PARAM_PLACE(T, d.ridge_kind)},                                                                                \
    {                                                                                                                  \
        .name = "thresholds",                                                                                          \
        .help =                                                                                                        \
            "fitted to out-of-fold scores, half way between projected class means, or weighted by the class sizes",    \
        .type = RUNG_CHOICE, .standard = "recalibrated", .published = "midpoint",                                      \
        .choices = "recalibrated|midpoint|weighted", PARAM_PLACE(T, d.thresholds)                                      \
    }

/* Labelled rows of a problem, class by class. */
typedef struct {
    int K;
    int64_t n;
    int64_t *order; /* rows sorted by class */
    int64_t *size;  /* K: rows of each class */
    double *mass;   /* K: their total weight */
} class_index;

rung_status class_index_new(rung_ctx *ctx, pool *mem, const problem *p, class_index *out);

typedef struct {
    double *c;     /* one per labelled row */
    double *alpha; /* K - 1: the weights of the order constraints */
    bool degenerate;
} discriminant_solution;

/* Ridge eps G. p: the labelled rows only; G (n x n): their kernel matrix, or the deformed one. f (training row i) = (G
 * c)_i. With folds also the held-out scores, without another factorisation. */
rung_status discriminant_kernel_ridge(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                      const discriminant_params *params, const la_mat *G, const folds *f,
                                      discriminant_solution *out, held_out *held);

/* Any other regulariser F (identity ridge, with or without a graph) through Y with Y'Y = K_T'F^-1 K_T (columns =
 * labelled rows), given as factor * Y. f = Y'Y c on the labelled rows, b = F^-1 K_T c. */
rung_status discriminant_least_squares(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                       const discriminant_params *params, const la_mat *Y, double factor,
                                       discriminant_solution *out);

/* From the scores of the labelled rows: means, thresholds, rank map, report; everything of `out` but its scorer. */
rung_status discriminant_finish(rung_ctx *ctx, pool *mem, const problem *p, const class_index *classes,
                                const discriminant_params *params, const double *score, const discriminant_solution *s,
                                fitted *out);

/* alpha (K-1) = argmin a'Qa on the simplex of sum C. Where no direction orders the means (a'Qa = 0, or the means
 * coincide and Q is rounding) the first-to-last mean direction is taken instead: all weights equal; *degenerate tells.
 */
rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, bool coincide, double *alpha,
                          bool *degenerate);

/* mean_q = weighted mean of f over class q. */
void class_means(const class_index *c, const double *w, const double *f, double *mean);

/* Thresholds between the projected means: mid-points, or the mean of both classes together (which moves towards the
 * larger class; as published for ORML). Non-decreasing even where rounding left the means out of order. */
void mean_thresholds(threshold_rule rule, int K, const double *mean, const double *mass, double *thresholds);

#endif
