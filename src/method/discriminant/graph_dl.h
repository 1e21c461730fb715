// SPDX-License-Identifier: BSD-3-Clause
/* Discriminant learning with a graph over labelled and unlabelled rows (S-DL, CES-DL, ES-DL, KES-DL): one fit, the
 * methods differ in the space the graph is drawn in and in the kernel. */
#ifndef RUNG_METHOD_DISCRIMINANT_GRAPH_DL_H
#define RUNG_METHOD_DISCRIMINANT_GRAPH_DL_H

#include "method/discriminant/discriminant.h"

typedef struct {
    kernel_params kernel;
    discriminant_params d;
    double mu; /* NaN: auto */
    int neighbours, graph_norm, calibrate;
    double rank;                   /* es-dl, kes-dl: share of the feature space's components */
    int align_iterations, centred; /* kes-dl */
    double without, with;          /* settled mu=auto: the cross-validated errors that decided */
} graph_dl_params;

#define NEIGHBOUR_PARAMS(T)                                                                                            \
    GRAPH_NEIGHBOURS_PARAM(T, neighbours, "5", "3,5,7"),                                                               \
        PARAM(T, graph_norm, .name = "graph-norm",                                                                     \
              .help = "graph Laplacian: degrees minus adjacency matrix, or normalised by the degrees",                 \
              .type = RUNG_TYPE_CHOICE, .default_value = "plain", .published = "plain", .choices = "plain|normalised")

#define GRAPH_PARAMS(T)                                                                                                \
    MU_PARAM(T, "; auto: chosen by cross-validation, 0 (no graph) unless it helps", RUNG_PARAM_AUTO, "0,0.01,0.1,0.5", \
             "0.5,0.25,0.1,0.01"),                                                                                     \
        NEIGHBOUR_PARAMS(T)

#define RANK_PARAM(T)                                                                                                  \
    PARAM(T, rank, .name = "rank",                                                                                     \
          .help = "share of the components of the empirical feature space in which the graph is built",                \
          .type = RUNG_TYPE_REAL, .default_value = "0.5", .published = "0.5", .low = 0, .high = 1,                     \
          .flags = RUNG_PARAM_OPEN_LOW)

/* space: where the graph is built, and the kernel of the fit; f, held: NULL for a fit without held-out rows. */
rung_status graph_dl_fit_in(rung_ctx *ctx, pool *mem, const fit_input *in, const problem_space *space, const folds *f,
                            fitted *out, held_out *held);
rung_status graph_dl_verify_in(rung_ctx *ctx, const struct verification *v, const problem_space *space);

/* The hooks of the methods that differ in the space alone (method.h), and their variant. */
typedef struct {
    space_kind space;
    bool reduced; /* to the share `rank` of its components */
} graph_dl_variant;

rung_status graph_dl_prepare(rung_ctx *ctx, const fit_input *in);
rung_status graph_dl_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out);
rung_status graph_dl_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                              held_out *held);
bool graph_dl_can_hold_out(const void *params);
rung_status graph_dl_verify(rung_ctx *ctx, const struct verification *v);
double graph_dl_bytes(const problem_shape *shape, const void *params);
double feature_dl_bytes(const problem_shape *shape, const void *params); /* with a reduced feature space */
/* mu=auto: compares with no graph by inductive cross-validation (held-out rows leave expansion and graph). */
rung_status graph_dl_settle(rung_ctx *ctx, const method *m, problem *p, void *params);

/* What the table entries of these methods have in common. */
extern const param_row graph_dl_rows[]; /* without rank */
#define GRAPH_DL_REFERENCE                                                                                             \
    "Perez-Ortiz, Gutierrez, Carbonero-Ruz, Hervas-Martinez. Semi-supervised learning for ordinal kernel "             \
    "discriminant analysis. Neural Networks 84:57-66, 2016. doi:10.1016/j.neunet.2016.08.004"
#define GRAPH_DL_COST "time 2/3 n^3, memory 2 n^2 for n rows, labelled or not"
#define GRAPH_DL_FLAGS                                                                                                 \
    (RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_WEIGHTS | RUNG_METHOD_USES_UNLABELLED)
#define GRAPH_DL_HOOKS                                                                                                 \
    .params_size = sizeof(graph_dl_params), .settle = graph_dl_settle, .prepare = graph_dl_prepare,                    \
    .fit = graph_dl_fit, .hold_out = graph_dl_hold_out, .can_hold_out = graph_dl_can_hold_out,                         \
    .verify = graph_dl_verify

#endif
