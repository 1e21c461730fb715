// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of the ot files. */
#ifndef RUNG_METHOD_TARGET_OT_INNER_H
#define RUNG_METHOD_TARGET_OT_INNER_H

#include "method/target/ot_solve.h"

/* Kernels given by their eigenvectors: root and small of the space; the minimum. */
rung_status ot_thin_space(rung_ctx *ctx, ot_space *s);
rung_status ot_thin_solve(rung_ctx *ctx, const ot_space *s, const labelled_rows *rows, ot_target *out);

static inline double sum_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i];
    return sum;
}

static inline double square_of(int64_t n, const double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sum;
}

/* h = (lambda / (k + lambda))^2 and 1 - h without cancellation. */
static inline double left_by(double k, double lambda)
{
    double share = lambda / (k + lambda);
    return share * share;
}
static inline double taken_by(double k, double lambda) { return k / (k + lambda) * (1 + lambda / (k + lambda)); }

#endif
