// SPDX-License-Identifier: BSD-3-Clause
/* update.c - adding rows to a model.
 *
 * A model fitted with --keep-data has its labelled rows, scaled, and the state in which its fit ended. An update scales
 * the new rows as the model does, and the method continues from that state with all rows; the rest is the common
 * driver. So the result is that of a fit to all rows with the scaling of the first ones. */
#include "fit/update.h"

#include <string.h>

#include "data/row_groups.h"
#include "fit/fit.h"

/* ---- keeping ---- */

rung_status keep_check(rung_ctx *ctx, const rung_spec *spec)
{
    const char *kernel_value = spec_value(spec, "kernel");
    if (spec->keep_data && kernel_value && strcmp(kernel_value, "precomputed") == 0)
        return set_error(ctx, RUNG_EARG,
                         "kernel=precomputed: a model with this kernel cannot be updated, so it cannot keep its data");
    return RUNG_OK;
}

static rung_status copy_reals(rung_ctx *ctx, pool *mem, int64_t n, const double *from, double **to)
{
    TRY(pool_alloc_raw(ctx, mem, n, sizeof *from, "the data to keep", (void **)to));
    memcpy(*to, from, (size_t)n * sizeof *from);
    return RUNG_OK;
}

rung_status keep_data(rung_ctx *ctx, const training *t, const fitted *fit, rung_model *model)
{
    const problem *p = &t->labelled;
    kept_data *k = &model->kept;
    k->n = p->n;
    k->width = fit->state_width;
    k->state = fit->state;
    TRY(copy_reals(ctx, &model->mem, p->n * p->d, p->X, &k->rows));
    if (p->w) TRY(copy_reals(ctx, &model->mem, p->n, p->w, &k->weight));
    if (t->class_weight) TRY(copy_reals(ctx, &model->mem, model->code.n_classes, t->class_weight, &k->class_weight));
    TRY(NEW(ctx, &model->mem, k->label, p->n));
    memcpy(k->label, p->y, (size_t)p->n * sizeof *k->label);
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
    return RUNG_OK;
}

/* The method with the parameters of the model. */
static rung_status spec_of(rung_ctx *ctx, const rung_model *model, rung_spec **out)
{
    TRY(spec_new(ctx, model->method, false, out));
    rung_status status = RUNG_OK;
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

typedef struct { /* rows old and new, as the coding of the model has them */
    int64_t n, known;
    int *class;
    double *X, *w;
} joined;

static double weight_of(const kept_data *k, const rung_data *data, int64_t i)
{
    return (data->weight ? data->weight[i] : 1) * (k->class_weight ? k->class_weight[data->y[i] - 1] : 1);
}

static rung_status join(rung_ctx *ctx, const rung_model *model, const rung_data *data, joined *out)
{
    const kept_data *k = &model->kept;
    int64_t d = data->d, *fresh = NULL, count = 0, most = k->n + data->n;
    rung_view view = {.v = data->X, .n = data->n, .d = d, .row = d, .col = 1};
    *out = (joined){.known = k->n};
    TRY(NEW(ctx, &ctx->scratch, fresh, data->n));
    TRY(NEW(ctx, &ctx->scratch, out->class, most));
    if (k->weight || k->class_weight || data->weight) TRY(NEW(ctx, &ctx->scratch, out->w, most));
    for (int64_t i = 0; i < k->n; i++) {
        out->class[i] = model->present[k->label[i] - 1];
        if (out->w) out->w[i] = k->weight ? k->weight[i] : 1;
    }
    for (int64_t i = 0; i < data->n; i++) {
        if (!data->y[i] || !(weight_of(k, data, i) > 0)) continue;
        out->class[k->n + count] = data->y[i];
        if (out->w) out->w[k->n + count] = weight_of(k, data, i);
        fresh[count++] = i;
    }
    if (count == 0)
        return set_error(ctx, RUNG_EDATA, "none of the %lld rows is labelled, so there is nothing to add to the model",
                         (long long)data->n);
    out->n = k->n + count;
    TRY(NEW_RAW(ctx, &ctx->scratch, out->X, d * out->n));
    memcpy(out->X, k->rows, (size_t)(d * k->n) * sizeof *out->X);
    scale_apply(&model->members[0].scale, count, &view, fresh, out->X + d * k->n);
    return RUNG_OK;
}

/* The training of a fit to all rows. The state is usable only while the classes with labels stay the same. */
static rung_status training_of(rung_ctx *ctx, const rung_model *model, const rung_data *data, const joined *j,
                               training *t)
{
    int *rank = NULL, *y = NULL;
    int64_t *origin = NULL;
    *t = (training){.data = data,
                    .n_labelled = j->n,
                    .scale = model->members[0].scale,
                    .class_weight = model->kept.class_weight,
                    .known = j->known};
    TRY(NEW(ctx, &ctx->scratch, rank, data->code.n_classes + 1));
    TRY(NEW(ctx, &ctx->scratch, t->present, data->code.n_classes + 1));
    TRY(NEW(ctx, &ctx->scratch, y, j->n));
    TRY(NEW(ctx, &ctx->scratch, origin, j->n));
    for (int64_t i = 0; i < j->n; i++) rank[j->class[i]] = 1;
    for (int q = 1; q <= data->code.n_classes; q++)
        if (rank[q]) {
            t->present[t->K] = q;
            rank[q] = ++t->K;
        }
    for (int64_t i = 0; i < j->n; i++) {
        y[i] = rank[j->class[i]];
        origin[i] = i;
    }
    if (t->K == model->n_present) t->state = model->kept.state;
    problem_new(&ctx->scratch, &(problem_rows){data->d, j->n, j->X, y, j->w, origin, t->K}, &t->labelled);
    TRY(NEW(ctx, &ctx->scratch, t->equal, j->n));
    TRY(equal_rows(ctx, data->d, j->X, j->n, origin, t->equal, &t->repeated));
    t->group = t->equal;
    if (t->repeated > 0) t->labelled.group = t->labelled.equal = t->equal;
    return RUNG_OK;
}

rung_status method_update(rung_ctx *ctx, const rung_model *model, const rung_data *data, rung_model **out)
{
    training t;
    joined j;
    rung_spec *spec;
    *out = NULL;
    TRY(check(ctx, model, data));
    TRY(join(ctx, model, data, &j));
    /* to the driver, the data are all rows ever seen: it asks for their number, their coding, and whether they have
     * weights */
    const rung_data all = {.n = model->n_rows + data->n, .d = data->d, .code = model->code, .weight = data->weight};
    TRY(training_of(ctx, model, &all, &j, &t));
    TRY(spec_of(ctx, model, &spec));
    rung_status status = training_check(ctx, &t, spec->method);
    if (status == RUNG_OK) status = method_finish(ctx, spec, &t, NULL, NULL, out);
    if (status == RUNG_OK) status = making_note(ctx, model, data, *out);
    if (status != RUNG_OK) {
        model_free(*out);
        *out = NULL;
    }
    spec_free(spec);
    return status;
}
