// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of pom share: the columns that parameters name (pom_design.c), the fit (pom.c, and pom_general.c where
 * it takes more than one coefficient per column), what is inferred from it (pom_inference.c) and the tests of it
 * (pom_tests.c). */
#ifndef RUNG_METHOD_BASELINE_POM_H
#define RUNG_METHOD_BASELINE_POM_H

#include "fit/method.h"
#include "method/baseline/cumulative_link.h"
#include "method/baseline/threshold_model.h"

enum { POM_ERRORS_AUTO, POM_ERRORS_MODEL, POM_ERRORS_ROBUST };
enum { POM_RIDGE, POM_FIRTH };
enum { POM_MOST_PARAMETERS = 500 }; /* with standard errors */

typedef struct {
    int link, calibrate, errors, penalty;
    double ridge;
    const char *offset, *by_threshold, *spread; /* columns; NULL: none */
} pom_params;

typedef struct {    /* columns with another part than one coefficient to be estimated */
    int64_t offset; /* the coded column whose coefficient is 1; -1: none */
    double coef;    /* ... which is this one in scaled rows */
    bool *own;      /* columns of the table: with a coefficient at every threshold */
    bool *uneven;   /* ... that change the spread */
    bool any_own, any_uneven;
    bool general; /* more than cumulative_link fits */
} pom_design;

typedef struct { /* the coefficients that the rows determine, as a threshold model has them */
    threshold_model m;
    int64_t n_terms;
    score_term *terms;      /* all coefficients */
    int64_t *term, *wide;   /* m.d, m.spreads: which of them the columns of X and Z are */
    double *mean;           /* m.d: what was taken off the scaled columns */
    double *shift, *factor; /* m.spreads: scaled = (z - shift) factor */
} pom_columns;

typedef struct { /* what is inferred, and from what */
    const problem *p;
    const rung_model *model;
    pom_design design;
    int64_t n_terms;
    score_term *terms; /* the coefficients */
} pom_study;

/* RUNG_EARG: a parameter names no column. */
rung_status pom_design_of(rung_ctx *ctx, const problem *p, const pom_params *params, pom_design *out);
/* The part of the offset in n rows X (d x n), where its column becomes 0; NULL: there is none. */
rung_status pom_take_offset(rung_ctx *ctx, const pom_design *design, int64_t d, int64_t n, double *X, double **offset);
/* In scratch memory. Without a penalty, but for that of firth. */
rung_status pom_columns_of(rung_ctx *ctx, const problem *p, const pom_params *params, const pom_design *design,
                           pom_columns *out);

/* The centred rows, d x n, and their mean. */
rung_status pom_centred_rows(rung_ctx *ctx, const problem *p, double **mean, double **X);

/* The fit of a general design. */
rung_status pom_fit_general(rung_ctx *ctx, pool *mem, const problem *p, const pom_params *params,
                            const pom_design *design, fitted *out);
/* The parameters of such a model. */
void pom_theta_of(const pom_columns *c, const rung_model *model, double *theta);
rung_status pom_verify_general(rung_ctx *ctx, const struct verification *v, const pom_design *design);

/* The hook of the method. */
rung_status pom_infer(rung_ctx *ctx, const fit_input *in, rung_model *model);
/* Standard errors of a general design. */
rung_status pom_infer_general(rung_ctx *ctx, const pom_study *s, const pom_params *params, fit_inference *out);
/* Whether the other columns and the constant determine that of a coefficient. */
rung_status pom_is_determined(rung_ctx *ctx, const pom_study *s, int64_t term, bool *out);
/* The tests of rows that are independent; none where there is no fit without a penalty. */
rung_status pom_infer_wald(rung_ctx *ctx, const pom_study *s, rung_model *model); /* of columns, by the covariance */
rung_status pom_infer_tests(rung_ctx *ctx, const pom_study *s, const pom_params *params, rung_model *model);

#endif
