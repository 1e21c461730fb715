// SPDX-License-Identifier: BSD-3-Clause
/* A method with its parameter values: text in, checked against the table row, stored in the method's own struct. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "fit/method.h"

static int count_params(const method *m)
{
    int n = 0;
    while (m->params[n].info.name) n++;
    return n;
}

/* Position of value in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (int i = 0;; i++) {
        const char *end = strchr(choices, '|');
        size_t size = end ? (size_t)(end - choices) : strlen(choices);
        if (size == length && strncmp(choices, value, size) == 0) return i;
        if (!end) return -1;
        choices = end + 1;
    }
}

static rung_status out_of_range(rung_ctx *ctx, const rung_param *row, const char *value)
{
    char low[32], high[32];
    text_format(row->low, low);
    text_format(row->high, high);
    const char *open = row->flags & RUNG_PARAM_OPEN_LOW ? "above" : "at least",
               *automatic = row->flags & RUNG_PARAM_AUTO ? ", or auto" : "";
    if (isinf(row->high))
        return set_error(ctx, RUNG_EARG, "%s=%s is out of range: it must be %s %s%s", row->name, value, open, low,
                         automatic);
    return set_error(ctx, RUNG_EARG, "%s=%s is out of range: it must be %s %s and at most %s%s", row->name, value, open,
                     low, high, automatic);
}

static bool is_auto(const rung_param *row, const char *value)
{
    return (row->flags & RUNG_PARAM_AUTO) && text_equal(value, "auto");
}

/* c/d, d the number of columns, is -c. */
static rung_status read_real(rung_ctx *ctx, const rung_param *row, const char *value, double *out)
{
    size_t length = strlen(value);
    bool per_column = (row->flags & RUNG_PARAM_PER_COLUMN) && length > 2 && strcmp(value + length - 2, "/d") == 0;
    double x;
    if (!text_number(value, per_column ? length - 2 : length, '.', &x) || isnan(x))
        return set_error(ctx, RUNG_EARG, "%s=%s: expected a number%s", row->name, value,
                         row->flags & RUNG_PARAM_AUTO ? " or auto" : "");
    if (x < row->low || x > row->high || isinf(x) || ((row->flags & RUNG_PARAM_OPEN_LOW) && x == row->low))
        return out_of_range(ctx, row, value);
    *out = per_column ? -x : x;
    return RUNG_OK;
}

static rung_status read_integer(rung_ctx *ctx, const rung_param *row, const char *value, int *out)
{
    int64_t x = 0;
    if (!text_integer(value, strlen(value), &x))
        return set_error(ctx, RUNG_EARG, "%s=%s: expected a whole number%s%s%s", row->name, value,
                         !(row->flags & RUNG_PARAM_AUTO) ? ""
                         : row->choices                  ? ", auto"
                                                         : " or auto",
                         row->choices ? " or " : "", row->choices ? row->choices : "");
    if ((double)x < row->low || (double)x > row->high) return out_of_range(ctx, row, value);
    *out = (int)x;
    return RUNG_OK;
}

/* value NULL: unset (RUNG_PARAM_OPTIONAL rows only, which are numbers or texts, by their default). */
static rung_status read_value(rung_ctx *ctx, rung_spec *spec, const param_row *at, const char *value)
{
    const rung_param *row = &at->info;
    void *place = (char *)spec->params + at->place;
    switch (row->type) {
    case RUNG_TYPE_REAL: {
        double x = NAN;
        if (value && !is_auto(row, value)) TRY(read_real(ctx, row, value, &x));
        *(double *)place = x;
        return RUNG_OK;
    }
    case RUNG_TYPE_INT: { /* one word may stand for 0 */
        bool zero = row->choices && strcmp(value, row->choices) == 0;
        int x = is_auto(row, value) ? -1 : 0;
        if (x == 0 && !zero) TRY(read_integer(ctx, row, value, &x));
        *(int *)place = x;
        return RUNG_OK;
    }
    case RUNG_TYPE_CHOICE: {
        int x = choice_index(row->choices, value);
        if (x < 0) return set_error(ctx, RUNG_EARG, "%s=%s: expected one of %s", row->name, value, row->choices);
        *(int *)place = x;
        return RUNG_OK;
    }
    case RUNG_TYPE_TEXT: *(const char **)place = value; return RUNG_OK;
    }
    return set_error(ctx, RUNG_EINTERNAL, "parameter %s has an unknown type", row->name);
}

static rung_status store(rung_ctx *ctx, rung_spec *spec, const param_row *at, const char *value)
{
    rung_status status = read_value(ctx, spec, at, value);
    return status == RUNG_OK ? status : hint(ctx, status, "parameter %s", at->info.name);
}

static int edits(const char *name, const char *candidate) /* a beginning of a name is always near */
{
    size_t length = strlen(name);
    return length > 1 && strncmp(name, candidate, length) == 0 ? 0 : text_distance(name, candidate);
}

/* The name with the fewest edits, if that is few enough to be meant. */
static const char *nearest(const char *name, const char *best, const char *candidate)
{
    int distance = edits(name, candidate);
    if (distance > 1 + (int)strlen(name) / 3) return best;
    return !best || distance < edits(name, best) ? candidate : best;
}

static rung_status unknown_method(rung_ctx *ctx, const char *name)
{
    const char *best = NULL;
    for (int i = 0; method_table[i]; i++) best = nearest(name, best, method_table[i]->info.name);
    if (best) return set_error(ctx, RUNG_EARG, "unknown method '%s'; did you mean '%s'?", name, best);
    return hint(ctx, set_error(ctx, RUNG_EARG, "unknown method '%s'", name), "methods");
}

rung_status spec_new(rung_ctx *ctx, const char *name, bool published, rung_spec **out)
{
    *out = NULL;
    const method *m = method_find(name);
    if (!m) return unknown_method(ctx, name);
    rung_spec *spec = object_new(ctx, sizeof *spec);
    if (!spec) return set_error(ctx, RUNG_ENOMEM, "out of memory: a method's parameters");
    spec->method = m;
    spec->scale = SCALE_STANDARD;
    char *params = NULL;
    rung_status status = NEW(ctx, &spec->mem, params, m->params_size);
    if (status == RUNG_OK) status = NEW(ctx, &spec->mem, spec->values, count_params(m));
    spec->params = params;
    for (int i = 0; status == RUNG_OK && m->params[i].info.name; i++) {
        const rung_param *row = &m->params[i].info;
        spec->values[i] = published ? row->published : row->default_value;
        status = store(ctx, spec, &m->params[i], spec->values[i]);
    }
    if (status != RUNG_OK) {
        spec_free(spec);
        return status;
    }
    *out = spec;
    return RUNG_OK;
}

static rung_status copy_settings(rung_ctx *ctx, const rung_spec *from, rung_spec *to)
{
    for (int i = 0; from->method->params[i].info.name; i++) {
        to->values[i] = NULL;
        if (from->values[i]) TRY(pool_text(ctx, &to->mem, from->values[i], &to->values[i]));
        TRY(store(ctx, to, &from->method->params[i], to->values[i]));
    }
    to->scale = from->scale;
    for (int i = 0; i < from->n_weights; i++) TRY(spec_set_weight(ctx, to, from->weight_class[i], from->weight[i]));
    TRY(cost_copy(ctx, &to->mem, from->n_cost, from->cost.matrix, from->cost.abstain, &to->cost));
    to->n_cost = from->n_cost;
    to->balanced = from->balanced;
    to->equal = from->equal;
    to->keep_data = from->keep_data;
    to->bare = from->bare;
    to->baseline = from->baseline;
    return RUNG_OK;
}

rung_status spec_copy(rung_ctx *ctx, const rung_spec *spec, rung_spec **out)
{
    TRY(spec_new(ctx, spec->method->info.name, false, out));
    rung_status status = copy_settings(ctx, spec, *out);
    if (status == RUNG_OK) return RUNG_OK;
    spec_free(*out);
    *out = NULL;
    return status;
}

rung_status spec_set(rung_ctx *ctx, rung_spec *spec, const char *name, const char *value)
{
    const param_row *rows = spec->method->params;
    for (int i = 0; rows[i].info.name; i++)
        if (strcmp(rows[i].info.name, name) == 0) {
            const char *kept;
            TRY(pool_text(ctx, &spec->mem, value, &kept));
            TRY(store(ctx, spec, &rows[i], kept));
            spec->values[i] = kept;
            return RUNG_OK;
        }
    const char *best = NULL;
    for (int i = 0; rows[i].info.name; i++) best = nearest(name, best, rows[i].info.name);
    const char *method_name = spec->method->info.name;
    if (best) return set_error(ctx, RUNG_EARG, "%s has no parameter '%s'; did you mean '%s'?", method_name, name, best);
    if (!rows[0].info.name)
        return set_error(ctx, RUNG_EARG, "%s has no parameters; '%s' belongs to another method", method_name, name);
    return hint(ctx, set_error(ctx, RUNG_EARG, "%s has no parameter '%s'", method_name, name), "method %s",
                method_name);
}

const char *spec_value(const rung_spec *spec, const char *name)
{
    const param_row *rows = spec->method->params;
    for (int i = 0; rows[i].info.name; i++)
        if (strcmp(rows[i].info.name, name) == 0) return spec->values[i];
    return NULL;
}

bool spec_is_default(const rung_spec *spec)
{
    const param_row *rows = spec->method->params;
    for (int i = 0; rows[i].info.name; i++) {
        const char *value = spec->values[i], *standard = rows[i].info.default_value;
        if (strcmp(rows[i].info.name, "calibrate") == 0 || value == standard) continue;
        if (!value || !standard || strcmp(value, standard) != 0) return false;
    }
    return true;
}

rung_status spec_set_scale(rung_ctx *ctx, rung_spec *spec, const char *scale)
{
    if (scale_parse(scale, &spec->scale)) return RUNG_OK;
    return set_error(ctx, RUNG_EARG, "unknown scaling '%s'; expected one of standard, minmax, rank, relevance, none",
                     scale);
}

rung_status spec_set_equal_rows(rung_ctx *ctx, rung_spec *spec, const char *rule)
{
    if (equal_rule_parse(rule, &spec->equal)) return RUNG_OK;
    return hint(ctx, set_error(ctx, RUNG_EARG, "unknown rule '%s'; expected together, apart or auto", rule),
                "option equal_rows");
}

rung_status cannot_update(rung_ctx *ctx, const char *method_name)
{
    char able[256] = "";
    for (int i = 0; method_table[i]; i++) {
        size_t used = strlen(able);
        if (method_table[i]->update)
            snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", method_table[i]->info.name);
    }
    return set_error(ctx, RUNG_EARG, "a %s model cannot be updated with new rows (%s models can)", method_name, able);
}

rung_status spec_set_weight(rung_ctx *ctx, rung_spec *spec, const char *class_name, double weight)
{
    if (!(weight >= 0) || isinf(weight))
        return set_error(ctx, RUNG_EARG, "the weight of class '%s' must be a finite number >= 0", class_name);
    if (!(spec->method->info.flags & RUNG_METHOD_WEIGHTS))
        return set_error(ctx, RUNG_EARG, "%s does not support class weights", spec->method->info.name);
    const char *name;
    TRY(pool_text(ctx, &spec->mem, class_name, &name));
    TRY(RESIZE(ctx, &spec->mem, spec->weight_class, spec->n_weights + 1));
    TRY(RESIZE(ctx, &spec->mem, spec->weight, spec->n_weights + 1));
    spec->weight_class[spec->n_weights] = name;
    spec->weight[spec->n_weights++] = weight;
    return RUNG_OK;
}

rung_status spec_set_balanced(rung_ctx *ctx, rung_spec *spec, bool balanced)
{
    if (balanced && !(spec->method->info.flags & RUNG_METHOD_WEIGHTS))
        return set_error(ctx, RUNG_EARG, "%s does not support class weights", spec->method->info.name);
    spec->balanced = balanced;
    return RUNG_OK;
}

rung_status spec_set_keep_data(rung_ctx *ctx, rung_spec *spec, bool keep)
{
    if (keep && !spec->method->update) return cannot_update(ctx, spec->method->info.name);
    spec->keep_data = keep;
    return RUNG_OK;
}

/* A method that can do without rows has a parameter for it. */
rung_status spec_set_keep_rows(rung_ctx *ctx, rung_spec *spec, bool keep)
{
    spec->bare = !keep;
    return spec_value(spec, "stored-rows") ? spec_set(ctx, spec, "stored-rows", keep ? "with" : "without") : RUNG_OK;
}

rung_status spec_set_cost(rung_ctx *ctx, rung_spec *spec, int classes, const double *cost, double abstain)
{
    answer_cost copy;
    if (classes < 1) return set_error(ctx, RUNG_EARG, "costs of %d classes: expected at least 1", classes);
    TRY(cost_copy(ctx, &spec->mem, classes, cost, abstain, &copy));
    spec->cost = copy;
    spec->n_cost = copy.matrix ? classes : 0;
    return RUNG_OK;
}

rung_status spec_set_baseline(rung_ctx *ctx, rung_spec *spec, bool wanted)
{
    if (wanted && !(spec->method->info.flags & RUNG_METHOD_USES_UNLABELLED))
        return set_error(ctx, RUNG_EARG, "%s ignores unlabelled rows: label propagation is no baseline for it",
                         spec->method->info.name);
    spec->baseline = wanted;
    return RUNG_OK;
}

bool method_can_hold_out(const method *m, const void *params)
{
    return m->hold_out && (!m->can_hold_out || m->can_hold_out(params));
}

void spec_free(rung_spec *spec)
{
    if (!spec) return;
    pool_free_all(&spec->mem);
    object_free(spec);
}

rung_status kernel_from_params(rung_ctx *ctx, pool *mem, const kernel_params *params, kernel *out)
{
    *out = (kernel){
        .kind = (kernel_kind)params->kind, .gamma = params->gamma, .coef0 = params->coef0, .degree = params->degree};
    if (!isnan(params->width)) {
        if (!isnan(params->gamma))
            return set_error(ctx, RUNG_EARG, "gamma and width exclude each other (gamma = 1 / (2 width^2))");
        out->gamma = 0.5 / (params->width * params->width);
        if (!(out->gamma > 0 && isfinite(out->gamma)))
            return set_error(ctx, RUNG_EARG, "width=%g gives gamma = 1 / (2 width^2) = %g, which is no kernel",
                             params->width, out->gamma);
    }
    if (out->kind != KERNEL_ARD) {
        if (params->precisions)
            return set_error(ctx, RUNG_EARG, "precisions need kernel=ard, not kernel=%s", kernel_name(out->kind));
        return RUNG_OK;
    }
    if (!params->precisions)
        return set_error(ctx, RUNG_EARG, "kernel=ard needs precisions=s1,s2,... (one per coded column)");
    out->gamma = 1;
    double *s = NULL;
    TRY(NEW(ctx, mem, s, (int64_t)strlen(params->precisions) / 2 + 1));
    for (const char *p = params->precisions;;) {
        size_t length = strcspn(p, ",");
        double x;
        if (!text_number(p, length, '.', &x) || !(x >= 0) || isinf(x))
            return set_error(ctx, RUNG_EARG, "precisions: '%.*s' is not a number >= 0", (int)length, p);
        s[out->n_precisions++] = x;
        if (!p[length]) break;
        p += length + 1;
    }
    out->precisions = s;
    return RUNG_OK;
}

rung_status kernel_prepare(rung_ctx *ctx, problem *p, const kernel_params *params, kernel *out)
{
    const la_mat *K;
    const landmarks *l;
    TRY(kernel_from_params(ctx, p->mem, params, out));
    *out = problem_kernel(p, out);
    return params->landmarks > 0 ? problem_landmarks(ctx, p, out, params->landmarks, &l)
                                 : problem_gram(ctx, p, out, &K);
}
