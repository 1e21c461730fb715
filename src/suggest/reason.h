// SPDX-License-Identifier: BSD-3-Clause
/* Why a row is suggested, in words. */
#ifndef RUNG_SUGGEST_REASON_H
#define RUNG_SUGGEST_REASON_H

#include "base/context.h"

typedef struct {
    bool random;
    int64_t labels;     /* rows labelled so far */
    int64_t stands_for; /* unlabelled rows, itself included, that are more like it than like any other known one */
    double unknown;     /* 0 to 1: what the labels so far leave open at its place */
    int K;
    const char *const *classes;
    const double *proba; /* K; NULL: none */
} reason_input;

rung_status reason_text(rung_ctx *ctx, pool *mem, const reason_input *why, const char **out);

#endif
