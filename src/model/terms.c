// SPDX-License-Identifier: BSD-3-Clause
/* The coefficients of a linear score on the scale of the data. A score
 *     bias + sum_j coef_j (g(x_j) - shift_j) factor_j
 * has the coefficients coef_j factor_j, and what does not depend on x joins the thresholds. The 0/1 columns of a text
 * column add up to 1: the coefficient of the reference category joins the thresholds, too, and the others are
 * differences from it. g is the identity or, where the scaling ranks, the share of training rows below. */
#include <math.h>

#include "model/model.h"

int64_t coding_terms(const coding *code, int64_t room, score_term *out)
{
    int64_t n = 0;
    for (int64_t j = 0; j < code->n_columns; j++) {
        const column_code *c = &code->columns[j];
        if (!c->nominal && c->form == FORM_LEVEL) continue; /* names of groups have no coefficient */
        int64_t against = c->nominal ? c->first + c->reference : -1;
        for (int64_t k = 0; k < column_width(c); k++) {
            if (c->first + k == against) continue;
            if (n < room) out[n] = (score_term){j, c->first + k, against};
            n++;
        }
    }
    return n;
}

bool model_has_terms(const rung_model *m)
{
    return !model_averages(m) && m->members->score.kind == SCORER_LINEAR && m->members->space.d == 0;
}

static double slope(const rung_model *m, int64_t coded, int output)
{
    const member *one = m->members;
    return one->score.coef[coded + output * one->score.m] *
           (one->scale.kind == SCALE_NONE ? 1 : one->scale.factor[coded]);
}

double model_term(const rung_model *m, const score_term *t, int output)
{
    return slope(m, t->coded, output) - (t->against >= 0 ? slope(m, t->against, output) : 0);
}

static bool is_general(const rung_model *m)
{
    const member *one = m->members;
    return one->proba == PROBA_PROBIT && (one->link.own || one->link.uneven);
}

bool model_has_cuts(const rung_model *m) { return model_has_thresholds(m) || (!model_averages(m) && is_general(m)); }

int model_score_outputs(const rung_model *m)
{
    return m->members->score.outputs - (is_general(m) && m->members->link.uneven);
}

int64_t inferred_place(const rung_model *m, int output, int64_t term)
{
    int64_t terms = coding_terms(&m->code, 0, NULL);
    return output == 0 ? term : terms * output + m->n_present - 1 + term;
}

int64_t inferred_count(const rung_model *m)
{
    return coding_terms(&m->code, 0, NULL) * m->members->score.outputs + m->n_present - 1;
}

double model_term_threshold(const rung_model *m, int q)
{
    const member *one = m->members;
    if (!model_has_terms(m) || !model_has_cuts(m)) return NAN;
    int output = is_general(m) && one->link.own ? q - 1 : 0;
    double at = (is_general(m) ? one->link.b[q - 1] : model_threshold(m, q)) - one->score.bias[output];
    for (int64_t j = 0; one->scale.kind != SCALE_NONE && j < m->code.d; j++)
        at += slope(m, j, output) * one->scale.shift[j];
    for (int64_t j = 0; j < m->code.n_columns; j++) {
        const column_code *c = &m->code.columns[j];
        if (c->nominal) at -= slope(m, c->first + c->reference, output);
    }
    return at;
}
