// SPDX-License-Identifier: BSD-3-Clause
/* From a response (solve/graph_response.h) to a scorer: an expansion over all rows, or over landmarks. */
#ifndef RUNG_METHOD_SVM_GRAPH_RESPONSE_SCORE_H
#define RUNG_METHOD_SVM_GRAPH_RESPONSE_SCORE_H

#include "fit/method.h"
#include "solve/graph_response.h"

typedef struct {
    kernel k;
    int64_t landmarks; /* 0: exact */
    bool constant;     /* 1 is added to the kernel */
} graph_response_kernel;

/* Computes in the problem what graph_response_for will need. */
rung_status graph_response_prepare(rung_ctx *ctx, problem *p, const graph_response_kernel *k);
/* Of the root of the kernel matrix, or of landmarks. */
rung_status graph_response_for(rung_ctx *ctx, problem *p, const graph_response_kernel *k, const penalty *W,
                               graph_response *out);
typedef struct {
    int outputs;
    const double *c; /* n x outputs: the pulls */
    const double *a; /* n x outputs: their expansion over the rows */
} graph_response_pulls;
/* The score of the pulls; sets n_expansion, and with landmarks reports them. */
rung_status graph_response_score(rung_ctx *ctx, pool *mem, const problem *p, const graph_response_kernel *k,
                                 const graph_response *r, const graph_response_pulls *by, fitted *out);
/* All of a response of l labelled rows and their block of it, with m landmarks (0: exact). */
double graph_response_bytes(const problem_shape *shape, int64_t m);

/* For verify.h: f (n x k) and a (n x k) of graph_response_apply are scores and coefficients of one expansion, f = K a,
 * 1 added to the kernel for a constant. */
rung_status graph_response_verify(rung_ctx *ctx, const struct verification *v, bool constant, int k, const double *f,
                                  const double *a);
/* Of a dual solved until no projected derivative exceeds the tolerance, with caps of this sum: the gap, relative to the
 * objective, and room for rounding. */
double gap_limit(double tolerance, double caps, double objective);

#endif
