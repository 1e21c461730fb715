// SPDX-License-Identifier: BSD-3-Clause
/* The order-constrained discriminant solver that the whole KDLOR family shares: its members differ in the Gram matrix
 * (plain or deformed by a graph) and in the rows of the expansion. */
#ifndef RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_H
#define RUNG_METHOD_DISCRIMINANT_DISCRIMINANT_H

#include "fit/method.h"
#include "method/discriminant/dl_regulariser.h"

typedef enum { RULE_RECALIBRATED, RULE_MIDPOINT, RULE_WEIGHTED } threshold_rule;

typedef struct {
    double C, ridge;
    int ridge_kind, thresholds;
} discriminant_params;

/* The two rows about the ridge, and all the rows of the ordered family; T has a member `discriminant_params d`. */
#define RIDGE_PARAMS(T)                                                                                                \
    PARAM(T, d.ridge, .name = "ridge", .help = "amount added to the within-class scatter", .type = RUNG_TYPE_REAL,     \
          .default_value = "0.01", .published = "1e-8", .low = 0, .high = HUGE_VAL,                                    \
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "1,0.1,0.01,0.001,0.0001"),    \
        PARAM(T, d.ridge_kind, .name = "ridge-kind",                                                                   \
              .help = "matrix added: ridge times the kernel matrix, or ridge times the identity",                      \
              .type = RUNG_TYPE_CHOICE, .default_value = "kernel", .published = "identity",                            \
              .choices = "kernel|identity")

#define DISCRIMINANT_PARAMS(T)                                                                                         \
    PARAM(T, d.C, .name = "C",                                                                                         \
          .help =                                                                                                      \
              "weight of the margin between adjacent class means; scales score and thresholds, never changes a rank",  \
          .type = RUNG_TYPE_REAL, .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL,                  \
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_NO_EFFECT),                                       \
        RIDGE_PARAMS(T),                                                                                               \
        PARAM(T, d.thresholds, .name = "thresholds",                                                                   \
              .help = "fitted to out-of-fold scores, midpoints of the projected class means, or weighted by the "      \
                      "class sizes",                                                                                   \
              .type = RUNG_TYPE_CHOICE, .default_value = "recalibrated", .published = "midpoint",                      \
              .choices = "recalibrated|midpoint|weighted")

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
    problem *p; /* all rows of the expansion */
    const kernel *k;
    int64_t landmarks; /* 0, or the number of features that represent the kernel (landmark_dl.h) */
    const discriminant_params *params;
    const la_csr *L; /* a Laplacian over the rows, and its weight; NULL: none */
    double mu;
} dl_problem;

/* The order-constrained fit of the whole family. With folds (kernel ridge without a graph, or landmarks) also the
 * held-out scores, without a fit for each. */
rung_status discriminant_fit(rung_ctx *ctx, pool *mem, const dl_problem *d, const folds *f, fitted *out,
                             held_out *held);

/* The unordered counterpart (KDA): the directions that maximise b'Hb / b'Zb, H the scatter between the classes, b'Zb =
 * 1, by a K x K eigenproblem; nearest class mean. At most K - 1 components. */
rung_status discriminant_directions(rung_ctx *ctx, pool *mem, const dl_problem *d, int components, fitted *out);

/* Their conditions, for verify.h. U (n x K): classes by memberships instead of labels (ws_dl.c), or NULL. */
rung_status discriminant_verify(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                const la_csr *L, double mu, const double *U);
/* For verify.h: size_i += mu sum_j |L_ij|, by which a graph amplifies rounding of the scores. */
void verify_graph_sizes(const la_csr *L, double mu, double *size);
/* The part of them about multipliers, class means and thresholds. */
rung_status ordered_conditions(rung_ctx *ctx, const struct verification *v, const discriminant_params *params);
rung_status discriminant_directions_verify(rung_ctx *ctx, const struct verification *v,
                                           const discriminant_params *params, const la_csr *L, double mu);

/* R (K x K) with E R = (E - w 1'/s) diag(sqrt(s_q)): the scatter between the classes is K_T E R R'E'K_T'. */
void between_operator(int K, const double *mass, double *R);
/* Turns components (columns of beta, n x m) so that the class mean (m x K) of largest modulus is positive in each. */
void fix_signs(int K, int m, double *mean, int64_t n, double *beta);

typedef struct {
    const double *mass;  /* K: weight of the rows of each class */
    const double *mean;  /* K: projected */
    const double *alpha; /* K - 1: the weights of the order constraints */
    bool degenerate;     /* no direction orders the means (order_weights) */
} ordered_classes;

/* The results of an ordered fit that follow from its projected class means: thresholds, rank map, report; all of `out`
 * but its scorer. */
rung_status discriminant_results(rung_ctx *ctx, pool *mem, const problem *p, const ordered_classes *c,
                                 const discriminant_params *params, fitted *out);

/* alpha (K-1) = argmin a'Qa on the simplex of sum C. If no direction orders the means (a'Qa = 0, or a rounding error,
 * which is what it is up to `rounding`), *degenerate is set and the direction from the first to the last mean is used:
 * all weights equal. */
rung_status order_weights(rung_ctx *ctx, int K, const double *Q, double C, double rounding, double *alpha,
                          bool *degenerate);

/* mean_q = weighted mean of f over class q. */
void class_means(const class_index *c, const double *w, const double *f, double *mean);

/* Thresholds between the projected means: midpoints, or the mean of both classes together (which moves towards the
 * larger class; as published for ORML). Non-decreasing even if rounding has left the means out of order. */
void mean_thresholds(threshold_rule rule, int K, const double *mean, const double *mass, double *thresholds);

#endif
