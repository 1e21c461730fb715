// SPDX-License-Identifier: BSD-3-Clause
/* Reads what structure.c writes back into a model; nothing is trusted, everything is checked. */
#include <limits.h>
#include <string.h>

#include "base/checked.h"
#include "data/derive.h"
#include "data/random_terms.h"
#include "model/file.h"

enum { MOST_MEMBERS = 1 << 16 }; /* an element takes more room here than in the file */

typedef struct {
    rung_ctx *ctx;
    pool *mem;
} reader;

static rung_status length(reader *r, json_t *json, const char *what, int *out)
{
    if (!json_is_array(json)) return set_error(r->ctx, RUNG_EFORMAT, "%s is not a list", what);
    if (json_array_size(json) > INT_MAX) return set_error(r->ctx, RUNG_EFORMAT, "%s is too long", what);
    *out = (int)json_array_size(json);
    return RUNG_OK;
}

static rung_status as_int(reader *r, json_int_t x, const char *what, int *out)
{
    if (x < 0 || x > INT_MAX) return set_error(r->ctx, RUNG_EFORMAT, "%s is %lld", what, (long long)x);
    *out = (int)x;
    return RUNG_OK;
}

/* Whatever counts or numbers something: see base/checked.h. */
static rung_status as_count(reader *r, json_int_t x, int64_t least, const char *what, int64_t *out)
{
    if (!count_fits(x, least)) return set_error(r->ctx, RUNG_EFORMAT, "%s is %lld", what, (long long)x);
    *out = x;
    return RUNG_OK;
}

static rung_status one_of(reader *r, const char *text, const char *const *names, const char *what, int *out)
{
    for (*out = 0; names[*out]; ++*out)
        if (strcmp(text, names[*out]) == 0) return RUNG_OK;
    return set_error(r->ctx, RUNG_EFORMAT, "unknown %s '%s'", what, text);
}

static rung_status read_texts(reader *r, json_t *json, const char *what, int *n, const char ***out)
{
    TRY(length(r, json, what, n));
    TRY(NEW(r->ctx, r->mem, *out, *n));
    for (int i = 0; i < *n; i++) {
        const char *text = json_string_value(json_array_get(json, (size_t)i));
        if (!text) return set_error(r->ctx, RUNG_EFORMAT, "%s: item %d is not a string", what, i + 1);
        TRY(pool_text(r->ctx, r->mem, text, &(*out)[i]));
    }
    return RUNG_OK;
}

static rung_status read_params(reader *r, json_t *json, rung_model *m)
{
    if (!json_is_object(json) || json_object_size(json) > INT_MAX)
        return set_error(r->ctx, RUNG_EFORMAT, "params is not an object");
    TRY(NEW(r->ctx, r->mem, m->params, (int64_t)json_object_size(json)));
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        model_param *p = &m->params[m->n_params++];
        TRY(pool_text(r->ctx, r->mem, name, &p->name));
        if (json_is_null(value)) continue;
        if (!json_is_string(value)) return set_error(r->ctx, RUNG_EFORMAT, "parameter %s is not a string", name);
        TRY(pool_text(r->ctx, r->mem, json_string_value(value), &p->value));
    }
    return RUNG_OK;
}

static rung_status read_column(reader *r, json_t *json, coding *code, column_code *one)
{
    const char *name = NULL, *form = NULL, *dates = NULL, *unit = NULL;
    json_t *categories = NULL, *range = NULL;
    json_int_t position = 0, reference = -1, common = -1;
    int hidden = 0;
    TRY(json_take(r->ctx, json, "a column", "{s:s, s:I, s:o, s?s, s?s, s?I, s?s, s?b, s?I, s?o}", "name", &name,
                  "position", &position, "categories", &categories, "form", &form, "dates", &dates, "reference",
                  &reference, "unit", &unit, "hidden", &hidden, "common", &common, "range", &range));
    one->hidden = hidden;
    if (form && !form_find(form, &one->form))
        return set_error(r->ctx, RUNG_EFORMAT, "a column of the unknown form '%.40s'", form);
    if (dates && !date_order_find(dates, &one->dates))
        return set_error(r->ctx, RUNG_EFORMAT, "dates in the unknown order '%.40s'", dates);
    TRY(pool_text(r->ctx, r->mem, name, &one->name));
    TRY(as_count(r, position, 0, "the position of a column", &one->position));
    one->first = code->d;
    one->nominal = !form && !json_is_null(categories);
    if (unit) TRY(pool_text(r->ctx, r->mem, unit, &one->unit));
    if (!json_is_null(categories)) {
        int n;
        TRY(read_texts(r, categories, "the categories of a column", &n, &one->categories));
        one->n_categories = n;
        one->reference = column_first_reference(one);
    }
    if (reference >= 0) TRY(as_count(r, reference, 0, "the reference category of a column", &one->reference));
    one->common = one->reference;
    one->known = range || common >= 0;
    if (common >= 0) TRY(as_count(r, common, 0, "the most frequent category of a column", &one->common));
    if (range) TRY(json_take(r->ctx, range, "the range of a column", "[F, F]", &one->low, &one->high));
    code->d += column_width(one);
    return RUNG_OK;
}

/* A character between cells or in numbers; 0: it is not said. */
static rung_status as_character(reader *r, json_int_t value, const char *what, char *out)
{
    if (value < 0 || value > 126 || (value > 0 && value < 32 && value != '\t'))
        return set_error(r->ctx, RUNG_EFORMAT, "%s is %lld, which is no character", what, (long long)value);
    *out = (char)value;
    return RUNG_OK;
}

static rung_status read_part(reader *r, json_t *json, derived_part *out)
{
    json_t *steps = NULL;
    json_int_t place = 0;
    int full = 0;
    TRY(json_take(r->ctx, json, "a factor of a derived column", "{s:I, s:o, s?b}", "column", &place, "steps", &steps,
                  "full", &full));
    out->column = place;
    out->full = full;
    TRY(length(r, steps, "the steps of a derived column", &out->n_steps));
    if (out->n_steps > DERIVE_STEPS)
        return set_error(r->ctx, RUNG_EFORMAT, "a derived column of %d steps", out->n_steps);
    for (int k = 0; k < out->n_steps; k++) {
        const char *text = json_string_value(json_array_get(steps, (size_t)k));
        if (!text || !derive_step_read(text, &out->step[k]))
            return set_error(r->ctx, RUNG_EFORMAT, "a derived column has the unknown step '%.40s'", text ? text : "");
    }
    return RUNG_OK;
}

/* From the coding of the cells, which was read, to that of the columns with those that are derived. */
static rung_status read_derived(reader *r, json_t *json, coding *code)
{
    derivation *d = NULL;
    int n = 0;
    TRY(length(r, json, "derived columns", &n));
    TRY(NEW(r->ctx, r->mem, d, 1));
    TRY(NEW(r->ctx, r->mem, d->term, n));
    d->cells = *code;
    d->n = n;
    for (int i = 0; i < n; i++) {
        json_t *parts = json_array_get(json, (size_t)i);
        TRY(length(r, parts, "the factors of a derived column", &d->term[i].n_parts));
        for (int k = 0; k < d->term[i].n_parts && k < DERIVE_PARTS; k++)
            TRY(read_part(r, json_array_get(parts, (size_t)k), &d->term[i].part[k]));
    }
    for (int64_t j = 0; j < code->n_columns; j++)
        if (code->columns[j].nominal &&
            (code->columns[j].reference < 0 || code->columns[j].reference >= code->columns[j].n_categories))
            return set_error(r->ctx, RUNG_EFORMAT, "column %lld has no category to compare the others with",
                             (long long)j + 1);
    TRY(derive_check(r->ctx, d, RUNG_EFORMAT));
    return derive_coding(r->ctx, r->mem, d, code);
}

/* A list of at most `room` places of columns; *out NULL: room for them is made. */
static rung_status read_places(reader *r, json_t *json, int room, const char *what, int *n, int64_t **out)
{
    TRY(length(r, json, what, n));
    if (*n > room) return set_error(r->ctx, RUNG_EFORMAT, "%s: %d of them", what, *n);
    if (!*out) TRY(NEW(r->ctx, r->mem, *out, *n));
    for (int k = 0; k < *n; k++) {
        json_t *one = json_array_get(json, (size_t)k);
        if (!json_is_integer(one)) return set_error(r->ctx, RUNG_EFORMAT, "%s: item %d is no number", what, k + 1);
        TRY(as_count(r, json_integer_value(one), 0, what, &(*out)[k]));
    }
    return RUNG_OK;
}

static rung_status read_random(reader *r, json_t *json, coding *code)
{
    TRY(length(r, json, "the random terms", &code->n_random));
    TRY(NEW(r->ctx, r->mem, code->random, code->n_random));
    for (int i = 0; i < code->n_random; i++) {
        random_term *t = &code->random[i];
        json_t *groups = NULL, *slopes = NULL;
        int64_t *factor = t->factor, *slope = t->slope;
        TRY(json_take(r->ctx, json_array_get(json, (size_t)i), "a random term", "{s:o, s:o}", "groups", &groups,
                      "slopes", &slopes));
        TRY(read_places(r, groups, RANDOM_FACTORS, "the columns of groups", &t->n_factors, &factor));
        TRY(read_places(r, slopes, RANDOM_SLOPES, "the random slopes", &t->n_slopes, &slope));
    }
    return RUNG_OK;
}

static rung_status read_coding(reader *r, json_t *json, coding *code)
{
    int names = 0, real = 0, edges = 0, n = 0;
    json_t *columns = NULL, *classes = NULL, *derived = NULL, *random = NULL;
    const char *label = NULL, *weights = NULL, *groups = NULL;
    json_int_t label_position = 0, file_columns = 0, decimal = 0, delimiter = 0;
    TRY(json_take(r->ctx, json, "coding", "{s:b, s:o, s:s, s:I, s:I, s:o, s:b, s:b, s?s, s?s, s?I, s?I, s?o, s?o}",
                  "names", &names, "columns", &columns, "label", &label, "label_position", &label_position,
                  "file_columns", &file_columns, "classes", &classes, "real", &real, "edges", &edges, "weights",
                  &weights, "groups", &groups, "decimal", &decimal, "delimiter", &delimiter, "derived", &derived,
                  "random", &random));
    if (weights) TRY(pool_text(r->ctx, r->mem, weights, &code->weights));
    if (groups) TRY(pool_text(r->ctx, r->mem, groups, &code->groups));
    TRY(as_character(r, decimal, "the decimal point", &code->decimal));
    TRY(as_character(r, delimiter, "the delimiter", &code->delimiter));
    code->has_names = names;
    code->real = real;
    if (edges) TRY(NEW(r->ctx, r->mem, code->edges, 0)); /* not NULL: its array is to be read */
    TRY(as_count(r, label_position, -1, "the position of the label", &code->label_position));
    TRY(as_count(r, file_columns, 0, "the number of columns of the file", &code->file_columns));
    TRY(pool_text(r->ctx, r->mem, label, &code->label));
    TRY(read_texts(r, classes, "classes", &code->n_classes, &code->classes));
    TRY(length(r, columns, "columns", &n));
    TRY(NEW(r->ctx, r->mem, code->columns, n));
    code->n_columns = n;
    for (int j = 0; j < n; j++) TRY(read_column(r, json_array_get(columns, (size_t)j), code, &code->columns[j]));
    if (derived) TRY(read_derived(r, derived, code));
    return random ? read_random(r, random, code) : RUNG_OK;
}

static rung_status read_kernel(reader *r, json_t *json, int64_t d, kernel *k)
{
    const char *kind = NULL;
    json_int_t degree = 0;
    TRY(json_take(r->ctx, json, "kernel", "{s:s, s?I}", "kind", &kind, "degree", &degree));
    int i = KERNEL_RBF;
    while (i <= KERNEL_PRECOMPUTED && strcmp(kind, kernel_name((kernel_kind)i)) != 0) i++;
    if (i > KERNEL_PRECOMPUTED) return set_error(r->ctx, RUNG_EFORMAT, "unknown kernel '%s'", kind);
    k->kind = (kernel_kind)i;
    k->n_precisions = k->kind == KERNEL_ARD ? d : 0;
    return as_int(r, degree, "the kernel's degree", &k->degree);
}

static rung_status read_neighbours(reader *r, json_t *json, scorer *s)
{
    const char *weights = NULL;
    json_int_t count = 0;
    int i = 0;
    TRY(json_take(r->ctx, json, "neighbours", "{s:I, s:s}", "count", &count, "weights", &weights));
    TRY(one_of(r, weights, weight_names, "weights", &i));
    s->weights = (weight_kind)i;
    return as_count(r, count, 1, "the number of neighbours", &s->neighbours);
}

static rung_status read_trees(reader *r, json_t *json, int64_t columns, scorer *s)
{
    json_int_t count = 0, words = 0;
    int votes = 0;
    TRY(json_take(r->ctx, json, "trees", "{s:I, s:I, s?b}", "count", &count, "words", &words, "votes", &votes));
    s->trees = (forest){.outputs = s->outputs, .votes = votes, .n_columns = columns};
    TRY(as_count(r, count, 0, "the number of trees", &s->trees.n_trees));
    return as_count(r, words, 0, "the number of words of the trees' sets", &s->trees.n_words);
}

static rung_status read_link(reader *r, json_t *json, probit_link *link)
{
    static const char *const over[] = {"coefficients", "functions", NULL};
    const char *text = NULL, *name = NULL;
    json_int_t rank = 0;
    int i = 0, logit = 0, inferred = 0, kind = LINK_PROBIT, own = 0, uneven = 0;
    TRY(json_take(r->ctx, json, "probit", "{s:I, s:s, s?b, s?b, s?s, s?b, s?b}", "rank", &rank, "over", &text, "logit",
                  &logit, "inferred", &inferred, "link", &name, "own", &own, "uneven", &uneven));
    if (name) TRY(one_of(r, name, link_names, "link", &kind));
    TRY(one_of(r, text, over, "posterior over", &i));
    TRY(as_count(r, rank, 0, "the rank of the covariance", &link->rank));
    link->own = own;
    link->uneven = uneven;
    link->kind = logit ? LINK_LOGIT : (link_kind)kind;
    if (inferred) TRY(NEW(r->ctx, r->mem, link->spread, 0)); /* not NULL: its array is to be read */
    link->functions = i;
    return RUNG_OK;
}

static rung_status read_effects(reader *r, json_t *json, random_effects **out)
{
    const char *link = NULL;
    json_t *terms = NULL;
    int kind = 0;
    random_effects *e = NULL;
    TRY(NEW(r->ctx, r->mem, e, 1));
    TRY(json_take(r->ctx, json, "the random effects", "{s:s, s:o}", "link", &link, "terms", &terms));
    TRY(one_of(r, link, link_names, "link", &kind));
    e->link = (link_kind)kind;
    TRY(length(r, terms, "the random effects", &e->n));
    if (e->n > RANDOM_TERMS) return set_error(r->ctx, RUNG_EFORMAT, "%d terms of random effects", e->n);
    TRY(NEW(r->ctx, r->mem, e->term, e->n));
    for (int i = 0; i < e->n; i++) {
        random_effect *t = &e->term[i];
        json_t *factors = NULL, *slopes = NULL;
        json_int_t groups = 0;
        TRY(json_take(r->ctx, json_array_get(terms, (size_t)i), "a term of random effects", "{s:o, s:o, s:I}",
                      "factors", &factors, "slopes", &slopes, "groups", &groups));
        TRY(read_places(r, factors, RANDOM_FACTORS, "the columns of groups", &t->n_factors, &t->factor));
        TRY(read_places(r, slopes, RANDOM_SLOPES, "the random slopes", &t->q, &t->slope));
        TRY(as_count(r, groups, 0, "the number of groups", &t->n_groups));
        t->q++;
    }
    *out = e;
    return RUNG_OK;
}

/* The scaling is that of the first member; a second scaling comes after it. */
static rung_status read_scalings(reader *r, const char *scale, const char *space, int64_t d, bool first, member *one)
{
    if ((scale != NULL) != first)
        return set_error(r->ctx, RUNG_EFORMAT, "%s", scale ? "a second scaling" : "the scaling is missing");
    if (scale && !scale_parse(scale, &one->scale.kind))
        return set_error(r->ctx, RUNG_EFORMAT, "unknown scaling '%s'", scale);
    if (space && !scale_parse(space, &one->space.kind))
        return set_error(r->ctx, RUNG_EFORMAT, "unknown scaling '%s'", space);
    if (space && one->space_from) return set_error(r->ctx, RUNG_EFORMAT, "two spaces of a member");
    one->scale.d = d;
    one->space.d = space ? d : 0;
    return RUNG_OK;
}

/* The earlier member to which these arrays belong. */
static rung_status read_from(reader *r, json_int_t from, int number, const char *what, int *out)
{
    if (from < 0 || from > number)
        return set_error(r->ctx, RUNG_EFORMAT, "member %d cannot share %s of member %lld", number + 1, what,
                         (long long)from);
    *out = (int)from;
    return RUNG_OK;
}

static bool has_coef(const scorer *s) { return s->kind != SCORER_CONSTANT && s->kind != SCORER_TREES; }

static rung_status check_shared(reader *r, const rung_model *m, int number)
{
    const member *one = &m->members[number];
    const scorer *s = &one->score, *rows = one->rows_from ? &m->members[one->rows_from - 1].score : s;
    const scorer *coef = one->coef_from ? &m->members[one->coef_from - 1].score : s;
    bool stored = s->kind == SCORER_NEIGHBOURS || (s->kind == SCORER_KERNEL && s->k.kind != KERNEL_PRECOMPUTED);
    bool has_rows =
        rows->kind == SCORER_NEIGHBOURS || (rows->kind == SCORER_KERNEL && rows->k.kind != KERNEL_PRECOMPUTED);
    if (one->rows_from && !(stored && has_rows && rows->m == s->m))
        return set_error(r->ctx, RUNG_EFORMAT, "member %d cannot share the rows of member %d", number + 1,
                         one->rows_from);
    if (one->coef_from && (!has_coef(s) || !has_coef(coef) || coef->m != s->m || coef->outputs != s->outputs))
        return set_error(r->ctx, RUNG_EFORMAT, "member %d cannot share the coefficients of member %d", number + 1,
                         one->coef_from);
    return RUNG_OK;
}

/* Which of the sources was found; two of them contradict each other. */
static rung_status read_proba(reader *r, int sources, const bool *found, member *one)
{
    for (int i = 0; i < sources; i++) {
        if (!found[i]) continue;
        if (one->proba != PROBA_NONE)
            return set_error(r->ctx, RUNG_EFORMAT, "a member with several kinds of probabilities");
        one->proba = (proba_source)i;
    }
    return RUNG_OK;
}

static rung_status read_member(reader *r, json_t *json, const rung_model *m, int number)
{
    const char *scale = NULL, *space = NULL, *kind = NULL, *decides = NULL;
    json_int_t outputs = 0, terms = 0, rank = 0, nodes = -1, space_from = 0, rows_from = 0, coef_from = 0;
    json_t *expansion = NULL, *neighbours = NULL, *trees = NULL, *link = NULL, *effects = NULL;
    int tie_up = 0, prior = 0, cumulative = 0, softmax = 0, power = 0, made = 0, i = 0;
    member *one = &m->members[number];
    scorer *s = &one->score;
    TRY(json_take(
        r->ctx, json, "a member",
        "{s?s, s?s, s?I, s?I, s?I, s?b, s?b, s?b, s:s, s:I, s?I, s?o, s?o, s?o, s:s, s?b, s?I, s?I, s?o, s:b, s?b, "
        "s?o}",
        "scale", &scale, "space", &space, "space_from", &space_from, "rows_from", &rows_from, "coef_from", &coef_from,
        "cumulative", &cumulative, "softmax", &softmax, "power", &power, "scorer", &kind, "outputs", &outputs, "terms",
        &terms, "kernel", &expansion, "neighbours", &neighbours, "trees", &trees, "decision", &decides, "tie_up",
        &tie_up, "rank", &rank, "nodes", &nodes, "probit", &link, "prior", &prior, "made", &made, "effects", &effects));
    TRY(read_from(r, space_from, number, "the space", &one->space_from));
    TRY(read_from(r, rows_from, number, "the rows", &one->rows_from));
    TRY(read_from(r, coef_from, number, "the coefficients", &one->coef_from));
    TRY(read_scalings(r, scale, space, m->code.d, number == 0, one));
    s->d = m->code.d;
    TRY(one_of(r, kind, scorer_names, "scorer", &i));
    s->kind = (scorer_kind)i;
    TRY(as_int(r, outputs, "the number of outputs", &s->outputs));
    if ((expansion != NULL) != (s->kind == SCORER_KERNEL))
        return set_error(r->ctx, RUNG_EFORMAT, "a %s scorer %s a kernel", kind, expansion ? "with" : "without");
    if ((neighbours != NULL) != (s->kind == SCORER_NEIGHBOURS))
        return set_error(r->ctx, RUNG_EFORMAT, "a %s scorer %s neighbours", kind, neighbours ? "with" : "without");
    if ((trees != NULL) != (s->kind == SCORER_TREES))
        return set_error(r->ctx, RUNG_EFORMAT, "a %s scorer %s trees", kind, trees ? "with" : "without");
    if (effects && s->kind != SCORER_LINEAR)
        return set_error(r->ctx, RUNG_EFORMAT, "a %s scorer with random effects", kind);
    if (effects) TRY(read_effects(r, effects, &s->random));
    if (trees) TRY(read_trees(r, trees, m->code.n_columns, s));
    if (expansion) TRY(read_kernel(r, expansion, m->code.d, &s->k));
    if (neighbours) TRY(read_neighbours(r, neighbours, s));
    if (made && !expansion) return set_error(r->ctx, RUNG_EFORMAT, "a %s scorer with points that were made", kind);
    s->made = made;
    TRY(as_count(r, s->kind == SCORER_LINEAR ? m->code.d : terms, 0, "the number of terms", &s->m));
    s->trees.n_nodes = trees ? s->m : 0;
    TRY(one_of(r, decides, decision_names, "decision", &i));
    one->decide.kind = (decision_kind)i;
    one->decide.K = one->cal.K = m->n_present;
    one->decide.tie_up = tie_up;
    TRY(as_int(r, rank, "a rank", &one->decide.rank));
    const bool found[] = {
        [PROBA_CALIBRATION] = nodes != -1, [PROBA_PRIOR] = prior && !power,
        [PROBA_PROBIT] = link != NULL,     [PROBA_EFFECTS] = effects != NULL,
        [PROBA_CUMULATIVE] = cumulative,   [PROBA_MEMBERSHIPS] = s->kind == SCORER_NEIGHBOURS && !power,
        [PROBA_SOFTMAX] = softmax,         [PROBA_POWER] = power};
    TRY(read_proba(r, (int)(sizeof found / sizeof *found), found, one));
    if (nodes != -1) TRY(as_int(r, nodes, "the number of nodes", &one->map.n));
    if (link) TRY(read_link(r, link, &one->link));
    if (prior) TRY(NEW(r->ctx, r->mem, one->prior, 0)); /* not NULL: its array is to be read */
    return check_shared(r, m, number);
}

/* The training rows are those of `rows`, which is known by now. */
static rung_status read_training(reader *r, json_t *json, rung_model *m)
{
    int label = 0;
    if (json_is_null(json)) return RUNG_OK;
    TRY(json_take(r->ctx, json, "training", "{s:b}", "label", &label));
    if (m->n_rows < 1 || m->n_members != 1)
        return set_error(r->ctx, RUNG_EFORMAT, "training: %d members with predictions for %lld training rows",
                         m->n_members, (long long)m->n_rows);
    m->training.n = m->n_rows;
    if (label) TRY(NEW(r->ctx, r->mem, m->training.label, 0)); /* not NULL: its array is to be read */
    return RUNG_OK;
}

/* The first model files had no prediction intervals, later ones no ranks of their scores. */
static rung_status read_ranges(reader *r, json_t *json, conformal *c)
{
    json_int_t repeats = 0, scores = 0, missed = 0;
    int ranks = 0;
    if (!json || json_is_null(json)) return RUNG_OK;
    TRY(json_take(r->ctx, json, "ranges", "{s:I, s:I, s:I, s?b}", "repeats", &repeats, "scores", &scores, "missed",
                  &missed, "ranks", &ranks));
    if (ranks) TRY(NEW(r->ctx, r->mem, c->rank, 0)); /* not NULL: its array is to be read */
    TRY(as_count(r, scores, 0, "the number of nonconformity scores", &c->n));
    TRY(as_count(r, missed, 0, "the number of rows never held out", &c->missed));
    return as_int(r, repeats, "the number of repeats", &c->repeats);
}

static rung_status read_temper(reader *r, json_t *json, tempering *t)
{
    json_int_t powers = 0;
    if (!json) return RUNG_OK;
    TRY(json_take(r->ctx, json, "temper", "{s:I}", "powers", &powers));
    TRY(as_int(r, powers, "the number of powers", &t->n));
    return t->n > 0 ? RUNG_OK : set_error(r->ctx, RUNG_EFORMAT, "temper: %d powers", t->n);
}

/* All labelled rows are kept, or none. */
static rung_status read_kept(reader *r, json_t *json, rung_model *m)
{
    int weight = 0, class_weight = 0, chosen = 0, apart = 0;
    json_int_t width = 0;
    json_t *groups = NULL;
    const char *equal = NULL;
    if (json_is_null(json)) return RUNG_OK;
    TRY(json_take(r->ctx, json, "kept", "{s:b, s:b, s:I, s?o, s?b, s?b, s?s}", "weight", &weight, "class_weight",
                  &class_weight, "width", &width, "groups", &groups, "chosen", &chosen, "apart", &apart, "equal_rows",
                  &equal));
    if (equal && (!equal_rule_parse(equal, &m->kept.equal) || m->kept.equal == EQUAL_AUTO))
        return set_error(r->ctx, RUNG_EFORMAT, "kept: the unknown rule '%.40s' for equal rows", equal);
    if (apart && !class_weight) return set_error(r->ctx, RUNG_EFORMAT, "kept: there are no class weights");
    m->kept.multiplied = class_weight && !apart;
    TRY(as_int(r, width, "the width of the kept state", &m->kept.width));
    if (m->n_labelled < 1 || m->n_members != 1)
        return set_error(r->ctx, RUNG_EFORMAT, "kept: %lld rows of %d members", (long long)m->n_labelled, m->n_members);
    m->kept.n = m->n_labelled;
    if (weight) TRY(NEW(r->ctx, r->mem, m->kept.weight, 0)); /* not NULL: their arrays are to be read */
    if (class_weight) TRY(NEW(r->ctx, r->mem, m->kept.class_weight, 0));
    if (chosen) TRY(NEW(r->ctx, r->mem, m->kept.chosen, 0));
    if (!groups) return RUNG_OK;
    TRY(NEW(r->ctx, r->mem, m->kept.group, 0));
    TRY(read_texts(r, groups, "the groups of kept rows", &m->kept.n_groups, &m->kept.groups));
    return RUNG_OK;
}

static rung_status read_report(reader *r, json_t *json, report_entry *out)
{
    const char *name = NULL;
    json_t *count = NULL;
    TRY(json_take(r->ctx, json, "report", "{s:s, s:o}", "name", &name, "count", &count));
    TRY(pool_text(r->ctx, r->mem, name, &out->name));
    if (!json_is_null(count) && !json_is_integer(count))
        return set_error(r->ctx, RUNG_EFORMAT, "report %s has no count", name);
    out->n = -1;
    return json_is_null(count) ? RUNG_OK : as_count(r, json_integer_value(count), 0, "a count of the report", &out->n);
}

/* Counts that are those of the coding and the classes: the walk needs no others. */
static rung_status read_inference(reader *r, json_t *json, const rung_model *m, fit_inference *out)
{
    static const char *const kinds[] = {"model", "groups", "rows", NULL};
    json_int_t count = 0, tests = 0, units = 0, parameters = 0;
    const char *errors = NULL;
    int kind = 0, columns = 0, ranges = 0;
    if (!json) return RUNG_OK;
    TRY(json_take(r->ctx, json, "inference", "{s:I, s:I, s?s, s?I, s?I, s?b, s?b}", "count", &count, "tests", &tests,
                  "errors", &errors, "units", &units, "parameters", &parameters, "columns", &columns, "ranges",
                  &ranges));
    if (errors) TRY(one_of(r, errors, kinds, "standard errors", &kind));
    out->kind = (error_kind)kind;
    TRY(as_count(r, units, 0, "the number of independent units", &out->units));
    TRY(as_count(r, count, 1, "the number of standard errors", &out->n));
    TRY(as_count(r, tests, 0, "the number of tests", &out->tests));
    TRY(as_count(r, parameters, 0, "the number of parameters", &out->parameters));
    if (columns) TRY(NEW(r->ctx, r->mem, out->columns, 0)); /* not NULL: its array is to be read */
    if (ranges) TRY(NEW(r->ctx, r->mem, out->range, 0));
    if (m->n_members != 1) return set_error(r->ctx, RUNG_EFORMAT, "standard errors of %d members", m->n_members);
    int64_t terms = inferred_count(m);
    if (out->n != terms || (out->tests && out->tests != m->code.n_columns + 1))
        return set_error(r->ctx, RUNG_EFORMAT, "%lld standard errors and %lld tests, but %lld coefficients",
                         (long long)out->n, (long long)out->tests, (long long)terms);
    return RUNG_OK;
}

static rung_status read_notes(reader *r, json_t *json, rung_model *m)
{
    const char *name;
    json_t *value;
    if (!json) return RUNG_OK;
    if (!json_is_object(json)) return set_error(r->ctx, RUNG_EFORMAT, "made is not an object");
    TRY(NEW(r->ctx, r->mem, m->notes, (int64_t)json_object_size(json)));
    json_object_foreach(json, name, value)
    {
        if (!json_is_string(value)) return set_error(r->ctx, RUNG_EFORMAT, "made: %s is not a text", name);
        TRY(pool_text(r->ctx, r->mem, name, &m->notes[m->n_notes].name));
        TRY(pool_text(r->ctx, r->mem, json_string_value(value), &m->notes[m->n_notes].value));
        m->n_notes++;
    }
    return RUNG_OK;
}

rung_status model_from_json(rung_ctx *ctx, json_t *json, rung_model *m)
{
    reader r = {ctx, &m->mem};
    const char *method = NULL;
    json_t *params = NULL, *code = NULL, *present = NULL, *members = NULL, *cv = NULL, *report = NULL, *answers = NULL,
           *kept = NULL, *ranges = NULL, *temper = NULL, *inferred = NULL, *made = NULL;
    json_int_t rows = 0, labelled = 0, expansion = 0, copies = 0, equals = 0, intervals = 0, median = 0;
    int sharpen = 0, cost = 0;
    TRY(json_take(ctx, json, "the model",
                  "{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s?I, s?I, s?b, s?o, s?I, s?I, s?o, s:o, s:o, s:o, "
                  "s?b, s?o, s?o}",
                  "method", &method, "params", &params, "coding", &code, "present", &present, "members", &members,
                  "rows", &rows, "labelled", &labelled, "expansion", &expansion, "cv", &cv, "cv_intervals", &intervals,
                  "median", &median, "sharpen", &sharpen, "temper", &temper, "copies", &copies, "equals", &equals,
                  "ranges", &ranges, "report", &report, "training", &answers, "kept", &kept, "cost", &cost, "made",
                  &made, "inference", &inferred));
    TRY(pool_text(ctx, r.mem, method, &m->method));
    TRY(read_params(&r, params, m));
    TRY(read_coding(&r, code, &m->code));
    TRY(as_count(&r, rows, 0, "the number of rows", &m->n_rows));
    TRY(as_count(&r, labelled, 0, "the number of labelled rows", &m->n_labelled));
    TRY(as_count(&r, expansion, 0, "the size of the expansion", &m->n_expansion));
    m->sharpen = sharpen; /* until its number is read */
    m->has_cv = !json_is_null(cv);
    if (m->has_cv && !json_is_integer(cv)) return set_error(ctx, RUNG_EFORMAT, "cv is not a number");
    if (m->has_cv) TRY(as_count(&r, json_integer_value(cv), 0, "the number of rows of cv", &m->cv.n));
    if (m->has_cv) TRY(as_count(&r, intervals, 0, "the number of intervals of cv", &m->cv.intervals));
    if (m->cv.intervals > m->cv.n || (median > 0 && !m->has_cv))
        return set_error(ctx, RUNG_EFORMAT, "cv, its intervals and its median do not go together");
    TRY(as_int(&r, median, "the median", &m->median));
    m->cv_median.n = m->cv.n;
    m->cv_median.intervals = m->cv.intervals;

    TRY(length(&r, present, "present", &m->n_present));
    TRY(NEW(ctx, r.mem, m->present, m->n_present));
    for (int i = 0; i < m->n_present; i++) {
        const json_t *rank = json_array_get(present, (size_t)i);
        if (!json_is_integer(rank)) return set_error(ctx, RUNG_EFORMAT, "present: item %d is not a number", i + 1);
        TRY(as_int(&r, json_integer_value(rank), "a class number", &m->present[i]));
    }
    TRY(length(&r, members, "members", &m->n_members));
    if (m->n_members > MOST_MEMBERS) return set_error(ctx, RUNG_EFORMAT, "%d are too many members", m->n_members);
    TRY(NEW(ctx, r.mem, m->members, m->n_members));
    for (int i = 0; i < m->n_members; i++) TRY(read_member(&r, json_array_get(members, (size_t)i), m, i));
    TRY(length(&r, report, "report", &m->n_report));
    TRY(NEW(ctx, r.mem, m->report, m->n_report));
    for (int i = 0; i < m->n_report; i++) TRY(read_report(&r, json_array_get(report, (size_t)i), &m->report[i]));
    TRY(read_temper(&r, temper, &m->temper));
    if (copies && equals) return set_error(ctx, RUNG_EFORMAT, "there are two rules for equal rows");
    TRY(as_count(&r, equals ? equals : copies, 0, "the number of rows that may have copies", &m->copies.n));
    if (equals) TRY(NEW(ctx, r.mem, m->copies.mass, 0)); /* not NULL: its array is to be read */
    TRY(read_ranges(&r, ranges, &m->ranges));
    TRY(read_training(&r, answers, m));
    TRY(read_inference(&r, inferred, m, &m->inferred));
    if (cost) TRY(NEW(ctx, r.mem, m->cost.matrix, 0)); /* not NULL: its array is to be read */
    TRY(read_notes(&r, made, m));
    return read_kept(&r, kept, m);
}
