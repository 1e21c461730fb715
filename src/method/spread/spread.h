// SPDX-License-Identifier: BSD-3-Clause
/* Label spreading as methods use it: memberships of all rows. */
#ifndef RUNG_METHOD_SPREAD_SPREAD_H
#define RUNG_METHOD_SPREAD_SPREAD_H

#include "fit/method.h"

typedef struct {
    double spread, width; /* width NaN: auto */
} spread_params;

/* T has a member `spread_params spread`. */
#define SPREAD_PARAMS(T)                                                                                               \
    PARAM(T, spread.spread, .name = "spread", .help = "how far labels spread over the graph, between 0 and 1",         \
          .type = RUNG_TYPE_REAL, .default_value = "0.99", .published = "0.99", .low = 0, .high = 0.999999,            \
          .flags = RUNG_PARAM_OPEN_LOW),                                                                               \
        PARAM(T, spread.width, .name = "spread-width",                                                                 \
              .help =                                                                                                  \
                  "width s of the edge weights exp(-d^2/(2 s^2)); auto: the median distance to the last neighbour",    \
              .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "1", .low = 0, .high = HUGE_VAL,           \
              .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO)

/* The graph: its edges W (NULL: all pairs) and their width. */
rung_status spread_graph(rung_ctx *ctx, problem *p, const spread_params *params, int k, const la_csr **W,
                         double *width);
/* U (n x K): memberships by a graph of k neighbours, 0 = all pairs; width: what was used. */
rung_status spread_labels(rung_ctx *ctx, problem *p, const spread_params *params, int k, double *U, double *width);
/* F - a S F for F (n x K) on this graph, W NULL: all pairs; and its tolerance per entry: a solver that stops at 1e-10
 * of |Y| (at most the square root of the number of labels) leaves at most ten times that. */
rung_status spread_system_times(rung_ctx *ctx, const problem *p, const la_csr *W, double width, double spread,
                                const double *F, double *out);
double spread_residual_limit(const problem *p);
/* Adds the conditions that make U these memberships: a residual of the linear system, and U against its solution. */
rung_status spread_verify(rung_ctx *ctx, const struct verification *v, const spread_params *params, int k,
                          const double *U);

#endif
