// SPDX-License-Identifier: BSD-3-Clause
/* llgc.c - learning with local and global consistency: labels spread over the graph of all rows (Zhou et al. 2004). On
 * a sparse neighbour graph (default) it follows manifolds; neighbours=0 is the dense graph of the paper. New rows get
 * the weighted mean of the memberships of their nearest training rows. */
#include "fit/verify.h"
#include "graph/propagate.h"
#include "method/spread/spread.h"

typedef struct {
    spread_params spread;
    int neighbours, decision, calibrate;
} llgc_params;

enum { DECIDE_ARGMAX, DECIDE_MEDIAN };

static rung_status llgc_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const llgc_params *params = in->params;
    double *U = NULL, width;
    TRY(NEW(ctx, &ctx->scratch, U, p->n * p->K));
    TRY(spread_labels(ctx, p, &params->spread, params->neighbours, U, &width));
    TRY(report_number(ctx, mem, out, "spread_width", width));
    int64_t k = params->neighbours && params->neighbours < p->n ? params->neighbours : p->n;
    return membership_fit(ctx, mem, p, U,
                          &(membership_rule){k, WEIGHTS_GAUSSIAN, width,
                                             params->decision == DECIDE_ARGMAX ? DECISION_ARGMAX : DECISION_MEDIAN},
                          out);
}

static rung_status llgc_verify(rung_ctx *ctx, const struct verification *v)
{
    const llgc_params *params = v->params;
    return spread_verify(ctx, v, &params->spread, params->neighbours, v->model->members->score.coef);
}

static double llgc_bytes(const problem_shape *shape, const void *params_)
{
    const llgc_params *params = params_;
    double n = (double)shape->n, d = (double)shape->d, K = shape->K, k = params->neighbours;
    /* the search for neighbours works on tiles of a fixed size */
    return 8 * (params->neighbours ? 1e5 + n * (3 * d + 12 * k + 10 * K) : n * n + n * (3 * d + 4 * K));
}

static const param_row llgc_rows[] = {
    SPREAD_PARAMS(llgc_params),
    PARAM(llgc_params, neighbours, .name = "neighbours",
          .help = "number of nearest rows connected with each row; 0: all pairs, as published", .type = RUNG_TYPE_INT,
          .default_value = "10", .published = "0", .low = 0, .high = 100000, .grid = "5,10,20"),
    PARAM(llgc_params, decision, .name = "decision",
          .help = "the class with the largest membership, or the median class", .type = RUNG_TYPE_CHOICE,
          .default_value = "argmax", .published = "argmax", .choices = "argmax|median"),
    CALIBRATE_PARAM(llgc_params, "auto"),
    {0},
};

const method method_llgc = {
    .info = {.name = "llgc",
             .title = "Label spreading with local and global consistency",
             .reference =
                 "Zhou, Bousquet, Lal, Weston, Schoelkopf. Learning with local and global consistency. NIPS 16, 2004",
             .cost = "time n^2 d (neighbours), memory n k; dense: time n^3/3, memory n^2",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_TRANSDUCTIVE | RUNG_METHOD_PROBABILITIES |
                      RUNG_METHOD_USES_UNLABELLED},
    .params = llgc_rows,
    .params_size = sizeof(llgc_params),
    .bytes = llgc_bytes,
    .fit = llgc_fit,
    .verify = llgc_verify,
};
