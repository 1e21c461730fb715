// SPDX-License-Identifier: BSD-3-Clause
/* Everything in a model that is not an array of numbers, to JSON; structure_read.c reads it. It has only strings,
 * integers and booleans; real numbers are arrays, so they keep every bit. Values that follow from others (where a
 * column's coded columns begin, the number of classes a member knows) are not stored. */
#include "data/derive.h"
#include "data/random_terms.h"
#include "model/file.h"

const char *const scorer_names[] = {"constant", "linear", "kernel", "neighbours", "trees", NULL};
const char *const weight_names[] = {"gaussian", "binary", NULL};
const char *const decision_names[] = {"none",         "thresholds", "calibrated", "constant",
                                      "nearest-mean", "argmax",     "median",     NULL};

json_t *json_texts(int64_t n, const char *const *text)
{
    json_t *out = json_array();
    int bad = 0;
    for (int64_t i = 0; i < n; i++) bad |= json_array_append_new(out, json_string(text[i]));
    return json_whole(out, bad);
}

json_t *json_params(const rung_model *m)
{
    json_t *out = json_object();
    int bad = 0;
    for (int i = 0; i < m->n_params; i++)
        bad |= json_object_set_new(out, m->params[i].name,
                                   m->params[i].value ? json_string(m->params[i].value) : json_null());
    return json_whole(out, bad);
}

static json_t *part_to_json(const derived_part *p)
{
    json_t *out = json_object(), *steps = json_array();
    int bad = json_object_set_new(out, "column", json_integer(p->column));
    char text[STEP_TEXT];
    for (int k = 0; k < p->n_steps; k++)
        bad |= json_array_append_new(steps, json_string(derive_step_text(&p->step[k], text)));
    bad |= json_object_set_new(out, "steps", steps);
    if (p->full) bad |= json_object_set_new(out, "full", json_true());
    return json_whole(out, bad);
}

static json_t *derived_to_json(const derivation *d)
{
    json_t *out = json_array();
    int bad = 0;
    for (int64_t i = 0; i < d->n; i++) {
        json_t *parts = json_array();
        for (int k = 0; k < d->term[i].n_parts; k++)
            bad |= json_array_append_new(parts, part_to_json(&d->term[i].part[k]));
        bad |= json_array_append_new(out, parts);
    }
    return json_whole(out, bad);
}

static json_t *places_to_json(int n, const int64_t *place)
{
    json_t *out = json_array();
    int bad = 0;
    for (int k = 0; k < n; k++) bad |= json_array_append_new(out, json_integer(place[k]));
    return json_whole(out, bad);
}

static json_t *random_to_json(const coding *c)
{
    json_t *out = json_array();
    int bad = 0;
    for (int i = 0; i < c->n_random; i++) {
        const random_term *t = &c->random[i];
        json_t *one = json_object();
        int failed = json_object_set_new(one, "groups", places_to_json(t->n_factors, t->factor));
        failed |= json_object_set_new(one, "slopes", places_to_json(t->n_slopes, t->slope));
        bad |= json_array_append_new(out, json_whole(one, failed));
    }
    return json_whole(out, bad);
}

static json_t *coding_to_json(const coding *c)
{
    json_t *out = json_object(), *columns = json_array();
    const coding *cells = coding_cells(c);
    int bad = 0;
    for (int64_t j = 0; j < cells->n_columns; j++) {
        const column_code *code = &cells->columns[j];
        json_t *one = json_object();
        int failed = json_object_set_new(one, "name", json_string(code->name));
        failed |= json_object_set_new(one, "position", json_integer(code->position));
        failed |= json_object_set_new(
            one, "categories", code->n_categories > 0 ? json_texts(code->n_categories, code->categories) : json_null());
        if (code->nominal && code->reference != column_first_reference(code))
            failed |= json_object_set_new(one, "reference", json_integer(code->reference));
        if (!code->nominal && code->form != FORM_PLAIN)
            failed |= json_object_set_new(one, "form", json_string(form_name(code->form)));
        if (!code->nominal && (code->form == FORM_DAYS || code->form == FORM_CYCLIC))
            failed |= json_object_set_new(one, "dates", json_string(date_order_name(code->dates)));
        if (code->unit) failed |= json_object_set_new(one, "unit", json_string(code->unit));
        if (code->known && code->nominal) failed |= json_object_set_new(one, "common", json_integer(code->common));
        if (code->known && !code->nominal)
            failed |= json_object_set_new(one, "range", json_pack("[f, f]", code->low, code->high));
        if (code->hidden) failed |= json_object_set_new(one, "hidden", json_true());
        bad |= json_array_append_new(columns, json_whole(one, failed));
    }
    bad |= json_object_set_new(out, "names", json_boolean(c->has_names));
    bad |= json_object_set_new(out, "columns", columns);
    if (c->derive) bad |= json_object_set_new(out, "derived", derived_to_json(c->derive));
    if (c->n_random > 0) bad |= json_object_set_new(out, "random", random_to_json(c));
    bad |= json_object_set_new(out, "label", json_string(c->label));
    bad |= json_object_set_new(out, "label_position", json_integer(c->label_position));
    bad |= json_object_set_new(out, "file_columns", json_integer(c->file_columns));
    if (c->decimal) bad |= json_object_set_new(out, "decimal", json_integer(c->decimal));
    if (c->delimiter) bad |= json_object_set_new(out, "delimiter", json_integer(c->delimiter));
    bad |= json_object_set_new(out, "classes", json_texts(c->n_classes, c->classes));
    bad |= json_object_set_new(out, "real", json_boolean(c->real));
    bad |= json_object_set_new(out, "edges", json_boolean(c->edges != NULL));
    if (c->weights) bad |= json_object_set_new(out, "weights", json_string(c->weights));
    if (c->groups) bad |= json_object_set_new(out, "groups", json_string(c->groups));
    return json_whole(out, bad);
}

static json_t *kernel_to_json(const kernel *k)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "kind", json_string(kernel_name(k->kind)));
    if (k->kind == KERNEL_POLY) bad |= json_object_set_new(out, "degree", json_integer(k->degree));
    return json_whole(out, bad);
}

static json_t *neighbours_to_json(const scorer *s)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "count", json_integer(s->neighbours));
    bad |= json_object_set_new(out, "weights", json_string(weight_names[s->weights]));
    return json_whole(out, bad);
}

static json_t *trees_to_json(const forest *f)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "count", json_integer(f->n_trees));
    bad |= json_object_set_new(out, "words", json_integer(f->n_words));
    if (f->votes) bad |= json_object_set_new(out, "votes", json_true());
    return json_whole(out, bad);
}

static json_t *link_to_json(const probit_link *link)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "rank", json_integer(link->rank));
    bad |= json_object_set_new(out, "over", json_string(link->functions ? "functions" : "coefficients"));
    if (link->kind == LINK_LOGIT) bad |= json_object_set_new(out, "logit", json_true());
    if (link->kind > LINK_PROBIT) bad |= json_object_set_new(out, "link", json_string(link_names[link->kind]));
    if (link->own) bad |= json_object_set_new(out, "own", json_true());
    if (link->uneven) bad |= json_object_set_new(out, "uneven", json_true());
    if (link->spread) bad |= json_object_set_new(out, "inferred", json_true());
    return json_whole(out, bad);
}

static json_t *effects_to_json(const random_effects *r)
{
    json_t *out = json_object(), *terms = json_array();
    int bad = json_object_set_new(out, "link", json_string(link_names[r->link]));
    for (int i = 0; i < r->n; i++) {
        const random_effect *t = &r->term[i];
        json_t *one = json_object();
        int failed = json_object_set_new(one, "factors", places_to_json(t->n_factors, t->factor));
        failed |= json_object_set_new(one, "slopes", places_to_json(t->q - 1, t->slope));
        failed |= json_object_set_new(one, "groups", json_integer(t->n_groups));
        bad |= json_array_append_new(terms, json_whole(one, failed));
    }
    bad |= json_object_set_new(out, "terms", terms);
    return json_whole(out, bad);
}

/* Arrays shared with an earlier member, by its number from 1. */
static int shared_to_json(json_t *out, const char *key, int from)
{
    return from ? json_object_set_new(out, key, json_integer(from)) : 0;
}

static json_t *member_to_json(const member *one, bool first)
{
    json_t *out = json_object();
    const scorer *s = &one->score;
    int bad = 0;
    if (first) bad |= json_object_set_new(out, "scale", json_string(scale_name(one->scale.kind)));
    if (one->space.d > 0 && !one->space_from)
        bad |= json_object_set_new(out, "space", json_string(scale_name(one->space.kind)));
    bad |= shared_to_json(out, "space_from", one->space_from);
    bad |= shared_to_json(out, "rows_from", one->rows_from);
    bad |= shared_to_json(out, "coef_from", one->coef_from);
    if (one->proba == PROBA_CUMULATIVE) bad |= json_object_set_new(out, "cumulative", json_true());
    if (one->proba == PROBA_SOFTMAX) bad |= json_object_set_new(out, "softmax", json_true());
    if (one->proba == PROBA_POWER) bad |= json_object_set_new(out, "power", json_true());
    bad |= json_object_set_new(out, "scorer", json_string(scorer_names[s->kind]));
    if (s->made) bad |= json_object_set_new(out, "made", json_true());
    bad |= json_object_set_new(out, "outputs", json_integer(s->outputs));
    if (s->kind == SCORER_KERNEL || s->kind == SCORER_NEIGHBOURS)
        bad |= json_object_set_new(out, "terms", json_integer(s->m));
    if (s->kind == SCORER_KERNEL) bad |= json_object_set_new(out, "kernel", kernel_to_json(&s->k));
    if (s->kind == SCORER_NEIGHBOURS) bad |= json_object_set_new(out, "neighbours", neighbours_to_json(s));
    if (s->kind == SCORER_TREES) {
        bad |= json_object_set_new(out, "terms", json_integer(s->m));
        bad |= json_object_set_new(out, "trees", trees_to_json(&s->trees));
    }
    bad |= json_object_set_new(out, "decision", json_string(decision_names[one->decide.kind]));
    if (one->decide.kind == DECISION_THRESHOLDS)
        bad |= json_object_set_new(out, "tie_up", json_boolean(one->decide.tie_up));
    if (one->decide.kind == DECISION_CONSTANT) bad |= json_object_set_new(out, "rank", json_integer(one->decide.rank));
    if (one->proba == PROBA_CALIBRATION) bad |= json_object_set_new(out, "nodes", json_integer(one->map.n));
    if (one->proba == PROBA_PROBIT) bad |= json_object_set_new(out, "probit", link_to_json(&one->link));
    if (s->random) bad |= json_object_set_new(out, "effects", effects_to_json(s->random));
    bad |= json_object_set_new(out, "prior", json_boolean(one->prior != NULL));
    return json_whole(out, bad);
}

static json_t *report_to_json(const report_entry *r)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "name", json_string(r->name));
    bad |= json_object_set_new(out, "count", r->n == -1 ? json_null() : json_integer(r->n));
    return json_whole(out, bad);
}

static json_t *training_to_json(const transduction *t)
{
    if (t->n == 0) return json_null();
    json_t *out = json_object();
    int bad = json_object_set_new(out, "label", json_boolean(t->label != NULL));
    return json_whole(out, bad);
}

static json_t *ranges_to_json(const conformal *c)
{
    if (c->repeats == 0) return json_null();
    json_t *out = json_object();
    int bad = json_object_set_new(out, "repeats", json_integer(c->repeats));
    bad |= json_object_set_new(out, "scores", json_integer(c->n));
    bad |= json_object_set_new(out, "missed", json_integer(c->missed));
    if (c->rank) bad |= json_object_set_new(out, "ranks", json_true());
    return json_whole(out, bad);
}

static json_t *kept_to_json(const kept_data *k)
{
    if (k->n == 0) return json_null();
    json_t *out = json_object();
    int bad = json_object_set_new(out, "weight", json_boolean(k->weight != NULL));
    bad |= json_object_set_new(out, "class_weight", json_boolean(k->class_weight != NULL));
    bad |= json_object_set_new(out, "width", json_integer(k->width));
    if (k->class_weight && !k->multiplied) bad |= json_object_set_new(out, "apart", json_true());
    if (k->equal != EQUAL_AUTO) bad |= json_object_set_new(out, "equal_rows", json_string(equal_rule_name(k->equal)));
    if (k->group) bad |= json_object_set_new(out, "groups", json_texts(k->n_groups, k->groups));
    if (k->chosen) bad |= json_object_set_new(out, "chosen", json_true());
    return json_whole(out, bad);
}

static json_t *notes_to_json(const rung_model *m)
{
    json_t *out = json_object();
    int bad = 0;
    for (int i = 0; i < m->n_notes; i++)
        bad |= json_object_set_new(out, m->notes[i].name, json_string(m->notes[i].value));
    return json_whole(out, bad);
}

static json_t *inference_to_json(const fit_inference *i)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "count", json_integer(i->n));
    bad |= json_object_set_new(out, "tests", json_integer(i->tests));
    if (i->units) bad |= json_object_set_new(out, "errors", json_string(model_errors(i)));
    if (i->units) bad |= json_object_set_new(out, "units", json_integer(i->units));
    if (i->parameters) bad |= json_object_set_new(out, "parameters", json_integer(i->parameters));
    if (i->columns) bad |= json_object_set_new(out, "columns", json_true());
    if (i->range) bad |= json_object_set_new(out, "ranges", json_true());
    return json_whole(out, bad);
}

static json_t *temper_to_json(const tempering *t)
{
    json_t *out = json_object();
    int bad = json_object_set_new(out, "powers", json_integer(t->n));
    return json_whole(out, bad);
}

json_t *model_to_json(const rung_model *m)
{
    json_t *out = json_object(), *present = json_array(), *members = json_array(), *report = json_array();
    int bad = 0;
    for (int i = 0; i < m->n_present; i++) bad |= json_array_append_new(present, json_integer(m->present[i]));
    for (int i = 0; i < m->n_members; i++)
        bad |= json_array_append_new(members, member_to_json(&m->members[i], i == 0));
    for (int i = 0; i < m->n_report; i++) bad |= json_array_append_new(report, report_to_json(&m->report[i]));
    bad |= json_object_set_new(out, "method", json_string(m->method));
    bad |= json_object_set_new(out, "params", json_params(m));
    bad |= json_object_set_new(out, "coding", coding_to_json(&m->code));
    bad |= json_object_set_new(out, "present", present);
    bad |= json_object_set_new(out, "members", members);
    bad |= json_object_set_new(out, "rows", json_integer(m->n_rows));
    bad |= json_object_set_new(out, "labelled", json_integer(m->n_labelled));
    bad |= json_object_set_new(out, "expansion", json_integer(m->n_expansion));
    bad |= json_object_set_new(out, "cv", m->has_cv ? json_integer(m->cv.n) : json_null());
    if (m->cv.intervals > 0) bad |= json_object_set_new(out, "cv_intervals", json_integer(m->cv.intervals));
    if (m->median > 0) bad |= json_object_set_new(out, "median", json_integer(m->median));
    if (m->sharpen > 0) bad |= json_object_set_new(out, "sharpen", json_true());
    if (m->temper.n > 0) bad |= json_object_set_new(out, "temper", temper_to_json(&m->temper));
    const char *rule = m->copies.mass ? "equals" : "copies";
    if (m->copies.n > 0) bad |= json_object_set_new(out, rule, json_integer(m->copies.n));
    bad |= json_object_set_new(out, "ranges", ranges_to_json(&m->ranges));
    bad |= json_object_set_new(out, "report", report);
    bad |= json_object_set_new(out, "training", training_to_json(&m->training));
    bad |= json_object_set_new(out, "kept", kept_to_json(&m->kept));
    if (m->cost.matrix) bad |= json_object_set_new(out, "cost", json_true());
    if (m->n_notes > 0) bad |= json_object_set_new(out, "made", notes_to_json(m));
    if (m->inferred.n > 0) bad |= json_object_set_new(out, "inference", inference_to_json(&m->inferred));
    return json_whole(out, bad);
}
