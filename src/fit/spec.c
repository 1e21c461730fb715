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

/* value NULL: unset (RUNG_PARAM_OPTIONAL rows only, which are numbers or texts, by their default). */
static rung_status read_value(rung_ctx *ctx, rung_spec *spec, const param_row *at, const char *value)
{
    const rung_param *row = &at->info;
    void *place = (char *)spec->params + at->place;
    switch (row->type) {
    case RUNG_TYPE_REAL: {
        double x = NAN;
        if (value && !((row->flags & RUNG_PARAM_AUTO) && text_equal(value, "auto"))) {
            size_t length = strlen(value);
            bool per_column =
                (row->flags & RUNG_PARAM_PER_COLUMN) && length > 2 && strcmp(value + length - 2, "/d") == 0;
            if (!text_number(value, per_column ? length - 2 : length, '.', &x) || isnan(x))
                return set_error(ctx, RUNG_EARG, "%s=%s: expected a number%s", row->name, value,
                                 row->flags & RUNG_PARAM_AUTO ? " or auto" : "");
            if (x < row->low || x > row->high || isinf(x) || ((row->flags & RUNG_PARAM_OPEN_LOW) && x == row->low))
                return out_of_range(ctx, row, value);
            if (per_column) x = -x;
        }
        *(double *)place = x;
        return RUNG_OK;
    }
    case RUNG_TYPE_INT: {
        int64_t x = 0;
        if ((row->flags & RUNG_PARAM_AUTO) && text_equal(value, "auto")) {
            *(int *)place = -1;
            return RUNG_OK;
        }
        if (row->choices && strcmp(value, row->choices) == 0) { /* the one word that stands for 0 */
            *(int *)place = 0;
            return RUNG_OK;
        }
        if (!text_integer(value, strlen(value), &x))
            return set_error(ctx, RUNG_EARG, "%s=%s: expected a whole number%s%s%s", row->name, value,
                             !(row->flags & RUNG_PARAM_AUTO) ? ""
                             : row->choices                  ? ", auto"
                                                             : " or auto",
                             row->choices ? " or " : "", row->choices ? row->choices : "");
        if ((double)x < row->low || (double)x > row->high) return out_of_range(ctx, row, value);
        *(int *)place = (int)x;
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
    rung_spec *spec = calloc(1, sizeof *spec);
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

/* The place of a whole number in the method's struct; NULL: it has no such parameter. */
static const int *integer_at(const method *m, const void *params, const char *name)
{
    for (const param_row *row = m->params; row->info.name; row++)
        if (strcmp(row->info.name, name) == 0) return (const int *)((const char *)params + row->place);
    return NULL;
}

static int *integer_place(const method *m, void *params, const char *name)
{
    const int *at = integer_at(m, params, name);
    return at ? (int *)((char *)params + ((const char *)at - (const char *)params)) : NULL;
}

/* The folds of a calibration by refits need their own rows beside those of the problem, and a Gram matrix beside its
 * own, from which theirs are taken. (Only under a limit: without one, what is exact stays exact.) */
static double fold_peak(const method *m, const problem_shape *shape, const void *params, int count)
{
    problem_shape fold = *shape;
    int64_t held = shape->labelled / count;
    const int *landmark_count = integer_at(m, params, "landmarks");
    double gram = 8 * (double)shape->n * (double)shape->n;
    bool kept = shape->memory > 0 && integer_at(m, params, "kernel") && !(landmark_count && *landmark_count > 0) &&
                m->bytes(shape, params) >= gram;
    fold.n -= held;
    fold.labelled -= held;
    return m->bytes(&fold, params) + 8 * (double)shape->n * (double)(shape->d + 10) + (kept ? gram : 0);
}

double method_peak(const method *m, const problem_shape *shape, const void *params)
{
    static const double PROOF = 1 << 16; /* the model is written and read again (fit/proof.c): the writer's buffer */
    problem_shape whose = *shape;
    whose.method = m;
    double whole = m->bytes(&whose, params) + PROOF;
    const int *count = integer_at(m, params, "calibrate");
    if (!count || *count < 2 || method_can_hold_out(m, params)) return whole;
    return fmax(whole, fold_peak(m, &whose, params, *count));
}

/* ---- landmarks=auto, calibrate=auto ---- */

/* Without a limit the choice must not depend on the machine. */
static const double USUAL_MEMORY = 8.0 * (1 << 30);
enum { USUAL_LANDMARKS = 1000, FEWEST_LANDMARKS = 50 };

static void settle_calibrate(const method *m, void *params)
{
    int *count = integer_place(m, params, "calibrate");
    if (count && *count < 0) *count = CALIBRATE_FOLDS;
}

/* Exact where that fits into the memory, else as many as do. */
static void settle_landmarks(const rung_ctx *ctx, const method *m, const problem_shape *shape, void *params)
{
    int *landmark_count = integer_place(m, params, "landmarks");
    double memory = ctx->memory > 0 ? memory_left(ctx) : USUAL_MEMORY;
    if (!landmark_count || *landmark_count != LANDMARKS_AUTO) return;
    *landmark_count = 0;
    double exact = shape->all ? HUGE_VAL : method_peak(m, shape, params);
    if (exact <= memory) return;
    *landmark_count = USUAL_LANDMARKS;
    while (*landmark_count > FEWEST_LANDMARKS && method_peak(m, shape, params) > memory) *landmark_count /= 2;
    if (method_peak(m, shape, params) > exact) *landmark_count = 0;
}

static rung_status settled_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, bool automatic,
                                 double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    char *copy = NULL;
    problem_shape limited = *shape;
    limited.memory = memory_left(ctx);
    TRY(NEW_RAW(ctx, &ctx->scratch, copy, spec->method->params_size));
    memcpy(copy, spec->params, (size_t)spec->method->params_size);
    int *landmark_count = integer_place(spec->method, copy, "landmarks");
    if (automatic && landmark_count) *landmark_count = LANDMARKS_AUTO;
    settle_calibrate(spec->method, copy);
    settle_landmarks(ctx, spec->method, &limited, copy);
    *out = method_peak(spec->method, &limited, copy);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status method_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out)
{
    return settled_bytes(ctx, spec, shape, false, out);
}

rung_status method_least_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out)
{
    return settled_bytes(ctx, spec, shape, true, out);
}

/* A copy of the parameters with their landmarks. */
static rung_status with_landmarks(rung_ctx *ctx, pool *mem, const rung_spec *spec, const problem *p, void **params)
{
    char *copy = NULL;
    problem_shape shape = {.n = p->n, .d = p->d, .K = p->K, .memory = memory_left(ctx)};
    if (p->all) shape.all = p->all->n_labelled;
    for (int64_t i = 0; i < p->n; i++) shape.labelled += p->t ? !isnan(p->t[i]) : p->y[i] > 0;
    TRY(NEW_RAW(ctx, mem, copy, spec->method->params_size));
    memcpy(copy, spec->params, (size_t)spec->method->params_size);
    *params = copy;
    settle_calibrate(spec->method, copy);
    settle_landmarks(ctx, spec->method, &shape, copy);
    const int *count = integer_place(spec->method, copy, "landmarks");
    if (p->all && count && *count == 0)
        return hint(ctx, set_error(ctx, RUNG_EARG, "landmarks=exact needs all rows in memory"), "parameter landmarks");
    return RUNG_OK;
}

rung_status method_settle(rung_ctx *ctx, pool *mem, const rung_spec *spec, problem *p, void **params)
{
    TRY(with_landmarks(ctx, mem, spec, p, params));
    return spec->method->settle ? spec->method->settle(ctx, spec->method, p, *params) : RUNG_OK;
}

rung_status method_prepare(rung_ctx *ctx, const rung_spec *spec, problem *p)
{
    void *params = NULL;
    if (!spec->method->prepare) return RUNG_OK;
    TRY(with_landmarks(ctx, &ctx->scratch, spec, p, &params));
    return spec->method->prepare(ctx, &(fit_input){.method = spec->method, .p = p, .params = params});
}

void spec_free(rung_spec *spec)
{
    if (!spec) return;
    pool_free_all(&spec->mem);
    free(spec);
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
