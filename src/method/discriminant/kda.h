// SPDX-License-Identifier: BSD-3-Clause
/* Kernel discriminant analysis, with and without a graph. */
#ifndef RUNG_METHOD_DISCRIMINANT_KDA_H
#define RUNG_METHOD_DISCRIMINANT_KDA_H

#include "method/discriminant/discriminant.h"

typedef struct {
    kernel_params kernel;
    discriminant_params d; /* ridge and its kind */
    int components;        /* 0: as many as there are, classes - 1 */
    double mu;
    int neighbours, graph_norm, calibrate;
} kda_params;

#define KDA_PARAMS(T)                                                                                                  \
    RIDGE_PARAMS(T),                                                                                                   \
        PARAM(T, components, .name = "components",                                                                     \
              .help = "number of directions; 0: one less than the number of classes", .type = RUNG_TYPE_INT,           \
              .default_value = "0", .published = "0", .low = 0, .high = 1000),                                         \
        CALIBRATE_PARAM(T, "auto")

rung_status kda_prepare(rung_ctx *ctx, const fit_input *in);
rung_status kda_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
rung_status kda_verify(rung_ctx *ctx, const struct verification *v);

#endif
