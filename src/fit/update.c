// SPDX-License-Identifier: BSD-3-Clause
/* update.c - adding rows to a model.
 *
 * A model that keeps its data has its labelled rows, scaled, with their weights, groups and marks, and the state in
 * which its fit ended. An update scales the new rows as the model does and joins both to one data set; the method
 * continues from that state with all rows, and the rest is the common driver. So the result is that of a fit to all
 * rows with the scaling of the first ones. */
#include "fit/update.h"

#include <stdio.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/open_files.h"
#include "input/table/dictionary.h"

/* ---- keeping ---- */

rung_status keep_check(rung_ctx *ctx, const rung_spec *spec)
{
    const char *kernel_value = spec_value(spec, "kernel");
    if (spec->keep_data && kernel_value && strcmp(kernel_value, "precomputed") == 0)
        return set_error(ctx, RUNG_EARG,
                         "kernel=precomputed: a model with this kernel cannot be updated, so it cannot keep its data");
    if (spec->keep_data && spec->scale == SCALE_RELEVANCE) /* only scaled rows are kept: they cannot be weighed again */
        return set_error(
            ctx, RUNG_EARG,
            "relevance is learned from the labels of all rows, and the error of an update would be that of "
            "rows it has seen: a model that is to be updated needs another scaling");
    return RUNG_OK;
}

static rung_status copy_reals(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "the data to keep", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

/* What the groups of some rows of the data are called; NULL: a row has no name. */
static rung_status group_names(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, const char **name)
{
    char number[32];
    for (int64_t i = 0; i < n; i++) {
        int g = data->group[rows[i]];
        snprintf(number, sizeof number, "%d", g);
        if (!data->group_names) TRY(pool_text(ctx, &ctx->scratch, number, &name[i]));
        if (data->group_names && g < data->n_group_names) name[i] = data->group_names[g];
    }
    return RUNG_OK;
}

/* Numbers of groups by their names; a row without a name is by itself, with a number that none of them has. */
static rung_status number_groups(rung_ctx *ctx, pool *mem, int64_t n, const char *const *name, int **group,
                                 int *n_groups, const char ***groups)
{
    dictionary all = {0};
    TRY(NEW(ctx, mem, *group, n));
    for (int64_t i = 0; i < n; i++)
        if (name[i]) TRY(dictionary_add(ctx, mem, &all, name[i], strlen(name[i]), &(*group)[i]));
    dictionary_seal(mem, &all);
    *groups = all.values;
    *n_groups = all.n;
    int alone = all.n;
    for (int64_t i = 0; i < n; i++)
        if (!name[i]) (*group)[i] = alone++;
    return RUNG_OK;
}

static rung_status keep_groups(rung_ctx *ctx, const rung_data *data, int64_t n, const int64_t *rows, rung_model *model)
{
    kept_data *k = &model->kept;
    const char **name = NULL;
    TRY(NEW(ctx, &ctx->scratch, name, n));
    TRY(group_names(ctx, data, n, rows, name));
    return number_groups(ctx, &model->mem, n, name, &k->group, &k->n_groups, &k->groups);
}

rung_status keep_data(rung_ctx *ctx, const training *t, const fitted *fit, rung_model *model)
{
    const problem *p = &t->labelled;
    kept_data *k = &model->kept;
    k->n = p->n;
    k->width = fit->state_width;
    k->state = fit->state;
    k->equal = t->rule;
    TRY(copy_reals(ctx, &model->mem, p->n * p->d, p->X, &k->rows));
    if (p->count) TRY(copy_reals(ctx, &model->mem, p->n, p->count, &k->weight));
    if (t->class_weight) TRY(copy_reals(ctx, &model->mem, model->code.n_classes, t->class_weight, &k->class_weight));
    TRY(NEW(ctx, &model->mem, k->label, p->n));
    memcpy(k->label, p->y, (size_t)p->n * sizeof *k->label);
    if (t->data->group) TRY(keep_groups(ctx, t->data, p->n, p->origin, model));
    if (!t->data->chosen) return RUNG_OK;
    TRY(NEW(ctx, &model->mem, k->chosen, p->n));
    for (int64_t i = 0; i < p->n; i++) k->chosen[i] = t->data->chosen[p->origin[i]] != 0;
    return RUNG_OK;
}

/* ---- joining ---- */

rung_status model_updatable(rung_ctx *ctx, const rung_model *model)
{
    const method *m = method_find(model->method);
    if (!m) return set_error(ctx, RUNG_EARG, "this library does not have the method '%s' of the model", model->method);
    if (!m->update) return cannot_update(ctx, model->method);
    if (model->kept.n == 0)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG,
                              "the model does not contain the rows it was fitted to, so new ones cannot join them: fit "
                              "it again and have it keep its data"),
                    "option keep_data");
    return RUNG_OK;
}

static rung_status check(rung_ctx *ctx, const rung_model *model, const rung_data *data)
{
    TRY(model_updatable(ctx, model));
    TRY(intervals_check(ctx, data, method_find(model->method)));
    int width = method_find(model->method)->state_per_threshold ? model->n_present - 1 : 1;
    if (model->kept.width != width)
        return set_error(ctx, RUNG_EFORMAT,
                         "the model is damaged: it keeps %d numbers per row for an update instead of %d",
                         model->kept.width, width);
    if (data->d != model->code.d || data->code.n_classes != model->code.n_classes)
        return set_error(ctx, RUNG_EARG,
                         "the data have %lld coded columns and %d classes, but the model has %lld and %d",
                         (long long)data->d, data->code.n_classes, (long long)model->code.d, model->code.n_classes);
    if (model->kept.group && !data->group)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG,
                              "the rows of the model form groups that are held out together, so the new rows need "
                              "groups, too"),
                    "option groups");
    return RUNG_OK;
}

/* The method with the parameters of the model, its costs, class weights and rule for equal rows. */
static rung_status spec_of(rung_ctx *ctx, const rung_model *model, rung_spec **out)
{
    TRY(spec_new(ctx, model->method, false, out));
    rung_status status = RUNG_OK;
    const double *weight = model->kept.class_weight;
    for (int q = 0; q < model->code.n_classes && weight && status == RUNG_OK; q++)
        status = spec_set_weight(ctx, *out, model->code.classes[q], weight[q]);
    (*out)->equal = model->kept.equal;
    for (int i = 0; i < model->n_params && status == RUNG_OK; i++)
        if (model->params[i].value) status = spec_set(ctx, *out, model->params[i].name, model->params[i].value);
    if (status == RUNG_OK && model->cost.matrix)
        status = spec_set_cost(ctx, *out, model->code.n_classes, model->cost.matrix, model->cost.abstain);
    (*out)->keep_data = true;
    if (status == RUNG_OK) return RUNG_OK;
    spec_free(*out);
    *out = NULL;
    return status;
}

/* A new row joins the group of its name. */
static rung_status join_groups_by_name(rung_ctx *ctx, const kept_data *k, const rung_data *data, const int64_t *fresh,
                                       rung_data *all)
{
    const char **name = NULL;
    TRY(NEW(ctx, &ctx->scratch, name, all->n));
    for (int64_t i = 0; i < k->n && k->group; i++)
        if (k->group[i] < k->n_groups) name[i] = k->groups[k->group[i]];
    if (data->group) TRY(group_names(ctx, data, all->n - k->n, fresh, name + k->n));
    return number_groups(ctx, &ctx->scratch, all->n, name, &all->group, &all->n_group_names, &all->group_names);
}

/* The weight of a row kept, without that of its class. Most are whole numbers, which a division does not always give
 * back. */
static double kept_weight(const rung_model *model, int64_t row)
{
    const kept_data *k = &model->kept;
    if (!k->weight) return 1;
    double by_class = k->multiplied ? k->class_weight[model->present[k->label[row] - 1] - 1] : 1;
    double own = k->weight[row] / by_class;
    if (by_class == 1 || !(own < 1e15)) return k->weight[row];
    return fabs(own - round(own)) < 1e-12 * own ? round(own) : own;
}

/* Labels, weights and marks of the rows kept, then of the labelled rows of the data. */
static rung_status join_labels(rung_ctx *ctx, const rung_model *model, const rung_data *data, const int64_t *fresh,
                               rung_data *all)
{
    const kept_data *k = &model->kept;
    TRY(NEW(ctx, &ctx->scratch, all->y, all->n));
    if (k->weight || data->weight) TRY(NEW(ctx, &ctx->scratch, all->weight, all->n));
    if (k->chosen || data->chosen) TRY(NEW(ctx, &ctx->scratch, all->chosen, all->n));
    for (int64_t i = 0; i < all->n; i++) {
        bool known = i < k->n;
        int64_t row = known ? i : fresh[i - k->n];
        all->y[i] = known ? model->present[k->label[i] - 1] : data->y[row];
        if (all->chosen) all->chosen[i] = known ? k->chosen && k->chosen[row] : data->chosen && data->chosen[row];
        if (!all->weight) continue;
        all->weight[i] = known ? kept_weight(model, row) : data->weight ? data->weight[row] : 1;
    }
    return RUNG_OK;
}

/* The rows kept and the labelled rows of the data as one data set, scaled as the model does, in scratch memory. */
static rung_status join(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_data *all)
{
    const kept_data *k = &model->kept;
    int64_t d = data->d, *fresh = NULL, count = 0;
    rung_view view = {.v = data->X, .n = data->n, .d = d, .row = d, .col = 1};
    TRY(NEW(ctx, &ctx->scratch, fresh, data->n));
    for (int64_t i = 0; i < data->n; i++)
        if (data->y[i] && !(data->weight && data->weight[i] == 0)) fresh[count++] = i;
    if (count == 0)
        return set_error(ctx, RUNG_EDATA, "none of the %lld rows is labelled, so there is nothing to add to the model",
                         (long long)data->n);
    *all = (rung_data){.n = k->n + count, .d = d, .code = model->code};
    TRY(join_labels(ctx, model, data, fresh, all));
    if (k->group || data->group) TRY(join_groups_by_name(ctx, k, data, fresh, all));
    TRY(NEW_RAW(ctx, &ctx->scratch, all->X, d * all->n));
    memcpy(all->X, k->rows, (size_t)(d * k->n) * sizeof *all->X);
    scale_apply(&model->members[0].scale, count, &view, fresh, all->X + d * k->n);
    return RUNG_OK;
}

/* The training of a fit to all rows. The state is usable only while the classes with labels stay the same. */
static rung_status training_of(rung_ctx *ctx, rung_spec *spec, const rung_model *model, const rung_data *all,
                               training *t)
{
    spec->scale = SCALE_NONE; /* they are scaled already */
    TRY(training_new(ctx, spec, all, false, true, t));
    t->scale = model->members[0].scale;
    spec->scale = t->scale.kind;
    t->known = model->kept.n;
    if (t->K == model->n_present) t->state = model->kept.state;
    return training_check(ctx, t, spec->method);
}

static rung_status update(rung_ctx *ctx, rung_spec *spec, const rung_model *model, const rung_data *data,
                          rung_model **out)
{
    training t;
    rung_data all;
    TRY(join(ctx, model, data, &all));
    TRY(training_of(ctx, spec, model, &all, &t));
    TRY(method_finish(ctx, spec, &t, NULL, NULL, out));
    (*out)->n_rows = model->n_rows + data->n; /* those without a label were seen, too */
    return provenance_note(ctx, model, data, *out);
}

rung_status method_update(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_model **out)
{
    rung_spec *spec;
    *out = NULL;
    TRY(all_rows_check(ctx, data, "an update"));
    TRY(check(ctx, model, data));
    TRY(spec_of(ctx, model, &spec));
    rung_status status = update(ctx, spec, model, data, out);
    if (status != RUNG_OK) {
        model_free(*out);
        *out = NULL;
    }
    spec_free(spec);
    return status;
}
