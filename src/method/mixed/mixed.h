// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of mixed share. The likelihood is that of mixed.c in its inner coordinates:
 *
 *     P(y_i <= q | u) = L(b_q - f_i - sum_t z_ti' u_t,g(t,i)),   f = X'w,   u_tg = Lambda_t v_tg,   v ~ N(0, I)
 *
 *     X, z      columns with mean 0 and variance 1
 *     Lambda_t  lower triangular, one row per effect of a group; its diagonal may have either sign
 *     theta     w, b, the lower triangles of Lambda_1, Lambda_2, ... by columns */
#ifndef RUNG_METHOD_MIXED_MIXED_H
#define RUNG_METHOD_MIXED_MIXED_H

#include "fit/method.h"
#include "solve/link.h"
#include "solve/minimise.h"

enum {
    MIXED_TERMS = 8,
    MIXED_EFFECTS = 8,
    EFFECT_MATRIX = MIXED_EFFECTS * MIXED_EFFECTS
}; /* random terms; effects of a group in all of them together */

typedef struct {
    int link, nodes, calibrate;
} mixed_params;

typedef struct {      /* a random term, as the rows see it */
    int q;            /* effects of a group: 1, its intercept, and its slopes */
    int64_t n_groups; /* the first n_named of them are in `level`, ascending */
    int64_t n_named;  /* the others are those of rows whose group is not known, each its own */
    int n_factors;    /* columns whose levels together name a group ... */
    int64_t *factor;  /* ... by coded column */
    int64_t *level;   /* n_factors x n_named */
    int64_t *slope;   /* q - 1: coded columns */
    int64_t *group;   /* n */
    double *z;        /* q x n; NULL: all 1 (q is 1) */
    int at;           /* of its parameters in theta */
} mixed_term;

typedef struct {
    int64_t n, p; /* rows; fixed columns that are not determined by others */
    int K;
    link_kind link;
    int nodes;         /* of the quadrature, 1: Laplace's approximation; < 0: fixed nodes, not around the modes */
    double *X;         /* p x n */
    int64_t *column;   /* p: coded columns ... */
    double *mean, *sd; /* ... d: and what they were standardised by */
    const int *y, *upper;
    const double *w;
    int n_terms;
    mixed_term term[MIXED_TERMS];
    int size; /* of theta */
} mixed_design;

static inline int mixed_first_threshold(const mixed_design *m) { return (int)m->p; }
static inline int mixed_first_variance(const mixed_design *m) { return (int)m->p + m->K - 1; }
static inline double row_weight(const mixed_design *m, int64_t i) { return m->w ? m->w[i] : 1; }
/* Where Lambda_rc (r >= c) of a term of q effects is among its parameters. */
static inline int triangle(int q, int r, int c) { return c * q - c * (c - 1) / 2 + r - c; }

/* The derivatives of the log likelihood of all rows: with respect to f_i and the thresholds above and below row i, and
 * Lambda. */
typedef struct {
    double value;
    double *f, *high, *low; /* n */
    double *lambda;         /* those of all terms */
} mixed_slopes;

/* Both keep the modes v from one call to the next, as a start. *value is -inf where there is none. */
typedef struct mixed_quadrature mixed_quadrature; /* one term with an intercept alone */
rung_status mixed_quadrature_new(rung_ctx *ctx, const mixed_design *m, mixed_quadrature **out);
rung_status mixed_quadrature_at(rung_ctx *ctx, mixed_quadrature *s, const double *f, const double *b,
                                const double *lambda, mixed_slopes *out);
/* v of each group and the variance of it given the labels. */
void mixed_quadrature_modes(const mixed_quadrature *s, double *v, double *variance);

typedef struct mixed_joint mixed_joint; /* any terms, by Laplace's approximation */
rung_status mixed_joint_new(rung_ctx *ctx, const mixed_design *m, mixed_joint **out);
rung_status mixed_joint_at(rung_ctx *ctx, mixed_joint *s, const double *f, const double *b, const double *lambda,
                           mixed_slopes *out);
/* Of the groups of a term: v (q x groups), and its covariance given the labels (q x q x groups). */
void mixed_joint_modes(const mixed_joint *s, int term, double *v, double *covariance);

/* ---- design.c ---- */

/* The rows of a problem in inner coordinates. terms: NULL: those of the coding. */
rung_status mixed_design_new(rung_ctx *ctx, const problem *p, const mixed_params *params, mixed_design *out);
/* The same without one of the terms, or (slopes) with its intercept alone. */
void mixed_design_without(const mixed_design *m, int term, bool slopes, mixed_design *out);

/* ---- maximise.c ---- */

typedef struct mixed_likelihood mixed_likelihood;
rung_status mixed_likelihood_new(rung_ctx *ctx, const mixed_design *m, mixed_likelihood **out);
/* The negative log likelihood and its gradient. */
rung_status mixed_likelihood_at(rung_ctx *ctx, mixed_likelihood *s, const double *theta, double *value,
                                double *gradient);
/* Modes and conditional covariances of a term, at the theta of the last call: as mixed_joint_modes. */
void mixed_modes(const mixed_likelihood *s, int term, double *v, double *covariance);
/* theta: where to start (NULL in *started: a standard start), then the maximum. */
rung_status mixed_maximise(rung_ctx *ctx, mixed_likelihood *s, double *theta, double *log_likelihood);
void mixed_start(const mixed_design *m, double *theta);

/* ---- mixed.c, infer.c, check.c ---- */

/* The loadings of u on v where z is not standardised: u = B v, B q x q. */
void mixed_loadings(const mixed_design *m, const mixed_term *t, const double *lambda, double *B);
/* theta of a model that was fitted to the rows. */
void mixed_theta(const mixed_design *m, const rung_model *model, double *theta);
/* The hooks of the method. */
rung_status mixed_infer(rung_ctx *ctx, const fit_input *in, rung_model *model);
rung_status mixed_verify(rung_ctx *ctx, const struct verification *v);

#endif
