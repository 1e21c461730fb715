// SPDX-License-Identifier: BSD-3-Clause
/* Ordinal probit sites around the mode of latent values f and thresholds b, and leave-one-out predictions from
 * Laplace's approximation there: common to processes over rows (ogp_gp.h) and over features (ogp_features.h). J = K
 * - 1. */
#ifndef RUNG_METHOD_MIXTURE_ORDINAL_SITES_H
#define RUNG_METHOD_MIXTURE_ORDINAL_SITES_H

#include "data/intervals.h"
#include "data/row_groups.h"

/* Derivatives of row i's site in u = b_y - f and v = b_{y-1} - f (of an interval low..high of ranks: b_high and
 * b_{low-1}), the second ones negated; 0 at an infinite end. */
typedef struct {
    double g1, g2, h11, h22, h12;
} ordinal_site;

typedef struct {
    int64_t n;
    int K;
    const int *y, *upper; /* upper: where labels are intervals (data/intervals.h); NULL: none is */
    const double *weight; /* n: how many times a row counts; NULL: once */
} ordinal_rows;

typedef struct { /* rows, where they are, and what follows from the sites */
    ordinal_rows rows;
    const double *f, *b; /* n; J */
    ordinal_site *sites; /* n */
    double *W;           /* n: curvature in f, at least a small number */
    double *C;           /* n x J: mixed curvature in f and b */
    double *gb;          /* J: gradient in b */
    double *B;           /* J x J: curvature in b */
} ordinal_sites;

/* b0 (J): prior means of the thresholds, the class frequencies seen through a process of this variance. */
rung_status ordinal_sites_prior(rung_ctx *ctx, const ordinal_rows *rows, double variance, double *b0);
/* Fills what follows from f and b; the thresholds have the prior N(b0, 1 + variance). */
void ordinal_sites_at(const ordinal_sites *s, const double *b0, double variance);
/* The log posterior but for that of f; -inf where the thresholds are out of order. */
double ordinal_sites_log(const ordinal_rows *rows, const double *f, const double *b, const double *b0, double variance);

/* Newton's method for the mode, with steps halved until they gain enough. */
typedef struct {
    rung_status (*direction)(rung_ctx *ctx, void *state, double *decrement); /* at the present point */
    double (*step)(void *state, double t); /* the log posterior after t of it, which becomes the next point ... */
    void (*take)(void *state);             /* ... and the present one */
} ordinal_ascent;
/* objective: the log posterior at the present point. Ends at the mode with the direction computed there. RUNG_ENOCONV:
 * too many steps. */
rung_status ordinal_mode_find(rung_ctx *ctx, const ordinal_ascent *ascent, void *state, double objective);

typedef struct { /* a mode and the Gaussian around it */
    int64_t n;
    int K;
    const int *y, *upper;
    const row_groups *together; /* rows that are left out together; NULL: every row separately */
    const double *f, *b;
    const ordinal_site *sites;
    const double *V;     /* J x J: covariance of the thresholds */
    const double *var;   /* n: variance of f */
    const double *M;     /* n x J: minus its covariance with the thresholds */
    const double *extra; /* n: variance of a prediction that the mode knows nothing of; NULL: none */
    /* Where groups are mixed: the covariance of f at m rows, m x m. */
    rung_status (*covariance)(rung_ctx *ctx, const void *state, int64_t m, const int64_t *rows, double *out);
    const void *state;
} ordinal_mode;

/* ordinal_leave_out.c - loo: n x J by rows, P(y_i > q) by the other rows. RUNG_ESINGULAR: the numbers do not allow it.
 */
rung_status ordinal_mode_loo(rung_ctx *ctx, const ordinal_mode *m, double *loo);

#endif
