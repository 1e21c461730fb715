// SPDX-License-Identifier: BSD-3-Clause
/* ordinal_svm.c - from the solution of a support vector problem to a fit: an expansion over the rows with a
 * coefficient, and thresholds in order. The dual variables of the hinges are stored as the state of the fit: with zeros
 * for new rows they are feasible for the larger problem, and nearly optimal. */
#include "method/svm/ordinal_svm.h"

#include <string.h>

/* The rank scale through the mean score of each class; the added diagonal is not part of a score. */
static rung_status class_scale(rung_ctx *ctx, pool *mem, const problem *p, double diagonal, const svor_solution *s,
                               fitted *out)
{
    double *mean = NULL, *mass = NULL;
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, mass, p->K));
    for (int64_t i = 0; i < p->n; i++) {
        double w = p->w ? p->w[i] : 1;
        mean[p->y[i] - 1] += w * (s->f[i] - svor_diagonal(p, diagonal, i) * s->v[i]);
        mass[p->y[i] - 1] += w;
    }
    for (int q = 0; q < p->K; q++) mean[q] /= mass[q];
    return mean_rank_map(ctx, mem, p, mean, &out->own.score, &out->own.map);
}

static rung_status copy_reals(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "a copy", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

/* sum_i v_i k(x, x_i). */
static rung_status set_score(rung_ctx *ctx, pool *mem, const svor_problem *q, const double *v, fitted *out)
{
    const problem *p = q->p;
    double *w = NULL;
    if (!q->l) {
        for (int64_t i = 0; i < p->n; i++) out->n_expansion += v[i] != 0;
        return expansion_scorer(ctx, mem, p, &q->k, v, &out->own.score);
    }
    TRY(NEW_RAW(ctx, &ctx->scratch, w, q->l->m));
    TRY(landmarks_pull(ctx, q->l, p->n, p->X, 1, v, w));
    return landmark_results(ctx, mem, q->l, 1, w, out);
}

rung_status ordinal_svm_update(rung_ctx *ctx, pool *mem, const fit_input *in, int64_t known, const double *state,
                               fitted *out)
{
    problem *p = in->p;
    const ordinal_svm_params *params = in->params;
    svor_problem q = {.p = p,
                      .hinges = *(const svor_hinges *)in->method->variant,
                      .C = params->C,
                      .diagonal = params->diagonal,
                      .tolerance = params->tolerance};
    svor_solution s;
    double *pulls = NULL;
    int J = p->K - 1;
    TRY(kernel_from_params(ctx, mem, &params->kernel, &q.k));
    q.k = problem_kernel(p, &q.k);
    if (params->kernel.landmarks > 0) TRY(problem_landmarks(ctx, p, &q.k, params->kernel.landmarks, &q.l));
    if (state) {
        TRY(NEW(ctx, &ctx->scratch, pulls, p->n * J));
        memcpy(pulls, state, (size_t)(known * J) * sizeof *pulls);
        q.start = pulls;
    }
    TRY(svor_solve(ctx, &ctx->scratch, &q, &s));
    TRY(set_score(ctx, mem, &q, s.v, out));
    out->own.decide = (decision){.kind = DECISION_THRESHOLDS, .K = p->K, .tie_up = true};
    TRY(copy_reals(ctx, mem, J, s.b, &out->own.decide.thresholds));
    out->state_width = J;
    TRY(copy_reals(ctx, mem, p->n * J, s.pull, &out->state));
    TRY(class_scale(ctx, mem, p, params->diagonal, &s, out));
    TRY(report_number(ctx, mem, out, "objective", s.primal));
    return report_number(ctx, mem, out, "gap", s.gap / s.primal);
}

rung_status ordinal_svm_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    return ordinal_svm_update(ctx, mem, in, 0, NULL, out);
}

rung_status ordinal_svm_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem *p = in->p;
    const ordinal_svm_params *params = in->params;
    kernel k;
    TRY(kernel_from_params(ctx, p->mem, &params->kernel, &k));
    k = problem_kernel(p, &k);
    if (params->kernel.landmarks == 0 && !svor_takes_gram(p, &k)) return RUNG_OK;
    return kernel_prepare(ctx, p, &params->kernel, &k);
}

double ordinal_svm_bytes(const problem_shape *shape, const void *params_)
{
    const ordinal_svm_params *params = params_;
    return svor_bytes(shape->labelled, shape->d, shape->K, params->kernel.kind == KERNEL_PRECOMPUTED,
                      params->kernel.landmarks);
}

const param_row ordinal_svm_rows[] = {
    KERNEL_PARAMS(ordinal_svm_params),
    LANDMARKS_PARAM(ordinal_svm_params),
    ORDINAL_SVM_PARAMS(ordinal_svm_params),
    CALIBRATE_PARAM(ordinal_svm_params, "auto"),
    {0},
};
