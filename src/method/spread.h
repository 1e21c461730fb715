// SPDX-License-Identifier: BSD-3-Clause
/* Label spreading as methods use it: memberships of all rows. */
#ifndef RUNG_METHOD_SPREAD_H
#define RUNG_METHOD_SPREAD_H

#include "method/method.h"

typedef struct {
    double spread, width; /* width NaN: auto */
} spread_params;

/* T has a member `spread_params spread`. */
#define SPREAD_PARAMS(T)                                                                                               \
    {.name = "spread",                                                                                                 \
     .help = "how far labels travel over the graph, between 0 and 1",                                                  \
     .type = RUNG_REAL,                                                                                                \
     .standard = "0.99",                                                                                               \
     .published = "0.99",                                                                                              \
     .low = 0,                                                                                                         \
     .high = 0.999999,                                                                                                 \
     .flags = RUNG_OPEN_LOW,                                                                                           \
     PARAM_PLACE(T, spread.spread)},                                                                                   \
    {                                                                                                                  \
        .name = "spread-width",                                                                                        \
        .help = "width s of the graph's weights exp(-d^2/(2 s^2)); auto: the median distance to the last neighbour",   \
        .type = RUNG_REAL, .standard = "auto", .published = "1", .low = 0, .high = HUGE_VAL,                           \
        .flags = RUNG_OPEN_LOW | RUNG_LOG | RUNG_AUTO, PARAM_PLACE(T, spread.width)                                    \
    }

/* U (n x K): memberships by a graph of k neighbours, 0 = all pairs; width: what was used. */
rung_status spread_labels(rung_ctx *ctx, problem *p, const spread_params *params, int k, double *U, double *width);

#endif
