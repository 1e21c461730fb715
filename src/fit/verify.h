// SPDX-License-Identifier: BSD-3-Clause
/* Conditions that a correct model meets, recomputed from the data and the model alone. verify.c checks those that hold
 * for every method; the `verify` hook of a method adds its optimality conditions. */
#ifndef RUNG_FIT_VERIFY_H
#define RUNG_FIT_VERIFY_H

#include "fit/method.h"

/* The conditions found so far. */
typedef struct rung_verification {
    pool mem;
    rung_ctx *ctx;      /* while they are computed */
    rung_status status; /* of condition_add: RUNG_OK, or out of memory */
    int n;
    rung_condition *all;
} conditions;

/* Met if value <= tolerance (not if NaN). The texts must be literals. A failure stays in c->status. */
void condition_add(conditions *c, const char *name, const char *what, double value, double tolerance);

struct verification {
    const method *method;
    problem *p;         /* the rows of the fit, scaled anew from the data */
    const void *params; /* settled */
    const rung_model *model;
    int64_t landmarks; /* > 0: the kernel is represented by features of at most this number of landmarks */
    const double *f;   /* outputs of its only member for these rows: n x outputs, by rows; NULL: several members */
    conditions *found;
};

/* The fit that is verified. */
static inline fit_input verified_fit(const struct verification *v)
{
    return (fit_input){.method = v->method, .p = v->p, .params = v->params};
}

/* A number or array of the fit's report; NULL or NaN: there is none of this name. */
const double *told_list(const rung_model *m, const char *name, int64_t n);
double told_number(const rung_model *m, const char *name);

/* ---- verify_kernel.c: the kernel matrix K of the rows, by the kernel (and the landmarks) of the model ---- */

/* F (n x m) = K B for B (n x m, both column-major). */
rung_status verify_kernel_times(rung_ctx *ctx, const struct verification *v, int64_t m, const double *B, double *F);
/* k sum |B_i|, k the largest k(x_i, x_i): a bound of the entries of K B. If these are below ROUNDED times the bound,
 * the terms cancel, and residuals are measured relative to ROUNDED times the bound. */
double verify_kernel_size(const struct verification *v, const double *B);
double verify_score_size(const struct verification *v); /* the same of the scores, by the coefficients of the model */
/* A limit for sums over up to 10 000 rows; beyond that, rounding grows with the square root of their number. */
double limit_of_rows(double limit, int64_t n);
/* |w|^2 of each output of the model's scorer, f(x) = w'phi(x) + bias. */
rung_status verify_norms(rung_ctx *ctx, const struct verification *v, double *out);
#define ROUNDED 1e-6
/* max |sum of the terms| / max(sum of max |term|, ROUNDED size): a residual relative to the size of its terms. Terms
 * have n numbers. */
double relative_residual(int64_t n, int terms, const double *const *term, double size);

/* For a solution of one output without special conditions: compares the model with a second fit, to the rows in reverse
 * order unless the order matters (neighbours at the same distance, random choices). */
rung_status verify_by_refit(rung_ctx *ctx, const struct verification *v, bool reverse);

rung_status method_verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                          rung_verification **out);
void verification_free(rung_verification *v);

#endif
