// SPDX-License-Identifier: BSD-3-Clause
/* The neighbour graph of plp, lapsvm and sosvm, and the parameters of the last two about it. */
#ifndef RUNG_FIT_NEIGHBOUR_GRAPH_H
#define RUNG_FIT_NEIGHBOUR_GRAPH_H

#include "fit/method.h"

typedef enum { WEIGH_GAUSSIAN, WEIGH_BINARY, WEIGH_LINEAR } graph_weights;

typedef struct {
    int neighbours, weights; /* graph_weights */
    double width;            /* NaN: auto */
} graph_params;

/* T has a member `graph_params graph`. */
#define NEIGHBOUR_GRAPH_PARAMS(T)                                                                                      \
    GRAPH_NEIGHBOURS_PARAM(T, graph.neighbours, "6", NULL),                                                            \
        PARAM(T, graph.weights, .name = "graph",                                                                       \
              .help =                                                                                                  \
                  "edge weights: exp(-d^2/(2 s^2)), 1, or those of the convex combination of neighbours nearest to "   \
                  "the row",                                                                                           \
              .type = RUNG_TYPE_CHOICE, .default_value = "gaussian", .published = "gaussian",                          \
              .choices = "gaussian|binary|linear"),                                                                    \
        PARAM(T, graph.width, .name = "graph-width",                                                                   \
              .help = "graph=gaussian: the width s; auto: the median distance to the last neighbour",                  \
              .type = RUNG_TYPE_REAL, .default_value = "auto", .published = "1", .low = 0, .high = HUGE_VAL,           \
              .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_AUTO)

#define DERIVATIVE_PARAM(T)                                                                                            \
    PARAM(T, tolerance, .name = "tolerance", .help = "stop when no projected derivative of the dual is larger",        \
          .type = RUNG_TYPE_REAL, .default_value = "1e-8", .published = "1e-8", .low = 0, .high = 1,                   \
          .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_CHEAP)

/* A factorisation for each: fewer than where a Gram matrix is all that a width costs. */
#define GRAPH_GAMMA_GRID "0.1/d,1/d,10/d"

#define NOVEL_PARAM(T)                                                                                                 \
    PARAM(T, novel, .name = "novel",                                                                                   \
          .help = "how far labels spread: the probability that a walk continues at an unlabelled row",                 \
          .type = RUNG_TYPE_REAL, .default_value = "0.9", .published = "0.9", .low = 0, .high = 0.9999,                \
          .flags = RUNG_PARAM_OPEN_LOW)

/* k: NULL, or the kernel of the method, which matters where it is precomputed. */
rung_status neighbour_graph_prepare(rung_ctx *ctx, problem *p, const graph_params *params, const kernel *k);
/* S: the weights by rows, symmetric unless linear; width: of gaussian weights. L (NULL: not wanted): the plain
 * Laplacian of (S + S') / 2. They last as the problem or the scratch pool does. */
rung_status neighbour_graph(rung_ctx *ctx, problem *p, const graph_params *params, const kernel *k, const la_csr **S,
                            const la_csr **L, double *width);
double neighbour_graph_bytes(const problem_shape *shape, const graph_params *params);

#endif
