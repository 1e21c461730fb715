// SPDX-License-Identifier: BSD-3-Clause
/* From a response (solve/response.h) to a scorer: an expansion over all rows, or over landmarks. */
#ifndef RUNG_METHOD_RESPONSE_SCORE_H
#define RUNG_METHOD_RESPONSE_SCORE_H

#include "method/method.h"
#include "solve/response.h"

typedef struct {
    kernel k;
    int64_t landmarks; /* 0: exact */
    bool constant;     /* 1 is added to the kernel */
} response_kernel;

/* The score of the pulls c (n x outputs), whose expansion over the rows is a (n x outputs); sets n_expansion, and with
 * landmarks reports them. */
rung_status response_score(rung_ctx *ctx, pool *mem, problem *p, const response_kernel *k, const response *r,
                           int outputs, const double *c, const double *a, fitted *out);
/* Bytes of F, W F and the factor, with m landmarks (0: exact). */
double response_bytes(double n, int64_t m);

#endif
