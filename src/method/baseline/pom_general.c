// SPDX-License-Identifier: BSD-3-Clause
/* pom_general.c - models that take more than one coefficient per column: by-threshold (partial proportional odds:
 * Peterson, Harrell. Partial proportional odds models for ordinal response variables. Applied Statistics 39:205-217,
 * 1990), spread (McCullagh 1980), penalty=firth. Only coefficients that the rows determine are estimated: the reference
 * category of a column has none. */
#include <math.h>
#include <string.h>

#include "fit/verify.h"
#include "method/baseline/pom.h"

static rung_status general_model(rung_ctx *ctx, const problem *p, const pom_params *params, const pom_design *design,
                                 pom_columns *out)
{
    if (p->all) return set_error(ctx, RUNG_EARG, "pom: by-threshold, spread and penalty=firth need all rows in memory");
    if (p->d > p->n || (int64_t)p->d * (design->any_own ? p->K - 1 : 1) + p->K > POM_MOST_PARAMETERS)
        return set_error(ctx, RUNG_ELIMIT,
                         "pom: by-threshold, spread and penalty=firth take no more columns than labelled rows, and at "
                         "most %d parameters",
                         POM_MOST_PARAMETERS);
    if (params->penalty == POM_FIRTH && p->upper)
        return set_error(ctx, RUNG_EARG, "pom: penalty=firth takes no intervals as labels");
    TRY(pom_columns_of(ctx, p, params, design, out));
    out->m.ridge = params->penalty == POM_FIRTH ? 0 : params->ridge;
    return RUNG_OK;
}

/* Coefficients d x outputs, their bias and the thresholds, of scaled rows. */
static void to_scorer(const pom_columns *c, const pom_design *design, int64_t d, const double *theta, double *W,
                      double *bias, double *b)
{
    const threshold_model *m = &c->m;
    int scores = design->any_own ? m->K - 1 : 1;
    for (int q = 0; q < m->K - 1; q++) b[q] = theta[threshold_model_cut(m, q)];
    for (int q = 0; q < scores; q++)
        for (int j = 0; j < m->d; j++) {
            double w = theta[threshold_model_slope(m, j, q)];
            W[c->terms[c->term[j]].coded + q * d] = w;
            bias[q] -= w * c->mean[j];
        }
    for (int k = 0; k < m->spreads; k++) {
        double t = theta[threshold_model_spread(m, k)];
        W[c->terms[c->wide[k]].coded + scores * d] = t / c->factor[k];
        bias[scores] += t * c->shift[k];
    }
}

static rung_status refuse_crossed(rung_ctx *ctx, const pom_columns *c, const double *theta)
{
    int64_t rows;
    TRY(threshold_model_crossed(ctx, &c->m, theta, &rows));
    if (rows == 0) return RUNG_OK;
    return set_error(
        ctx, RUNG_EDATA,
        "pom: thresholds cross in %lld of %lld rows, where a class would have a negative probability: name "
        "fewer columns in by-threshold",
        (long long)rows, (long long)c->m.n);
}

/* The offset is centred as the other columns are. */
static rung_status add_offset(rung_ctx *ctx, const problem *p, const pom_design *design, double *W, double *bias)
{
    double *mean = NULL, *X = NULL;
    if (design->offset < 0) return RUNG_OK;
    TRY(pom_centred_rows(ctx, p, &mean, &X));
    for (int q = 0; q < (design->any_own ? p->K - 1 : 1); q++) {
        W[design->offset + q * p->d] = design->coef;
        bias[q] -= design->coef * mean[design->offset];
    }
    return RUNG_OK;
}

rung_status pom_fit_general(rung_ctx *ctx, pool *mem, const problem *p, const pom_params *params,
                            const pom_design *design, fitted *out)
{
    pom_columns c;
    int scores = design->any_own ? p->K - 1 : 1, outputs = scores + design->any_uneven;
    double *theta = NULL, *W = NULL, *bias = NULL, *b = NULL, value, total = 0;
    TRY(general_model(ctx, p, params, design, &c));
    TRY(NEW(ctx, &ctx->scratch, theta, threshold_model_size(&c.m)));
    TRY(NEW(ctx, &ctx->scratch, W, p->d * outputs));
    TRY(NEW(ctx, &ctx->scratch, bias, outputs));
    TRY(NEW(ctx, mem, b, p->K - 1));
    TRY(threshold_model_start(ctx, &c.m, theta));
    TRY(threshold_model_fit(ctx, &c.m, NULL, theta, &value));
    if (isnan(value))
        return set_error(ctx, RUNG_ENOCONV, "pom: the likelihood could not be maximised; name fewer columns in %s",
                         design->any_own ? "by-threshold" : "spread");
    TRY(refuse_crossed(ctx, &c, theta));
    to_scorer(&c, design, p->d, theta, W, bias, b);
    TRY(add_offset(ctx, p, design, W, bias));
    TRY(linear_scorer(ctx, mem, p, outputs, W, bias, &out->own.score));
    out->own.proba = PROBA_PROBIT;
    out->own.link = (probit_link){
        .kind = (link_kind)params->link, .b = b, .noise = 1, .own = design->any_own, .uneven = design->any_uneven};
    TRY(NEW(ctx, mem, out->own.link.factor, 0));
    out->own.decide = (decision){.kind = DECISION_MEDIAN, .K = p->K};
    if (outputs == 1) {
        out->own.decide.kind = DECISION_THRESHOLDS;
        TRY(NEW(ctx, mem, out->own.decide.thresholds, p->K - 1));
        for (int q = 0; q < p->K - 1; q++) b[q] -= bias[0];
        out->own.score.bias[0] = 0;
        memcpy(out->own.decide.thresholds, b, (size_t)(p->K - 1) * sizeof *b);
    }
    out->n_expansion = p->d;
    for (int64_t i = 0; i < p->n; i++) total += p->w ? p->w[i] : 1;
    return report_number(ctx, mem, out, "objective", -value / total);
}

void pom_theta_of(const pom_columns *c, const rung_model *model, double *theta)
{
    const member *one = model->members;
    const threshold_model *m = &c->m;
    int scores = model_score_outputs(model);
    int64_t d = one->score.m;
    for (int j = 0; j < m->d; j++)
        for (int q = 0; q < m->K - 1; q++)
            theta[threshold_model_slope(m, j, q)] =
                one->score.coef[c->terms[c->term[j]].coded + (q < scores ? q : 0) * d];
    for (int k = 0; k < m->spreads; k++)
        theta[threshold_model_spread(m, k)] = one->score.coef[c->terms[c->wide[k]].coded + scores * d] * c->factor[k];
    for (int q = 0; q < m->K - 1; q++) {
        double at = one->link.b[q];
        if (scores == 1 && !one->link.uneven) /* its thresholds are those of rows that are not centred */
            for (int j = 0; j < m->d; j++) at -= theta[threshold_model_slope(m, j, 0)] * c->mean[j];
        theta[threshold_model_cut(m, q)] = at;
    }
}

/* A fit from the model finds nothing better. */
rung_status pom_verify_general(rung_ctx *ctx, const struct verification *v, const pom_design *design)
{
    pom_columns c;
    double *theta = NULL, value, total = 0;
    TRY(general_model(ctx, v->p, v->params, design, &c));
    TRY(NEW(ctx, &ctx->scratch, theta, threshold_model_size(&c.m)));
    pom_theta_of(&c, v->model, theta);
    TRY(threshold_model_fit(ctx, &c.m, NULL, theta, &value));
    for (int64_t i = 0; i < v->p->n; i++) total += v->p->w ? v->p->w[i] : 1;
    condition_add(v->found, "objective", "reported value against that of a fit from the model on, relative",
                  fabs(told_number(v->model, "objective") + value / total) / (1 + fabs(value / total)), 1e-9);
    return RUNG_OK;
}

/* ---- standard errors ---- */

/* What a coefficient, a threshold or a spread is of theta, on the scale of the data. */
static void forms_of(const pom_study *s, const pom_columns *c, double *forms)
{
    const rung_model *model = s->model;
    const scaling *scale = &model->members->scale;
    const threshold_model *m = &c->m;
    bool scaled = scale->kind != SCALE_NONE;
    int size = threshold_model_size(m), scores = model_score_outputs(model);
    for (int j = 0; j < m->d; j++) {
        int64_t coded = c->terms[c->term[j]].coded;
        double factor = scaled ? scale->factor[coded] : 1, from = scaled ? scale->shift[coded] * factor : 0;
        for (int q = 0; q < scores; q++)
            forms[threshold_model_slope(m, j, q) + inferred_place(model, q, c->term[j]) * size] = factor;
        for (int q = 0; q < m->K - 1; q++)
            forms[threshold_model_slope(m, j, q) + (s->n_terms + q) * size] = c->mean[j] + from;
    }
    for (int q = 0; q < m->K - 1; q++) forms[threshold_model_cut(m, q) + (s->n_terms + q) * size] = 1;
    for (int k = 0; k < m->spreads; k++)
        forms[threshold_model_spread(m, k) + inferred_place(model, scores, c->wide[k]) * size] = 1;
}

/* NaN where there is no error; infinite for a coefficient that a row's whole range leaves open. */
static void take_errors(const pom_columns *c, fit_inference *out, int64_t n_terms)
{
    for (int64_t t = 0; t < out->n; t++) {
        double variance = out->covariance[t + t * out->n];
        out->error[t] = variance > 0 && isfinite(variance) ? sqrt(variance) : NAN;
        if (t < n_terms && out->error[t] > 1e4) out->error[t] = INFINITY;
    }
    (void)c;
}

rung_status pom_infer_general(rung_ctx *ctx, const pom_study *s, const pom_params *params, fit_inference *out)
{
    pom_columns c;
    double *theta = NULL, *information = NULL, *forms = NULL, *solved = NULL, *meat = NULL, *half = NULL;
    la_mat *L = NULL;
    int64_t n = out->n;
    TRY(general_model(ctx, s->p, params, &s->design, &c));
    int64_t m = threshold_model_size(&c.m);
    TRY(NEW(ctx, &ctx->scratch, theta, m));
    TRY(NEW(ctx, &ctx->scratch, information, m * m));
    TRY(NEW(ctx, &ctx->scratch, forms, m * n));
    TRY(NEW_RAW(ctx, &ctx->scratch, solved, m * n));
    TRY(la_new(ctx, &ctx->scratch, m, m, &L));
    pom_theta_of(&c, s->model, theta);
    TRY(threshold_model_information(ctx, &c.m, theta, information, &out->log_likelihood));
    la_put(information, L);
    rung_status status = la_potrf(ctx, L);
    for (int64_t t = 0; status == RUNG_ESINGULAR && t < n; t++) out->error[t] = NAN;
    for (int64_t t = 0; status == RUNG_ESINGULAR && t < n * n; t++) out->covariance[t] = NAN;
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    forms_of(s, &c, forms);
    memcpy(solved, forms, (size_t)(m * n) * sizeof *solved);
    TRY(la_potrs(ctx, L, n, solved));
    if (out->kind == ERRORS_OF_MODEL) {
        la_thin(true, 1, (la_thin_mat){m, n, forms}, (la_thin_mat){m, n, solved}, 0, out->covariance);
    } else {
        row_groups groups;
        TRY(row_groups_new(ctx, &ctx->scratch, s->p->n, s->p->cluster, &groups));
        TRY(NEW_RAW(ctx, &ctx->scratch, meat, m * m));
        TRY(NEW_RAW(ctx, &ctx->scratch, half, m * n));
        TRY(threshold_model_meat(ctx, &c.m, theta, &groups, meat));
        out->units = groups.count;
        double scale = groups.count > 1 ? (double)groups.count / (double)(groups.count - 1) : NAN;
        la_thin(false, scale, (la_thin_mat){m, m, meat}, (la_thin_mat){m, n, solved}, 0, half);
        la_thin(true, 1, (la_thin_mat){m, n, solved}, (la_thin_mat){m, n, half}, 0, out->covariance);
    }
    take_errors(&c, out, s->n_terms);
    return RUNG_OK;
}
