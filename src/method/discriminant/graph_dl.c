// SPDX-License-Identifier: BSD-3-Clause
/* graph_dl.c - S-DL and its relatives.
 *
 *     Z = N + mu K L K + R:  N the within-class scatter of the labelled rows,
 *                            L the Laplacian of the neighbour graph over all rows
 *
 * Perez-Ortiz et al. 2016, eq. 13-21, in the consistent form Q = D'Z^-1 D (the dual of eq. 13; eq. 17-18 as printed do
 * not order the class means). Class means come from the labelled rows, the expansion is over all rows. */
#include "method/discriminant/graph_dl.h"

#include <math.h>
#include <stdlib.h>

#include "fit/heldout.h"
#include "fit/verify.h"
#include "method/discriminant/identity_dl.h"
#include "method/discriminant/landmark_dl.h"

static problem_graph graph_of(const graph_dl_params *params, const problem_space *space)
{
    return (problem_graph){.space = *space, .neighbours = params->neighbours, .rule = GRAPH_OR, .weight = EDGE_BINARY};
}

rung_status graph_dl_fit_in(rung_ctx *ctx, pool *mem, const fit_input *in, const problem_space *space, const folds *f,
                            fitted *out, held_out *held)
{
    const graph_dl_params *params = in->params;
    const la_csr *L = NULL;
    problem_graph g = graph_of(params, space);
    if (params->mu > 0) TRY(problem_laplacian(ctx, in->p, &g, (laplacian_norm)params->graph_norm, &L));
    dl_problem d = {.p = in->p,
                    .k = &space->k,
                    .landmarks = params->kernel.landmarks,
                    .params = &params->d,
                    .L = L,
                    .mu = params->mu};
    TRY(discriminant_fit(ctx, mem, &d, f, out, held));
    TRY(report_number(ctx, mem, out, "mu", params->mu));
    if (params->without > 0 || params->with > 0) {
        TRY(report_number(ctx, mem, out, "cv_mae_without_graph", params->without));
        TRY(report_number(ctx, mem, out, "cv_mae_with_graph", params->with));
    }
    return RUNG_OK;
}

static rung_status space_of(rung_ctx *ctx, pool *mem, const fit_input *in, problem_space *out)
{
    const graph_dl_params *params = in->params;
    const graph_dl_variant *variant = in->method->variant;
    *out = (problem_space){
        .kind = variant->space, .rank = variant->reduced ? params->rank : 1, .landmarks = params->kernel.landmarks};
    TRY(kernel_from_params(ctx, mem, &params->kernel, &out->k));
    out->k = problem_kernel(in->p, &out->k);
    return RUNG_OK;
}

rung_status graph_dl_hold_out(rung_ctx *ctx, pool *mem, const fit_input *in, const folds *f, fitted *out,
                              held_out *held)
{
    problem_space space;
    TRY(space_of(ctx, mem, in, &space));
    return graph_dl_fit_in(ctx, mem, in, &space, f, out, held);
}

rung_status graph_dl_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return graph_dl_hold_out(ctx, mem, in, NULL, out, NULL);
}

rung_status graph_dl_prepare(rung_ctx *ctx, const fit_input *in)
{
    const graph_dl_params *params = in->params;
    problem_space space;
    const la_mat *K;
    const landmarks *l;
    const la_csr *L;
    TRY(space_of(ctx, in->p->mem, in, &space));
    if (params->kernel.landmarks > 0)
        TRY(problem_landmarks(ctx, in->p, &space.k, params->kernel.landmarks, &l));
    else
        TRY(problem_gram(ctx, in->p, &space.k, &K));
    if (params->mu == 0) return RUNG_OK;
    problem_graph g = graph_of(params, &space);
    return problem_laplacian(ctx, in->p, &g, (laplacian_norm)params->graph_norm, &L);
}

rung_status graph_dl_verify_in(rung_ctx *ctx, const struct verification *v, const problem_space *space)
{
    const graph_dl_params *params = v->params;
    const la_csr *L = NULL;
    problem_graph g = graph_of(params, space);
    if (params->mu > 0) TRY(problem_laplacian(ctx, v->p, &g, (laplacian_norm)params->graph_norm, &L));
    return discriminant_verify(ctx, v, &params->d, L, params->mu, NULL);
}

rung_status graph_dl_verify(rung_ctx *ctx, const struct verification *v)
{
    problem_space space;
    fit_input in = verified_fit(v);
    TRY(space_of(ctx, &ctx->scratch, &in, &space));
    return graph_dl_verify_in(ctx, v, &space);
}

/* Without a graph a fold concerns only the labelled rows, and block deletion suffices; with landmarks rows are
 * subtracted from sums. */
bool graph_dl_can_hold_out(const void *params_)
{
    const graph_dl_params *params = params_;
    return params->d.ridge_kind == RIDGE_KERNEL && (params->mu == 0 || params->kernel.landmarks > 0);
}

/* Over all rows the Gram matrix, then the LU factors and their right-hand sides, then what the solver needs over the
 * labelled ones; or what identity_dl.c needs. */
double graph_dl_bytes(const problem_shape *shape, const void *params_)
{
    const graph_dl_params *params = params_;
    double n = (double)shape->n, l = (double)shape->labelled, d = (double)shape->d, first = 0, then;
    if (params->kernel.landmarks > 0)
        return landmark_dl_bytes(shape, params->kernel.landmarks, params->mu == 0 ? 0 : shape->n, params->neighbours);
    bool graph = !(params->mu == 0);
    double search = graph ? graph_bytes(n, d, params->neighbours, shape->threads) : 0,
           edges = 4.0 * n * params->neighbours;
    double most = 8 * (n * n + 3 * n * d + edges + n * (4.0 * shape->K + 80)) + search;
    if (params->d.ridge_kind == RIDGE_IDENTITY) return fmax(most, 8 * edges + identity_dl_bytes(shape, n, graph));
    first = graph ? n * n + n * l : 0;
    then = graph ? 2 * n * l + l * l : 2 * l * l + (params->calibrate > 0 && l <= 2000 ? l * l : 0);
    return fmax(most, most - search + 8 * fmax(first, then));
}

/* The eigenvectors of the Gram matrix and LAPACK's work space. */
double feature_dl_bytes(const problem_shape *shape, const void *params)
{
    if (((const graph_dl_params *)params)->kernel.landmarks > 0) return graph_dl_bytes(shape, params);
    double n = (double)shape->n, squares = shape->memory > 0 ? 4.9 : 4.7, /* as for folds: fit/spec.c */
        eigen = 8 * (squares * n * n + 3 * n * (double)shape->d), rest = graph_dl_bytes(shape, params);
    return eigen > rest ? eigen : rest;
}

/* ---- mu=auto ---- */

/* The cross-validated error of one mu, graded as a search does. */
static rung_status grade(rung_ctx *ctx, const method *m, problem *p, const graph_dl_params *params, const folds *f,
                         double *mae, double *criterion)
{
    pool_mark mark = pool_here(&ctx->scratch);
    held_out held = {0};
    calibration cal = {.K = p->K};
    double off = 0;
    *mae = 0;
    if (method_can_hold_out(m, params)) {
        fitted fit = {0};
        problem view = problem_view(p, &ctx->scratch);
        fit_input in = {.method = m, .p = &view, .params = params};
        TRY(m->hold_out(ctx, &ctx->scratch, &in, f, &fit, &held));
    } else {
        TRY(held_out_by_refits(ctx, &ctx->scratch, m, 1, (const void *[]){params}, p, f, &held));
    }
    TRY(NEW(ctx, &ctx->scratch, cal.c, p->K));
    TRY(held_out_thresholds(ctx, p, &held, f, &cal));
    for (int64_t i = 0; i < held.n; i++) {
        int y = p->y[held.row[i]];
        int differ = abs(problem_class(p, calibrate_rank(&cal, held.score[i])) - problem_class(p, y));
        *mae += differ / (double)held.n;
        off += fabs(fmin(fmax(held.score[i], 1), p->K) - y) / (double)held.n;
    }
    *criterion = *mae + 1e-3 * off;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status graph_dl_settle(rung_ctx *ctx, const method *m, problem *p, void *params_)
{
    static const double candidates[] = {0, 0.01, 0.1, 0.5};
    graph_dl_params *params = params_;
    if (!isnan(params->mu)) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    ranked_rows ranked = problem_ranks(p);
    folds f;
    double least = INFINITY;
    graph_dl_params trial = *params;
    TRY(folds_stratified(ctx, &ctx->scratch, &ranked, 5, default_repeats(count_labelled(&ranked)), &f));
    params->mu = 0;
    if (f.count == 0)
        log_at(ctx, RUNG_LOG_WARNING, "mu=auto: no class has two labelled rows for a comparison; no graph is used");
    for (int i = 0; i < 4 && f.count > 0; i++) {
        double mae, criterion;
        trial.mu = candidates[i];
        TRY(grade(ctx, m, p, &trial, &f, &mae, &criterion));
        if (i == 0) params->without = mae;
        if (i == 0 || criterion < least - 1e-12) {
            least = criterion;
            params->mu = trial.mu;
            params->with = mae;
        }
        progress(ctx, "choosing mu", (i + 1) / 4.0);
    }
    if (f.count > 0 && params->mu > 0)
        log_at(ctx, RUNG_LOG_INFO,
               "mu=auto: the unlabelled rows help: error %.3f with the graph (mu = %g), %.3f without", params->with,
               params->mu, params->without);
    if (f.count > 0 && params->mu == 0)
        log_at(ctx, RUNG_LOG_INFO,
               "mu=auto: the graph over the unlabelled rows does not help (error %.3f without it) and is not used",
               params->without);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

const param_row graph_dl_rows[] = {
    KERNEL_PARAMS(graph_dl_params), LANDMARKS_PARAM(graph_dl_params),      DISCRIMINANT_PARAMS(graph_dl_params),
    GRAPH_PARAMS(graph_dl_params),  CALIBRATE_PARAM(graph_dl_params, "5"), {0},
};
