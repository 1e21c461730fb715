// SPDX-License-Identifier: BSD-3-Clause
/* pom_inference.c - standard errors of a proportional odds model.
 *
 * The covariance of the estimates is the inverse H^-1 of the observed information at them, as in R's polr and clm; with
 * a ridge that is not negligible it includes the penalty. It is computed for the scaled, centred rows and carried over
 * to the scale of the data: a coefficient, a difference of two categories and a threshold are linear in the estimates.
 *
 * H^-1 is right for independent rows that each count once. Rows of one group (a patient's visits) are not independent,
 * and weights that are no counts say how many people a row stands for, not how often it was seen. There the covariance
 * is G/(G-1) H^-1 (sum over groups of s s') H^-1,   s: the gradient of a group's log likelihood, as by sandwich::vcovCL
 * and survey::svyolr; without groups each row is one. Liang, Zeger. Longitudinal data analysis using generalized linear
 * models. Biometrika 73:13-22, 1986. */
#include <math.h>
#include <string.h>

#include "method/baseline/pom.h"

static const double MOST_UNCERTAIN = 100; /* a standard error over the range of a column: beyond it, none is finite */

static double factor_of(const rung_model *m, int64_t coded)
{
    return m->members->scale.kind == SCALE_NONE ? 1 : m->members->scale.factor[coded];
}

/* Threshold q on the scale of the data, as a linear form of the estimates (w, b of centred rows). */
static void threshold_form(const pom_study *s, const double *mean, int q, double *form)
{
    const coding *code = &s->model->code;
    const scaling *scale = &s->model->members->scale;
    form[s->p->d + q] = 1;
    for (int64_t j = 0; j < s->p->d; j++)
        form[j] =
            j == s->design.offset ? 0 : mean[j] + (scale->kind == SCALE_NONE ? 0 : scale->factor[j] * scale->shift[j]);
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        int64_t reference = c->first + c->reference;
        if (c->nominal) form[reference] -= factor_of(s->model, reference);
    }
}

/* Columns: what the coefficients and thresholds are of the estimates. */
static void forms_of(const pom_study *s, const double *mean, double *forms)
{
    int64_t m = s->p->d + s->p->K - 1;
    for (int64_t t = 0; t < s->n_terms; t++) {
        if (s->terms[t].coded == s->design.offset) continue; /* it is known */
        forms[s->terms[t].coded + t * m] = factor_of(s->model, s->terms[t].coded);
        if (s->terms[t].against >= 0) forms[s->terms[t].against + t * m] = -factor_of(s->model, s->terms[t].against);
    }
    for (int q = 0; q < s->p->K - 1; q++) threshold_form(s, mean, q, forms + (s->n_terms + q) * m);
}

/* ---- what the rows are ---- */

static error_kind kind_of_rows(const problem *p, const pom_params *params)
{
    bool counts = true;
    for (int64_t i = 0; p->w && i < p->n; i++) counts = counts && p->w[i] == floor(p->w[i]);
    if (params->errors == POM_ERRORS_MODEL) return ERRORS_OF_MODEL;
    if (p->cluster) return ERRORS_OF_GROUPS;
    return counts && params->errors == POM_ERRORS_AUTO ? ERRORS_OF_MODEL : ERRORS_OF_ROWS;
}

/* forms' H^-1 meat H^-1 forms, times G / (G - 1); solved: H^-1 forms. */
static rung_status robust(rung_ctx *ctx, const pom_study *s, const cumulative_link *link, const double *b,
                          const double *solved, fit_inference *out)
{
    int64_t m = s->p->d + s->p->K - 1, n = out->n;
    row_groups groups;
    double *meat = NULL, *half = NULL;
    TRY(row_groups_new(ctx, &ctx->scratch, s->p->n, s->p->cluster, &groups));
    TRY(NEW_RAW(ctx, &ctx->scratch, meat, m * m));
    TRY(NEW_RAW(ctx, &ctx->scratch, half, m * n));
    TRY(cumulative_link_meat(ctx, link, s->model->members->score.coef, b, &groups, meat));
    for (int64_t c = 0; c < m; c++)
        for (int64_t r = 0; r < c; r++) meat[r + c * m] = meat[c + r * m];
    double scale = groups.count > 1 ? (double)groups.count / (double)(groups.count - 1) : NAN;
    la_thin(false, scale, (la_thin_mat){m, m, meat}, (la_thin_mat){m, n, solved}, 0, half);
    la_thin(true, 1, (la_thin_mat){m, n, solved}, (la_thin_mat){m, n, half}, 0, out->covariance);
    for (int64_t t = 0; t < n; t++) /* a sum of squares, up to rounding */
        out->covariance[t + t * n] = fmax(out->covariance[t + t * n], 0);
    out->units = groups.count;
    return RUNG_OK;
}

/* Whether the effect of a column over its range can be anything. */
static bool is_unknown(const pom_study *s, int64_t t, double error)
{
    const problem *p = s->p;
    int64_t j = s->terms[t].coded;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        low = fmin(low, p->X[j + i * p->d]);
        high = fmax(high, p->X[j + i * p->d]);
    }
    return error * (high - low) / factor_of(s->model, j) > MOST_UNCERTAIN;
}

/* The roots of the variances. NaN for a column that is constant or determined by others; infinite for one along which
 * the classes are separated, so that the likelihood has no maximum. */
static rung_status take_errors(rung_ctx *ctx, const pom_study *s, fit_inference *out)
{
    for (int64_t t = 0; t < out->n; t++) {
        double variance = out->covariance[t + t * out->n];
        bool determined = false;
        out->error[t] = variance > 0 && isfinite(variance) ? sqrt(variance) : NAN;
        if (t >= s->n_terms || isnan(out->error[t]) || !is_unknown(s, t, out->error[t])) continue;
        TRY(pom_is_determined(ctx, s, t, &determined));
        out->error[t] = determined ? NAN : INFINITY;
    }
    return RUNG_OK;
}

static rung_status infer_errors(rung_ctx *ctx, const pom_study *s, const pom_params *params, fit_inference *out)
{
    const problem *p = s->p;
    const member *one = s->model->members;
    int64_t m = p->d + p->K - 1, n = out->n;
    double *mean = NULL, *X = NULL, *b = NULL, *hessian = NULL, *forms = NULL, *solved = NULL, *offset = NULL,
           shift = 0;
    la_mat *rows = NULL, *L = NULL;
    TRY(pom_centred_rows(ctx, p, &mean, &X));
    TRY(NEW(ctx, &ctx->scratch, b, p->K - 1));
    for (int64_t j = 0; j < p->d; j++) shift += one->score.coef[j] * mean[j];
    for (int q = 0; q < p->K - 1; q++) b[q] = one->link.b[q] - shift;
    TRY(pom_take_offset(ctx, &s->design, p->d, p->n, X, &offset));
    TRY(NEW(ctx, &ctx->scratch, hessian, m * m));
    TRY(NEW(ctx, &ctx->scratch, forms, m * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, solved, m * n));
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &rows));
    la_put(X, rows);
    const cumulative_link link = {.X = rows,
                                  .K = p->K,
                                  .y = p->y,
                                  .upper = p->upper,
                                  .weight = p->w,
                                  .offset = offset,
                                  .link = (link_kind)params->link,
                                  .ridge = params->ridge};
    TRY(cumulative_link_hessian(ctx, &link, one->score.coef, b, hessian, &out->log_likelihood));
    TRY(la_new(ctx, &ctx->scratch, m, m, &L));
    la_put(hessian, L);
    rung_status status = la_potrf(ctx, L);
    for (int64_t t = 0; status == RUNG_ESINGULAR && t < n; t++) out->error[t] = NAN;
    for (int64_t t = 0; status == RUNG_ESINGULAR && t < n * n; t++) out->covariance[t] = NAN;
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    forms_of(s, mean, forms);
    memcpy(solved, forms, (size_t)(m * n) * sizeof *solved);
    TRY(la_potrs(ctx, L, n, solved));
    if (out->kind == ERRORS_OF_MODEL)
        la_thin(true, 1, (la_thin_mat){m, n, forms}, (la_thin_mat){m, n, solved}, 0, out->covariance);
    else
        TRY(robust(ctx, s, &link, b, solved, out));
    return take_errors(ctx, s, out);
}

rung_status pom_infer(rung_ctx *ctx, const fit_input *in, rung_model *model)
{
    const problem *p = in->p;
    const pom_params *params = in->params;
    pom_study s = {.p = p, .model = model};
    fit_inference *out = &model->inferred;
    if (p->all || p->d > p->n || p->d + p->K > POM_MOST_PARAMETERS) return RUNG_OK;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(pom_design_of(ctx, p, params, &s.design));
    s.n_terms = coding_terms(&model->code, 0, NULL);
    TRY(NEW(ctx, &ctx->scratch, s.terms, s.n_terms));
    coding_terms(&model->code, s.n_terms, s.terms);
    out->n = inferred_count(model);
    out->kind = kind_of_rows(p, params);
    out->units = p->n;
    TRY(NEW(ctx, &model->mem, out->error, out->n));
    TRY(NEW(ctx, &model->mem, out->covariance, out->n * out->n));
    pool_mark inner = pool_here(&ctx->scratch);
    TRY(s.design.general ? pom_infer_general(ctx, &s, params, out) : infer_errors(ctx, &s, params, out));
    pool_release(&ctx->scratch, inner);
    for (int64_t i = 0; i < p->n; i++) out->rows += p->w ? p->w[i] : 1;
    /* the likelihoods are of independent rows */
    if (out->kind == ERRORS_OF_MODEL)
        TRY(pom_infer_tests(ctx, &s, params, model));
    else
        TRY(pom_infer_wald(ctx, &s, model));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
