// SPDX-License-Identifier: BSD-3-Clause
/* ordinal_svm_verify.c - a certificate of the optimum: the primal objective of the model, and the dual objective of
 * feasible multipliers. However the multipliers were found (here by solving again), the minimum lies between the two.
 * Feasible: 0 <= s_ij pull_ij <= C_i, the pulls at each threshold sum to 0 or, with the order of the thresholds
 * demanded, their running sums are <= 0 and end in 0. */
#include <string.h>

#include "fit/verify.h"
#include "method/svm/ordinal_svm.h"

static double losses(const hinge_rows *h, const double *f, const double *b)
{
    double sum = 0;
    int from, to;
    for (int64_t i = 0; i < h->n; i++) {
        hinge_range(h, i, &from, &to);
        for (int j = from; j <= to; j++) sum += h->cap[i] * fmax(0, 1 - hinge_side(h, i, j) * (f[i] - b[j]));
    }
    return sum;
}

/* w'K w over the rows with a nonzero coefficient, which may be few. */
static rung_status kernel_square(rung_ctx *ctx, const problem *p, const kernel *k, const double *w, double *out)
{
    double *X = NULL, *some = NULL, *Kw = NULL;
    int64_t m = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, some, p->n));
    TRY(NEW(ctx, &ctx->scratch, Kw, p->n));
    for (int64_t i = 0; i < p->n; i++) {
        if (w[i] == 0) continue;
        memcpy(X + m * p->d, p->X + i * p->d, (size_t)p->d * sizeof *X);
        some[m++] = w[i];
    }
    if (m > 0) TRY(kernel_expand(ctx, k, &(point_set){p->d, m, X}, &(point_set){p->d, m, X}, 1, some, Kw));
    for (int64_t i = 0; i < m; i++) *out += some[i] * Kw[i];
    return RUNG_OK;
}

/* w'K w. */
static rung_status quadratic(rung_ctx *ctx, const struct verification *v, const double *w, double *out)
{
    const ordinal_svm_params *params = v->params;
    problem *p = v->p;
    kernel k;
    const landmarks *l;
    double *Kw = NULL, *u = NULL;
    *out = 0;
    TRY(kernel_from_params(ctx, &ctx->scratch, &params->kernel, &k));
    k = problem_kernel(p, &k);
    if (params->kernel.landmarks > 0) {
        TRY(problem_landmarks(ctx, p, &k, params->kernel.landmarks, &l));
        TRY(NEW_RAW(ctx, &ctx->scratch, u, l->m));
        TRY(landmarks_pull(ctx, l, p->n, p->X, 1, w, u));
        for (int64_t j = 0; j < l->m; j++) *out += u[j] * u[j];
        return RUNG_OK;
    }
    if (k.kind != KERNEL_PRECOMPUTED) return kernel_square(ctx, p, &k, w, out);
    TRY(NEW(ctx, &ctx->scratch, Kw, p->n));
    TRY(verify_kernel_times(ctx, v, 1, w, Kw));
    for (int64_t i = 0; i < p->n; i++) *out += w[i] * Kw[i];
    return RUNG_OK;
}

/* The dual objective, and the infeasibility of the dual variables relative to the largest C_i. */
static rung_status dual(rung_ctx *ctx, const struct verification *v, const hinge_rows *h, const double *pull,
                        double *value, double *infeasible)
{
    int J = h->K - 1;
    double *total = NULL, *w = NULL, square, most = 0, running = 0, off = 0;
    TRY(NEW(ctx, &ctx->scratch, total, J));
    TRY(NEW(ctx, &ctx->scratch, w, h->n));
    *value = 0;
    for (int64_t i = 0; i < h->n; i++) {
        int from, to;
        hinge_range(h, i, &from, &to);
        most = fmax(most, h->cap[i]);
        for (int j = 0; j < J; j++) {
            double a = hinge_side(h, i, j) * pull[i * J + j], high = j < from || j > to ? 0 : h->cap[i];
            off = fmax(off, fmax(-a, a - high));
            total[j] += pull[i * J + j];
            w[i] += pull[i * J + j];
            *value += a;
        }
    }
    TRY(quadratic(ctx, v, w, &square));
    *value -= square / 2;
    for (int j = 0; j < J; j++) {
        running += total[j];
        off = fmax(off, h->hinges == SVOR_IMPLICIT ? fabs(total[j]) : running);
    }
    *infeasible = fmax(off, fabs(running)) / most;
    return RUNG_OK;
}

rung_status ordinal_svm_verify(rung_ctx *ctx, const struct verification *v)
{
    svor_hinges hinges = *(const svor_hinges *)v->method->variant;
    const ordinal_svm_params *params = v->params;
    problem *p = v->p;
    fit_input in = verified_fit(v);
    fitted fit = {0};
    double *cap = NULL, norm, lower, infeasible;
    if (params->diagonal > 0) /* a score is not all of the kernel matrix then */
        return verify_by_refit(ctx, v, params->kernel.landmarks == 0);
    TRY(ordinal_svm_fit(ctx, &ctx->scratch, &in, &fit));
    TRY(NEW(ctx, &ctx->scratch, cap, p->n));
    for (int64_t i = 0; i < p->n; i++) cap[i] = params->C * (p->w ? p->w[i] : 1);
    hinge_rows h = {.n = p->n, .K = p->K, .y = p->y, .cap = cap, .hinges = hinges};
    TRY(verify_norms(ctx, v, &norm));
    TRY(dual(ctx, v, &h, fit.state, &lower, &infeasible));
    double primal = norm / 2 + losses(&h, v->f, v->model->members->decide.thresholds),
           told = told_number(v->model, "objective");
    condition_add(v->found, "multipliers", "infeasibility of the multipliers, relative to C", infeasible, 1e-9);
    condition_add(v->found, "duality gap", "objective of the model minus that of the multipliers, relative",
                  (primal - lower) / primal, params->tolerance);
    condition_add(v->found, "objective", "reported value against that of the model, relative", fabs(told / primal - 1),
                  params->tolerance);
    return RUNG_OK;
}
