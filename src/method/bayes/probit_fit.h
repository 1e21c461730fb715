// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of the sparse Bayesian methods: the basis functions of a problem, and the model a sparse fit becomes. */
#ifndef RUNG_METHOD_BAYES_PROBIT_FIT_H
#define RUNG_METHOD_BAYES_PROBIT_FIT_H

#include "fit/method.h"
#include "method/bayes/sparse_bayes.h"

/* One basis function per row, k(., x_j), or with kernel=linear one per column: the feature itself. */
typedef struct {
    kernel k;
    la_map map;
    la_basis columns;
    int64_t count, limit; /* functions; their numbers are below `limit` */
    int64_t *id;          /* ascending: a row, a column, or (precomputed kernel) the data's column of a row */
} basis_functions;

rung_status basis_functions_new(rung_ctx *ctx, const problem *p, const kernel *k, basis_functions *out);

/* The scorer, the link with the posterior covariance of the weights, the decision (by the interval of the mean, or arg
 * max) and the report. m must have been fitted again after its last change. */
rung_status sparse_finish(rung_ctx *ctx, pool *mem, const problem *p, const basis_functions *basis,
                          const sparse_model *m, bool argmax, fitted *out);

/* The conditions of a finished sparse model (verify.h); settled: its precisions are also a fixed point of
 * re-estimation. */
rung_status sparse_verify(rung_ctx *ctx, const struct verification *v, bool settled);

#endif
