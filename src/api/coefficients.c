// SPDX-License-Identifier: BSD-3-Clause
/* What is in a linear model: coefficients, thresholds, tests. */
#include <math.h>
#include <string.h>

#include "api/call.h"
#include "model/model.h"
#include "solve/chi_square.h"

static const double Z95 = 1.959963984540054;

static bool log_odds(const rung_model *m)
{
    const member *one = m->members;
    if (one->proba == PROBA_EFFECTS) return one->score.random->link == LINK_LOGIT;
    return one->proba == PROBA_PROBIT && one->link.kind == LINK_LOGIT;
}

/* Fills in the numbers that follow from the estimate and its standard error. */
static int give(const rung_model *model, rung_coefficient c, bool odds, rung_coefficient *out)
{
    c.size = sizeof c;
    c.z = c.error > 0 ? c.value / c.error : NAN;
    c.p = erfc(fabs(c.z) / sqrt(2));
    odds = odds && log_odds(model);
    c.odds = odds ? exp(c.value) : NAN;
    c.odds_low = odds ? exp(c.value - Z95 * c.error) : NAN;
    c.odds_high = odds ? exp(c.value + Z95 * c.error) : NAN;
    result_give(&c, sizeof c, out);
    return 1;
}

/* The term of an index; they are few, so they are not kept. */
static bool term_at(const coding *code, int64_t index, score_term *out)
{
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        int64_t against = c->nominal ? c->reference : -1, terms = column_width(c) - c->nominal;
        if (!c->nominal && c->form == FORM_LEVEL) continue; /* names of groups have no coefficient */
        if (index >= terms) {
            index -= terms;
            continue;
        }
        int64_t k = c->nominal && index >= against ? index + 1 : index;
        *out = (score_term){j, c->first + k, c->nominal ? c->first + against : -1};
        return true;
    }
    return false;
}

int rung_model_coefficient(const rung_model *model, int output, int index, rung_coefficient *out)
{
    score_term t;
    if (!result_fits(out) || !model_has_terms(model) || index < 0 || output < 0 ||
        output >= model->members->score.outputs || !term_at(&model->code, index, &t))
        return 0;
    const column_code *c = &model->code.columns[t.column];
    bool own = model->members->link.own && output < model_score_outputs(model);
    rung_coefficient found = {
        .column = t.column,
        .rank = own ? model->present[output] : 0,
        .part = c->nominal ? 0 : (int)(t.coded - c->first),
        .category = c->nominal ? (int)(t.coded - c->first) : -1,
        .against = c->nominal ? (int)(t.against - c->first) : -1,
        .value = model_term(model, &t, output),
        .error = model->inferred.n > 0 ? model->inferred.error[inferred_place(model, output, index)] : NAN};
    return give(model, found, output < model_score_outputs(model), out);
}

int rung_model_threshold_coefficient(const rung_model *model, int index, rung_coefficient *out)
{
    const member *one = model->members;
    if (!result_fits(out) || !model_has_terms(model) || !model_has_cuts(model) || index < 0 ||
        index >= one->decide.K - 1)
        return 0;
    int64_t terms = coding_terms(&model->code, 0, NULL);
    rung_coefficient found = {.column = -1,
                              .category = -1,
                              .against = -1,
                              .rank = model->present[index],
                              .value = model_term_threshold(model, index + 1),
                              .error = model->inferred.n > 0 ? model->inferred.error[terms + index] : NAN};
    return give(model, found, false, out);
}

double rung_model_log_likelihood(const rung_model *model)
{
    return model->inferred.n > 0 ? model->inferred.log_likelihood : NAN;
}

int rung_model_likelihood(const rung_model *model, rung_likelihood *out)
{
    const fit_inference *f = &model->inferred;
    if (!result_fits(out) || f->n == 0) return 0;
    double k = f->parameters > 0 ? (double)f->parameters : NAN;
    rung_likelihood found = {.size = sizeof found,
                             .log_likelihood = f->log_likelihood,
                             .parameters = (int)f->parameters,
                             .rows = f->rows,
                             .aic = 2 * k - 2 * f->log_likelihood,
                             .bic = k * log(f->rows) - 2 * f->log_likelihood};
    result_give(&found, sizeof found, out);
    return 1;
}

int rung_model_spread_output(const rung_model *model)
{
    return model_has_terms(model) && model->members->link.uneven ? model_score_outputs(model) : -1;
}

int rung_model_coefficient_range(const rung_model *model, int output, int index, double *low, double *high)
{
    const fit_inference *f = &model->inferred;
    int64_t terms = coding_terms(&model->code, 0, NULL);
    if (f->n == 0 || !f->range || output < 0 || output >= model->members->score.outputs || index < 0 || index >= terms)
        return 0;
    const double *range = f->range + 2 * inferred_place(model, output, index);
    if (isnan(range[0]) || isnan(range[1])) return 0;
    *low = range[0];
    *high = range[1];
    return 1;
}

int rung_model_tempered(const rung_model *model) { return model->temper.n > 0; }

const char *rung_model_standard_errors(const rung_model *model, int64_t *units)
{
    const fit_inference *f = &model->inferred;
    if (units) *units = f->units;
    return f->n > 0 ? model_errors(f) : NULL;
}

int rung_model_covariance(const rung_model *model, double *out)
{
    const fit_inference *f = &model->inferred;
    if (f->n == 0 || !f->covariance) return 0;
    if (out) memcpy(out, f->covariance, (size_t)(f->n * f->n) * sizeof *out);
    return (int)f->n;
}

int rung_model_column_test(const rung_model *model, int index, rung_parallel_test *out)
{
    const fit_inference *f = &model->inferred;
    if (!result_fits(out) || !f->columns || f->n == 0 || index < 0 || index >= model->code.n_columns) return 0;
    double chi2 = f->columns[2 * index], df = f->columns[2 * index + 1];
    rung_parallel_test found = {.size = sizeof found,
                                .column = index,
                                .chi2 = chi2,
                                .df = isnan(df) ? 0 : (int)df,
                                .p = isnan(chi2) ? NAN : chi_square_above(chi2, (int)df)};
    result_give(&found, sizeof found, out);
    return 1;
}

double rung_chi_square_tail(double chi2, int df) { return df < 1 || !(chi2 >= 0) ? NAN : chi_square_above(chi2, df); }

int rung_model_parallel(const rung_model *model, int index, rung_parallel_test *out)
{
    const fit_inference *f = &model->inferred;
    if (!result_fits(out) || index < 0 || index >= f->tests) return 0;
    int64_t at = index == 0 ? f->tests - 1 : index - 1;
    double chi2 = f->parallel[2 * at], df = f->parallel[2 * at + 1];
    rung_parallel_test found = {.size = sizeof found,
                                .column = index - 1,
                                .chi2 = chi2,
                                .df = isnan(df) ? 0 : (int)df,
                                .p = isnan(chi2) ? NAN : chi_square_above(chi2, (int)df)};
    result_give(&found, sizeof found, out);
    return 1;
}
