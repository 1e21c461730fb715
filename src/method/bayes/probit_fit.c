// SPDX-License-Identifier: BSD-3-Clause
#include "method/bayes/probit_fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/verify.h"
#include "solve/ordinal_probit.h"

/* ---- basis functions ---- */

rung_status basis_functions_new(rung_ctx *ctx, const problem *p, const kernel *k, basis_functions *out)
{
    bool features = k->kind == KERNEL_LINEAR || k->kind == KERNEL_PRECOMPUTED;
    double *origin = NULL, *norm = NULL;
    la_mat *X = NULL;
    *out = (basis_functions){.k = *k, .map = kernel_map(k), .count = p->n, .limit = p->n};
    if (!features) TRY(problem_kernel_finite(ctx, p, k));
    if (features) out->limit = p->d;
    if (k->kind == KERNEL_LINEAR) out->count = p->d;
    TRY(NEW(ctx, &ctx->scratch, out->id, out->count));
    for (int64_t j = 0; j < out->count; j++) out->id[j] = k->kind == KERNEL_PRECOMPUTED ? p->origin[j] : j;
    TRY(kernel_origin(ctx, p->d, p->n, p->X, &origin));
    TRY(kernel_place(ctx, k, p->d, p->n, p->X, origin, &X));
    out->columns = (la_basis){.X = X};
    if (features) return RUNG_OK;
    TRY(la_basis_norms(ctx, &ctx->scratch, X, &norm));
    out->columns.map = &out->map;
    out->columns.norm = norm;
    return RUNG_OK;
}

/* ---- the model ---- */

static rung_status sparse_scorer(rung_ctx *ctx, pool *mem, const problem *p, const basis_functions *basis,
                                 const sparse_model *m, scorer *out)
{
    int64_t d = p->d, M = m->M;
    bool linear = basis->k.kind == KERNEL_LINEAR;
    *out = (scorer){
        .kind = linear ? SCORER_LINEAR : SCORER_KERNEL, .outputs = 1, .k = basis->k, .m = linear ? d : M, .d = d};
    TRY(NEW(ctx, mem, out->bias, 1));
    TRY(NEW(ctx, mem, out->coef, out->m));
    for (int64_t j = 0; j < M; j++) out->coef[linear ? m->used[j] : j] = m->w[j];
    if (linear) return RUNG_OK;
    if (basis->k.kind == KERNEL_PRECOMPUTED) {
        TRY(NEW(ctx, mem, out->index, M));
        memcpy(out->index, m->used, (size_t)M * sizeof *out->index);
        return RUNG_OK;
    }
    TRY(NEW(ctx, mem, out->rows, M * d));
    for (int64_t j = 0; j < M; j++) memcpy(out->rows + j * d, p->X + m->used[j] * d, (size_t)d * sizeof *out->rows);
    return RUNG_OK;
}

/* The posterior covariance of the weights is Sigma = (L L')^-1, so g'Sigma g = |L^-1 g|^2. */
static rung_status sparse_link(rung_ctx *ctx, pool *mem, const basis_functions *basis, const sparse_model *m,
                               const scorer *score, probit_link *out)
{
    int64_t M = m->M;
    int K = m->rows.K;
    la_mat *L = NULL, *F = NULL;
    double *inverse = NULL;
    *out = (probit_link){.kind = LINK_PROBIT, .rank = M, .noise = 1};
    TRY(NEW(ctx, mem, out->b, K - 1));
    TRY(NEW(ctx, mem, out->factor, M * score->m));
    pool_mark mark = pool_here(&ctx->scratch); /* not earlier: mem may be this pool */
    memcpy(out->b, m->b, (size_t)(K - 1) * sizeof *out->b);
    if (M == 0) return RUNG_OK;
    TRY(la_new(ctx, &ctx->scratch, M, M, &L));
    TRY(la_new(ctx, &ctx->scratch, M, M, &F));
    TRY(NEW(ctx, &ctx->scratch, inverse, M * M));
    la_put(m->factor, L);
    la_put(inverse, F);
    la_add_diagonal(F, 1, NULL);
    TRY(la_trsm(ctx, L, false, F));
    la_get(F, inverse);
    for (int64_t j = 0; j < M; j++) {
        int64_t term = basis->k.kind == KERNEL_LINEAR ? m->used[j] : j;
        for (int64_t r = j; r < M; r++) out->factor[term + r * score->m] = inverse[r + j * M];
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status sparse_finish(rung_ctx *ctx, pool *mem, const problem *p, const basis_functions *basis,
                          const sparse_model *m, bool argmax, fitted *out)
{
    TRY(sparse_scorer(ctx, mem, p, basis, m, &out->own.score));
    TRY(sparse_link(ctx, mem, basis, m, &out->own.score, &out->own.link));
    out->own.proba = PROBA_PROBIT;
    out->n_expansion = m->M;
    out->own.decide = (decision){.kind = argmax ? DECISION_ARGMAX : DECISION_THRESHOLDS, .K = p->K};
    if (!argmax) {
        TRY(NEW(ctx, mem, out->own.decide.thresholds, p->K - 1));
        memcpy(out->own.decide.thresholds, m->b, (size_t)(p->K - 1) * sizeof *m->b);
    }
    return report_number(ctx, mem, out, "log_evidence", m->log_evidence);
}

/* ---- its conditions ---- */

/* At the scores of the model: delta (n), d log p / d f; H (n), -d^2 log p / d f^2; gradient (K - 1), d log p / d b,
 * summed over the rows. */
static void likelihood_slopes(const struct verification *v, double *delta, double *H, double *gradient)
{
    const probit_link *link = &v->model->members->link;
    const problem *p = v->p;
    for (int64_t i = 0; i < p->n; i++) {
        ordinal_probit at = ordinal_probit_at(v->f[i], p->y[i], p->y[i], p->K, link->b, link->noise);
        delta[i] = at.delta;
        H[i] = at.H;
        if (p->y[i] < p->K) gradient[p->y[i] - 1] += at.e1 / link->noise;
        if (p->y[i] > 1) gradient[p->y[i] - 2] -= at.e2 / link->noise;
    }
}

/* Phi (n x m, column-major): the functions of the model at the rows. */
static rung_status functions_at_rows(rung_ctx *ctx, const struct verification *v, double **out)
{
    const problem *p = v->p;
    const scorer *s = &v->model->members->score;
    double *unit = NULL, *Phi = NULL;
    TRY(NEW(ctx, &ctx->scratch, Phi, p->n * s->m));
    TRY(NEW(ctx, &ctx->scratch, unit, s->m * s->m));
    for (int64_t j = 0; j < s->m; j++) unit[j + j * s->m] = 1;
    if (s->rows)
        TRY(kernel_expand(ctx, &s->k, &(point_set){p->d, p->n, p->X}, &(point_set){p->d, s->m, s->rows}, s->m, unit,
                          Phi));
    for (int64_t i = 0; i < p->n && !s->rows; i++) /* a function is a column: linear, precomputed */
        for (int64_t j = 0; j < s->m; j++) Phi[i + j * p->n] = p->X[(s->index ? s->index[j] : j) + i * p->d];
    *out = Phi;
    return RUNG_OK;
}

/* The largest entry of Sigma (A + Phi'H Phi) - I over the functions with a weight, Sigma the covariance of the model.
 * With nearly parallel functions these sums cancel; they are then measured relative to a millionth of their terms. */
static rung_status covariance_residual(rung_ctx *ctx, const struct verification *v, const double *Phi, const double *H,
                                       const double *alpha, double *worst)
{
    const problem *p = v->p;
    const scorer *s = &v->model->members->score;
    const probit_link *link = &v->model->members->link;
    int64_t n = p->n, m = s->m, rank = link->rank;
    double *precision = NULL, *half = NULL, *terms = NULL;
    TRY(NEW(ctx, &ctx->scratch, precision, m));
    TRY(NEW(ctx, &ctx->scratch, half, rank));
    TRY(NEW(ctx, &ctx->scratch, terms, rank));
    *worst = 0;
    for (int64_t k = 0; k < m; k++) { /* column k of the product */
        if (s->coef[k] == 0) continue;
        TRY(interrupted(ctx));
        for (int64_t j = 0; j < m; j++) {
            precision[j] = j == k ? alpha[k] : 0;
            for (int64_t i = 0; i < n; i++) precision[j] += H[i] * Phi[i + j * n] * Phi[i + k * n];
        }
        for (int64_t r = 0; r < rank; r++) {
            half[r] = terms[r] = 0;
            for (int64_t j = 0; j < m; j++) {
                half[r] += link->factor[j + r * m] * precision[j];
                terms[r] += fabs(link->factor[j + r * m] * precision[j]);
            }
        }
        for (int64_t j = 0; j < m; j++) {
            double entry = j == k ? -1 : 0, all = 0;
            if (s->coef[j] == 0) continue;
            for (int64_t r = 0; r < rank; r++) {
                entry += link->factor[j + r * m] * half[r];
                all += fabs(link->factor[j + r * m]) * terms[r];
            }
            *worst = fmax(*worst, fabs(entry) / fmax(1, 1e-6 * all));
        }
    }
    return RUNG_OK;
}

/* A score is a sum of terms w phi, which may be large and cancel: the effect of their rounding on delta. */
static rung_status rounding_of(rung_ctx *ctx, const struct verification *v, const double *Phi, const double *H,
                               double **out)
{
    const scorer *s = &v->model->members->score;
    int64_t n = v->p->n;
    double *rounding = NULL;
    TRY(NEW(ctx, &ctx->scratch, rounding, n));
    for (int64_t j = 0; j < s->m; j++)
        for (int64_t i = 0; i < n; i++) rounding[i] += 2 * DBL_EPSILON * H[i] * fabs(s->coef[j] * Phi[i + j * n]);
    *out = rounding;
    return RUNG_OK;
}

/* At the maximum of (w, b) the thresholds have gradient 0 and phi_j'delta = alpha_j w_j, which gives alpha_j; with it
 * the covariance of the model must be (A + Phi'H Phi)^-1. Where re-estimation came to its end alpha_j = 1 / (w_j^2 +
 * Sigma_jj), too, up to the rounding of the scores (MacKay). */
rung_status sparse_verify(rung_ctx *ctx, const struct verification *v, bool settled)
{
    const problem *p = v->p;
    const scorer *s = &v->model->members->score;
    const probit_link *link = &v->model->members->link;
    double *delta = NULL, *H = NULL, *gradient = NULL, *alpha = NULL, *Phi, *rounding, worst = 0, off = 0;
    TRY(NEW(ctx, &ctx->scratch, delta, p->n));
    TRY(NEW(ctx, &ctx->scratch, H, p->n));
    TRY(NEW(ctx, &ctx->scratch, gradient, p->K));
    TRY(NEW(ctx, &ctx->scratch, alpha, s->m));
    likelihood_slopes(v, delta, H, gradient);
    for (int q = 0; q < p->K - 1; q++) worst = fmax(worst, fabs(gradient[q]) / (double)p->n);
    condition_add(v->found, "threshold gradient", "of the mean log likelihood, largest entry", worst, 1e-6);
    TRY(functions_at_rows(ctx, v, &Phi));
    TRY(rounding_of(ctx, v, Phi, H, &rounding));
    for (int64_t j = 0; j < s->m; j++) {
        double variance = 0, w = s->coef[j], slope = 0, unsure = 0;
        if (w == 0) continue;
        for (int64_t i = 0; i < p->n; i++) {
            slope += Phi[i + j * p->n] * delta[i];
            unsure += fabs(Phi[i + j * p->n]) * rounding[i];
        }
        for (int64_t r = 0; r < link->rank; r++) variance += pow(link->factor[j + r * s->m], 2);
        alpha[j] = slope / w;
        off = fmax(off, fabs(alpha[j] * (w * w + variance) - 1) - unsure / fabs(w) * (w * w + variance));
    }
    TRY(covariance_residual(ctx, v, Phi, H, alpha, &worst));
    condition_add(v->found, "posterior", "covariance times (A + Phi'H Phi), A w = Phi'delta, against I", worst, 1e-5);
    if (settled)
        condition_add(v->found, "evidence", "residual of phi'delta = w / (w^2 + variance), relative, worst function",
                      off, 0.05);
    return RUNG_OK;
}
