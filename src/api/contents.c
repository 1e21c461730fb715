// SPDX-License-Identifier: BSD-3-Clause
/* What is in a model: the getters. */
#include <math.h>
#include <string.h>

#include "api/call.h"
#include "model/file.h"

const char *rung_model_method(const rung_model *model) { return model->method; }

const char *rung_model_param_at(const rung_model *model, int index, const char **value)
{
    if (index < 0 || index >= model->n_params) return NULL;
    if (value) *value = model->params[index].value;
    return model->params[index].name;
}

const char *rung_model_param(const rung_model *model, const char *name)
{
    for (int i = 0; i < model->n_params; i++)
        if (strcmp(model->params[i].name, name) == 0) return model->params[i].value;
    return NULL;
}

int rung_model_classes(const rung_model *model) { return model->code.n_classes; }

const char *rung_model_class_name(const rung_model *model, int rank)
{
    return rank >= 1 && rank <= model->code.n_classes ? model->code.classes[rank - 1] : "";
}

int rung_model_class_present(const rung_model *model, int rank)
{
    for (int i = 0; i < model->n_present; i++)
        if (model->present[i] == rank) return 1;
    return 0;
}

int rung_model_is_real(const rung_model *model) { return model->code.real; }
int64_t rung_model_rows(const rung_model *model) { return model->n_rows; }
int64_t rung_model_labelled(const rung_model *model) { return model->n_labelled; }
int64_t rung_model_features(const rung_model *model) { return model->code.d; }
int64_t rung_model_columns(const rung_model *model) { return model->code.n_columns; }

int64_t rung_model_inputs(const rung_model *model) { return coding_cells(&model->code)->n_columns; }

/* The columns that methods see, then those from which others are derived only; NULL: there is none. */
static const column_code *column_at(const rung_model *model, int64_t index)
{
    const coding *cells = coding_cells(&model->code);
    if (index >= 0 && index < model->code.n_columns) return &model->code.columns[index];
    index -= model->code.n_columns;
    for (int64_t j = 0; j < cells->n_columns && index >= 0; j++)
        if (cells->columns[j].hidden && index-- == 0) return &cells->columns[j];
    return NULL;
}

int64_t rung_model_input(const rung_model *model, int64_t index)
{
    const coding *cells = coding_cells(&model->code);
    int64_t seen = 0, hidden = model->code.n_columns;
    if (index < 0 || index >= cells->n_columns) return -1;
    for (int64_t j = 0; j < index; j++) {
        seen += !cells->columns[j].hidden;
        hidden += cells->columns[j].hidden;
    }
    return cells->columns[index].hidden ? hidden : seen;
}

int rung_model_column_derived(const rung_model *model, int64_t index)
{
    const column_code *c = column_at(model, index);
    return c && c->derived;
}

/* Categories, ordered words, dates, numbers that are not written plainly. */
const char *rung_model_column(const rung_model *model, int64_t index, int *is_text)
{
    const column_code *c = column_at(model, index);
    if (is_text) *is_text = c && !column_is_plain(c);
    return c && c->name ? c->name : "";
}

const char *rung_model_category(const rung_model *model, int64_t at, int index)
{
    const column_code *c = column_at(model, at);
    return c && index >= 0 && index < c->n_categories ? c->categories[index] : NULL;
}

const char *rung_model_note_at(const rung_model *model, int index, const char **value)
{
    if (index < 0 || index >= model->n_notes) return NULL;
    if (value) *value = model->notes[index].value;
    return model->notes[index].name;
}

const double *rung_model_cost(const rung_model *model, double *abstain)
{
    if (abstain) *abstain = model->cost.abstain;
    return model->cost.matrix;
}

const char *rung_model_label(const rung_model *model) { return model->code.label ? model->code.label : ""; }
const char *rung_model_scale(const rung_model *model) { return scale_name(model->members[0].scale.kind); }
int rung_model_outputs(const rung_model *model) { return model_outputs(model); }
int rung_model_has_ranks(const rung_model *model) { return model_has_ranks(model); }
int rung_model_has_probabilities(const rung_model *model) { return model_has_probabilities(model); }
int rung_model_has_latent(const rung_model *model) { return model_has_latent(model); }
const char *rung_model_decision(const rung_model *model) { return model_decision(model); }
const char *rung_model_interval(const rung_model *model) { return model_interval(model); }

int rung_model_thresholds(const rung_model *model, int room, double *out)
{
    int n = model_has_thresholds(model) ? model->members[0].decide.K - 1 : 0;
    for (int q = 1; q <= n && q <= room; q++) out[q - 1] = model_threshold(model, q);
    return n;
}

int64_t rung_model_means(const rung_model *model, int64_t room, double *out)
{
    const member *one = &model->members[0];
    int64_t n = model_has_means(model) ? (int64_t)one->decide.K * one->score.outputs : 0;
    for (int64_t i = 0; i < n && i < room; i++) out[i] = one->decide.means[i];
    return n;
}

int rung_model_calibration(const rung_model *model, double *slope, int room, double *cuts)
{
    const member *one = &model->members[0];
    if (model_averages(model) || one->proba != PROBA_CALIBRATION) return 0;
    if (slope) *slope = one->cal.a;
    for (int q = 0; q < one->cal.K - 1 && q < room; q++) cuts[q] = one->cal.c[q];
    return one->cal.K - 1;
}

const char *rung_model_report_at(const rung_model *model, int index, const double **values, int64_t *count)
{
    if (index < 0 || index >= model->n_report) return NULL;
    *values = model->report[index].value;
    *count = model->report[index].n;
    return model->report[index].name;
}

int64_t rung_model_training_rows(const rung_model *model) { return model->training.n; }
const char *rung_model_scorer(const rung_model *model) { return model_scorer(model); }

static void fill_kernel(const kernel *k, rung_member *out)
{
    out->kernel = kernel_name(k->kind);
    if (k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN || k->kind == KERNEL_POLY) out->gamma = k->gamma;
    if (k->kind == KERNEL_POLY) {
        out->degree = k->degree;
        out->coef0 = k->coef0;
    }
    if (k->kind == KERNEL_ARD) {
        out->precisions = k->precisions;
        out->n_precisions = k->n_precisions;
    }
}

int rung_model_member(const rung_model *model, int index, rung_member *out)
{
    if (index < 0 || index >= model->n_members || !result_fits(out)) return 0;
    const member *one = &model->members[index];
    bool alone = !model_averages(model);
    rung_member own = {.weight = alone ? 1 : model_member_share(model, index),
                       .kind = alone ? model_scorer(model) : model_member_kind(one),
                       .scale = scale_name(model_member_scale(one)),
                       .gamma = NAN,
                       .coef0 = NAN,
                       .variance = one->proba == PROBA_PROBIT && one->link.spread ? one->link.variance : NAN,
                       .power = one->proba == PROBA_POWER ? one->power : NAN,
                       .weighted = one->space.d > 0 && scale_weighs(&one->space)};
    if (one->score.kind == SCORER_KERNEL) fill_kernel(&one->score.k, &own);
    if (one->score.kind == SCORER_NEIGHBOURS) own.neighbours = one->score.neighbours;
    if (one->score.kind == SCORER_TREES) {
        own.trees = one->score.trees.n_trees;
        own.leaves = forest_leaves(&one->score.trees);
    }
    result_give(&own, sizeof own, out);
    return 1;
}

int64_t rung_model_trees(const rung_model *model, int64_t *leaves)
{
    const scorer *s = &model->members[0].score;
    bool there = s->kind == SCORER_TREES && !model_averages(model);
    if (leaves) *leaves = there ? forest_leaves(&s->trees) : 0;
    return there ? s->trees.n_trees : 0;
}

double rung_model_gain(const rung_model *model, int64_t at)
{
    return at >= 0 && at < model->code.n_columns ? model_gain(model, at) : 0;
}

int64_t rung_model_terms(const rung_model *model) { return model->n_expansion; }
int64_t rung_model_stored_rows(const rung_model *model) { return model_stored_rows(model); }

int64_t rung_model_stored_groups(const rung_model *model) { return model->kept.n_groups; }
const char *rung_model_library(const rung_model *model) { return model->library; }
int rung_model_format(void) { return MODEL_FORMAT; }

int rung_model_cv(const rung_model *model, rung_metrics *out)
{
    if (!model->has_cv || !result_fits(out)) return 0;
    result_give(&model->cv, sizeof model->cv, out);
    return 1;
}

int rung_model_cv_median(const rung_model *model, rung_metrics *out)
{
    if (!model->has_cv || model->median == 0 || !result_fits(out)) return 0;
    result_give(&model->cv_median, sizeof model->cv_median, out);
    return model->median;
}
