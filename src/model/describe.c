// SPDX-License-Identifier: BSD-3-Clause
/* The contents of a model as one JSON object. Numbers that are not finite are null, because JSON has no other
 * notation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/metrics.h"
#include "model/file.h"

static json_t *real(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *reals(int64_t n, const double *v)
{
    json_t *out = json_array();
    int bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= json_array_append_new(out, real(v[i]));
    return json_whole(out, bad);
}

static json_t *text_or_null(const char *text) { return text && text[0] ? json_string(text) : json_null(); }

static json_t *present(const rung_model *m)
{
    json_t *out = json_array();
    int bad = 0;
    for (int i = 0; i < m->n_present; i++)
        bad |= json_array_append_new(out, json_string(m->code.classes[m->present[i] - 1]));
    return json_whole(out, bad);
}

static json_t *thresholds(const rung_model *m)
{
    if (!model_has_thresholds(m)) return json_null();
    json_t *out = json_array();
    int bad = 0;
    for (int q = 1; q < m->members[0].decide.K; q++) bad |= json_array_append_new(out, real(model_threshold(m, q)));
    return json_whole(out, bad);
}

static json_t *kernel_of(const scorer *s)
{
    if (s->kind != SCORER_KERNEL) return json_null();
    const kernel *k = &s->k;
    json_t *out = json_object();
    int bad = json_object_set_new(out, "kind", json_string(kernel_name(k->kind)));
    if (k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN || k->kind == KERNEL_POLY)
        bad |= json_object_set_new(out, "gamma", real(k->gamma));
    if (k->kind == KERNEL_POLY) {
        bad |= json_object_set_new(out, "degree", json_integer(k->degree));
        bad |= json_object_set_new(out, "coef0", real(k->coef0));
    }
    if (k->kind == KERNEL_ARD) bad |= json_object_set_new(out, "precisions", reals(k->n_precisions, k->precisions));
    return json_whole(out, bad);
}

static json_t *neighbours_of(const scorer *s)
{
    if (s->kind != SCORER_NEIGHBOURS) return json_null();
    json_t *out = json_object();
    int bad = json_object_set_new(out, "count", json_integer(s->neighbours));
    bad |= json_object_set_new(out, "weights", json_string(weight_names[s->weights]));
    if (s->weights == WEIGHTS_GAUSSIAN) bad |= json_object_set_new(out, "width", real(s->width));
    return json_whole(out, bad);
}

/* gain: by how much the splits on each column lowered the loss, as shares of the whole. */
static json_t *trees_of(const rung_model *m)
{
    const scorer *s = &m->members[0].score;
    if (s->kind != SCORER_TREES) return json_null();
    json_t *out = json_object(), *gains = json_object();
    int bad = json_object_set_new(out, "count", json_integer(s->trees.n_trees));
    bad |= json_object_set_new(out, "leaves", json_integer(forest_leaves(&s->trees)));
    for (int64_t c = 0; c < s->trees.n_columns; c++) {
        char name[24];
        snprintf(name, sizeof name, "x%lld", (long long)c + 1);
        bad |= json_object_set_new(gains, m->code.columns[c].name[0] ? m->code.columns[c].name : name,
                                   real(model_gain(m, c)));
    }
    bad |= json_object_set_new(out, "gain", gains);
    return json_whole(out, bad);
}

/* Of every class, in the space of the outputs. */
static json_t *means_of(const rung_model *m)
{
    const member *one = &m->members[0];
    int outputs = one->score.outputs, bad = 0;
    if (!model_has_means(m)) return json_null();
    json_t *out = json_array();
    for (int64_t q = 0; q < one->decide.K; q++)
        bad |= json_array_append_new(out, reals(outputs, one->decide.means + q * outputs));
    return json_whole(out, bad);
}

/* The coefficients of a linear score on the scale of the data, of its first output, with their standard errors. */
static json_t *coefficients_of(const rung_model *m)
{
    json_t *out = json_array();
    int64_t n = coding_terms(&m->code, 0, NULL), at = 0;
    int bad = 0;
    for (int64_t j = 0; j < m->code.n_columns; j++) {
        const column_code *c = &m->code.columns[j];
        int64_t reference = c->reference;
        for (int64_t k = 0; k < column_width(c); k++) {
            if (c->nominal && k == reference) continue;
            score_term t = {j, c->first + k, c->nominal ? c->first + reference : -1};
            json_t *one = json_object();
            bad |= json_object_set_new(one, "column", json_string(c->name));
            bad |= json_object_set_new(one, "category", c->nominal ? json_string(c->categories[k]) : json_null());
            bad |=
                json_object_set_new(one, "against", c->nominal ? json_string(c->categories[reference]) : json_null());
            bad |= json_object_set_new(one, "value", real(model_term(m, &t, 0)));
            bad |= json_object_set_new(one, "error", m->inferred.n > 0 ? real(m->inferred.error[at]) : json_null());
            if (m->inferred.n > 0 && isinf(m->inferred.error[at]))
                bad |= json_object_set_new(one, "separated", json_true());
            bad |= json_array_append_new(out, one);
            at++;
        }
    }
    for (int q = 1; model_has_thresholds(m) && q < m->members[0].decide.K; q++) {
        json_t *one = json_object();
        bad |= json_object_set_new(one, "above", json_string(m->code.classes[m->present[q - 1] - 1]));
        bad |= json_object_set_new(one, "value", real(model_term_threshold(m, q)));
        bad |= json_object_set_new(one, "error", m->inferred.n > 0 ? real(m->inferred.error[n + q - 1]) : json_null());
        bad |= json_array_append_new(out, one);
    }
    return json_whole(out, bad);
}

static json_t *member_trees(const scorer *s)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "count", json_integer(s->trees.n_trees));
    bad |= json_object_set_new(out, "leaves", json_integer(forest_leaves(&s->trees)));
    return json_whole(out, bad);
}

/* What kind of model a member of an average is, and its numbers. */
static json_t *member_of(const member *one, double share)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "weight", real(share));
    bad |= json_object_set_new(out, "kind", json_string(model_member_kind(one)));
    bad |= json_object_set_new(out, "features", json_string(scale_name(model_member_scale(one))));
    bad |= json_object_set_new(out, "kernel", kernel_of(&one->score));
    bool trees = one->score.kind == SCORER_TREES;
    if (one->proba == PROBA_PROBIT && !trees) bad |= json_object_set_new(out, "variance", real(one->link.variance));
    bad |= json_object_set_new(out, "neighbours", neighbours_of(&one->score));
    if (trees) bad |= json_object_set_new(out, "trees", member_trees(&one->score));
    if (one->proba == PROBA_POWER) bad |= json_object_set_new(out, "power", real(one->power));
    return json_whole(out, bad);
}

static json_t *members_of(const rung_model *m)
{
    if (!model_averages(m)) return json_null();
    json_t *out = json_array();
    int bad = 0;
    for (int i = 0; i < m->n_members; i++)
        bad |= json_array_append_new(out, member_of(&m->members[i], model_member_share(m, i)));
    return json_whole(out, bad);
}

static json_t *target_of(const coding *code)
{
    if (code->real) return json_string("real");
    return code->n_classes > 0 ? json_string("classes") : json_null();
}

static const char *kind_of(const column_code *c)
{
    if (c->nominal) return "nominal";
    if (c->derived) return "derived";
    return c->form == FORM_ORDINAL                          ? "ordinal"
           : c->form == FORM_LEVEL                          ? "group"
           : c->form == FORM_DAYS || c->form == FORM_CYCLIC ? "date"
                                                            : "number";
}

static json_t *column_json(const column_code *c)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "name", json_string(c->name));
    bad |= json_object_set_new(out, "kind", json_string(kind_of(c)));
    if (c->n_categories > 0) bad |= json_object_set_new(out, "categories", json_texts(c->n_categories, c->categories));
    bad |= json_object_set_new(out, "fill", c->nominal ? json_null() : real(c->fill));
    return json_whole(out, bad);
}

/* Columns of the file that are no features: others are derived from them. */
static json_t *hidden_columns(const rung_model *m)
{
    json_t *out = json_array();
    const coding *cells = coding_cells(&m->code);
    int bad = 0;
    for (int64_t j = 0; j < cells->n_columns; j++)
        if (cells->columns[j].hidden) bad |= json_array_append_new(out, column_json(&cells->columns[j]));
    return json_whole(out, bad);
}

static json_t *preprocessing(const rung_model *m)
{
    json_t *out = json_object(), *columns = json_array();
    int bad = 0;
    for (int64_t j = 0; j < m->code.n_columns; j++)
        bad |= json_array_append_new(columns, column_json(&m->code.columns[j]));
    bad |= json_object_set_new(out, "scale", json_string(scale_name(m->members[0].scale.kind)));
    bad |= json_object_set_new(out, "columns", columns);
    if (m->code.derive) bad |= json_object_set_new(out, "hidden", hidden_columns(m));
    bad |= json_object_set_new(out, "label", text_or_null(m->code.label));
    bad |= json_object_set_new(out, "coded_columns", json_integer(m->code.d));
    return json_whole(out, bad);
}

static json_t *report(const rung_model *m)
{
    json_t *out = json_object();
    int bad = 0;
    for (int i = 0; i < m->n_report; i++) {
        const report_entry *r = &m->report[i];
        bad |= json_object_set_new(out, r->name, r->n == -1 ? real(*r->value) : reals(r->n, r->value));
    }
    return json_whole(out, bad);
}

static json_t *held_out(const rung_model *m, bool there, const rung_metrics *of)
{
    if (!m->has_cv || !there) return json_null();
    json_t *out = json_object();
    int bad = 0;
    for (const metric *one = metric_table; one->info.key; one++)
        bad |= json_object_set_new(out, one->info.key, real(metric_value(one, of)));
    bad |= json_object_set_new(out, "n", json_integer(of->n));
    if (of->intervals) bad |= json_object_set_new(out, "intervals", json_integer(of->intervals));
    return json_whole(out, bad);
}

static json_t *description(const rung_model *m)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "method", json_string(m->method));
    bad |= json_object_set_new(out, "params", json_params(m));
    bad |= json_object_set_new(out, "target", target_of(&m->code));
    bad |= json_object_set_new(out, "classes", json_texts(m->code.n_classes, m->code.classes));
    bad |= json_object_set_new(out, "present", present(m));
    bad |= json_object_set_new(out, "scorer", json_string(model_scorer(m)));
    bad |= json_object_set_new(out, "outputs", json_integer(model_outputs(m)));
    bad |= json_object_set_new(out, "decision", json_string(model_decision(m)));
    bad |= json_object_set_new(out, "thresholds", thresholds(m));
    bad |= json_object_set_new(out, "means", means_of(m));
    if (model_has_terms(m)) bad |= json_object_set_new(out, "coefficients", coefficients_of(m));
    if (m->inferred.n > 0) {
        bad |= json_object_set_new(out, "log_likelihood", real(m->inferred.log_likelihood));
        bad |= json_object_set_new(out, "errors", json_string(model_errors(&m->inferred)));
        bad |= json_object_set_new(out, "units", json_integer(m->inferred.units));
    }
    if (m->inferred.tests > 0)
        bad |= json_object_set_new(out, "parallel", reals(2 * m->inferred.tests, m->inferred.parallel));
    bad |= json_object_set_new(out, "n_expansion", json_integer(m->n_expansion));
    bool one = !model_averages(m);
    bad |= json_object_set_new(out, "kernel", one ? kernel_of(&m->members[0].score) : json_null());
    bad |= json_object_set_new(out, "neighbours", one ? neighbours_of(&m->members[0].score) : json_null());
    bad |= json_object_set_new(out, "trees", one ? trees_of(m) : json_null());
    bad |= json_object_set_new(out, "members", members_of(m));
    bad |= json_object_set_new(out, "preprocessing", preprocessing(m));
    bad |= json_object_set_new(out, "probabilities", json_boolean(model_has_probabilities(m)));
    bad |= json_object_set_new(out, "tempered", json_boolean(m->temper.n > 0));
    bad |= json_object_set_new(out, "interval", text_or_null(model_interval(m)));
    bad |= json_object_set_new(out, "rows", json_integer(m->n_rows));
    bad |= json_object_set_new(out, "labelled", json_integer(m->n_labelled));
    bad |= json_object_set_new(out, "contains_training_rows", json_boolean(model_stored_rows(m) > 0));
    bad |= json_object_set_new(out, "contains_training_answers", json_boolean(m->training.n > 0));
    bad |= json_object_set_new(out, "kept_rows", json_integer(m->kept.n));
    if (m->kept.n_groups) bad |= json_object_set_new(out, "kept_groups", json_integer(m->kept.n_groups));
    bad |= json_object_set_new(out, "report", report(m));
    bad |= json_object_set_new(out, "cv", held_out(m, true, &m->cv));
    bad |= json_object_set_new(out, "cv_median", held_out(m, m->median > 0, &m->cv_median));
    if (m->cost.matrix) {
        bad |= json_object_set_new(out, "cost", reals((int64_t)m->code.n_classes * m->code.n_classes, m->cost.matrix));
        bad |= json_object_set_new(out, "abstain", m->cost.abstain > 0 ? real(m->cost.abstain) : json_null());
    }
    json_t *made = json_object();
    for (int i = 0; i < m->n_notes; i++)
        bad |= json_object_set_new(made, m->notes[i].name, json_string(m->notes[i].value));
    bad |= json_object_set_new(out, "made", made);
    bad |= json_object_set_new(out, "format", json_integer(MODEL_FORMAT));
    bad |= json_object_set_new(out, "library", json_string(m->library));
    return json_whole(out, bad);
}

rung_status model_describe(rung_ctx *ctx, const rung_model *m, char **json)
{
    *json = NULL;
    if (model_check_texts(ctx, m) != RUNG_OK) return prefix_error(ctx, RUNG_EDATA, "the model cannot be described: ");
    json_t *root = description(m);
    *json = json_text(ctx, root, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return *json ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: the description of the model");
}
