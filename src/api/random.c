// SPDX-License-Identifier: BSD-3-Clause
/* What a mixed model knows of its groups. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/call.h"
#include "data/random_terms.h"
#include "model/model.h"

static const double Z95 = 1.959963984540054;

static const random_effect *term_of(const rung_model *model, int term)
{
    const random_effects *r = model->members->score.random;
    return !r || term < 0 || term >= r->n || term >= model->code.n_random ? NULL : &r->term[term];
}

int rung_model_random_term(const rung_model *model, int term, rung_random_term *out)
{
    const random_effect *t = term_of(model, term);
    if (!result_fits(out) || !t) return 0;
    rung_random_term found = {.size = sizeof found,
                              .groups = t->n_groups,
                              .effects = t->q,
                              .chi2 = t->test[0],
                              .df = isnan(t->test[1]) ? 0 : (int)fmin(t->test[1], 1e6),
                              .p = t->test[2],
                              .slopes_chi2 = t->test[3],
                              .slopes_df = isnan(t->test[4]) ? 0 : (int)fmin(t->test[4], 1e6),
                              .slopes_p = t->test[5]};
    result_give(&found, sizeof found, out);
    return 1;
}

typedef struct { /* a text that may be longer than its room */
    char *text;
    int64_t size, length;
} writing;

static void add_text(writing *w, const char *text)
{
    for (; *text; text++, w->length++)
        if (w->length + 1 < w->size) w->text[w->length] = *text;
    if (w->size > 0) w->text[w->length < w->size ? w->length : w->size - 1] = 0;
}

static void add_column(writing *w, const coding *code, int64_t column_index)
{
    char place[32];
    const column_code *c = &code->columns[column_index];
    snprintf(place, sizeof place, "x%lld", (long long)c->position + 1);
    add_text(w, *c->name ? c->name : place);
}

int64_t rung_model_random_name(const rung_model *model, int term, char *text, int64_t size)
{
    writing w = {text, size, 0};
    if (!term_of(model, term)) return 0;
    const random_term *t = &model->code.random[term];
    for (int k = 0; k < t->n_slopes; k++) {
        if (k) add_text(&w, " + ");
        add_column(&w, &model->code, t->slope[k]);
    }
    if (t->n_slopes > 0) add_text(&w, " | ");
    for (int k = 0; k < t->n_factors; k++) {
        if (k) add_text(&w, ":");
        add_column(&w, &model->code, t->factor[k]);
    }
    return w.length;
}

static int64_t column_of(const coding *code, int64_t coded)
{
    int64_t j = 0;
    while (j < code->n_columns - 1 && code->columns[j + 1].first <= coded) j++;
    return j;
}

/* The covariance on the scale of the data. */
static void covariance_of(const rung_model *model, const random_effect *t, double *out)
{
    double T[(RANDOM_SLOPES + 1) * (RANDOM_SLOPES + 1)];
    effect_transform(t, &model->members->scale, T);
    effect_carry(t->q, T, t->covariance, out);
}

int rung_model_random_effect(const rung_model *model, int term, int effect, rung_random_effect *out)
{
    const random_effect *t = term_of(model, term);
    double A[(RANDOM_SLOPES + 1) * (RANDOM_SLOPES + 1)];
    if (!result_fits(out) || !t || effect < 0 || effect >= t->q) return 0;
    covariance_of(model, t, A);
    double variance = fmax(A[effect + effect * t->q], 0), sd = sqrt(variance), error = t->error[effect];
    rung_random_effect found = {.size = sizeof found,
                                .column = -1,
                                .category = -1,
                                .against = -1,
                                .variance = variance,
                                .sd = sd,
                                .sd_low = sd * exp(-Z95 * error),
                                .sd_high = sd * exp(Z95 * error)};
    if (effect > 0) {
        int64_t coded = t->slope[effect - 1];
        found.column = column_of(&model->code, coded);
        const column_code *c = &model->code.columns[found.column];
        found.part = c->nominal ? 0 : (int)(coded - c->first);
        if (c->nominal) found.category = (int)(coded - c->first);
        if (c->nominal) found.against = (int)c->reference;
    }
    result_give(&found, sizeof found, out);
    return 1;
}

double rung_model_random_correlation(const rung_model *model, int term, int a, int b, double *low, double *high)
{
    const random_effect *t = term_of(model, term);
    double A[(RANDOM_SLOPES + 1) * (RANDOM_SLOPES + 1)];
    if (low) *low = NAN;
    if (high) *high = NAN;
    if (!t || a < 0 || b < 0 || a >= t->q || b >= t->q || a == b) return NAN;
    if (a > b) return rung_model_random_correlation(model, term, b, a, low, high);
    covariance_of(model, t, A);
    int q = t->q, at = q;
    for (int c = 0; c < a; c++) at += q - 1 - c;
    double value = A[a + b * q] / sqrt(A[a + a * q] * A[b + b * q]), error = t->error[at + b - a - 1];
    value = fmax(-1, fmin(value, 1));
    if (low) *low = tanh(atanh(value) - Z95 * error);
    if (high) *high = tanh(atanh(value) + Z95 * error);
    return value;
}

int64_t rung_model_random_group(const rung_model *model, int term, int64_t group, char *text, int64_t size,
                                double *mode, double *error)
{
    const random_effect *t = term_of(model, term);
    writing w = {text, size, 0};
    double T[(RANDOM_SLOPES + 1) * (RANDOM_SLOPES + 1)], A[(RANDOM_SLOPES + 1) * (RANDOM_SLOPES + 1)];
    if (!t || group < 0 || group >= t->n_groups) return 0;
    int q = t->q;
    for (int k = 0; k < t->n_factors; k++) {
        const column_code *c = &model->code.columns[column_of(&model->code, t->factor[k])];
        if (k) add_text(&w, ":");
        add_text(&w, c->categories[t->level[group * t->n_factors + k] - 1]);
    }
    effect_transform(t, &model->members->scale, T);
    effect_carry(q, T, t->spread + group * q * q, A);
    for (int r = 0; r < q; r++) {
        mode[r] = 0;
        for (int k = 0; k < q; k++) mode[r] += T[r + k * q] * t->mode[group * q + k];
        if (error) error[r] = sqrt(fmax(A[r + r * q], 0));
    }
    return w.length;
}
