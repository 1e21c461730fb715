// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_METHOD_SVM_SVOR_THRESHOLDS_H
#define RUNG_METHOD_SVM_SVOR_THRESHOLDS_H

#include "base/context.h"

typedef enum {
    SVOR_IMPLICIT, /* a row counts at every threshold */
    SVOR_EXPLICIT  /* at the one or two next to its class; the order of the thresholds is a constraint */
} svor_hinges;

typedef struct { /* the hinges of n rows at K - 1 thresholds */
    int64_t n;
    int K;
    const int *y;
    const double *cap; /* n: C_i */
    svor_hinges hinges;
} hinge_rows;

/* Row i counts at thresholds from .. to (from 0, both included). */
static inline void hinge_range(const hinge_rows *h, int64_t i, int *from, int *to)
{
    int y = h->y[i], last = h->K - 2;
    bool adjacent = h->hinges == SVOR_EXPLICIT;
    *from = adjacent && y > 1 ? y - 2 : 0;
    *to = adjacent && y - 1 < last ? y - 1 : last;
}
static inline double hinge_side(const hinge_rows *h, int64_t i, int threshold)
{
    return h->y[i] > threshold + 1 ? 1 : -1;
}

/* The thresholds (K - 1, in order) that minimise the hinge losses of the scores f: the middle of an interval each. */
rung_status best_thresholds(rung_ctx *ctx, const hinge_rows *h, const double *f, double *b);

#endif
