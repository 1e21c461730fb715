// SPDX-License-Identifier: BSD-3-Clause
/* nested.c - the search as users call it: the winner, an honest error estimate if requested, and the report.
 *
 * Nested cross-validation repeats the whole search on the training part of each outer fold, scaling included, and
 * measures the held-out rows, whose labels influenced nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "select/tune.h"

typedef char point_name[256]; /* method and parameters, as text */

typedef struct {
    int n; /* outer folds */
    point_name *chosen;
    rung_metrics metrics;
} nested_result;

/* ---- nested cross-validation ---- */

static void describe_point(const rung_spec *spec, const rung_tune_options *o, point_name text);

static rung_status outer_folds(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, folds *out)
{
    problem p = {.n = data->n, .K = data->code.n_classes, .y = data->y};
    int64_t *origin = NULL;
    rung_tune_options outer = *o;
    outer.repeats = 1;
    TRY(NEW(ctx, &ctx->scratch, origin, data->n));
    for (int64_t i = 0; i < data->n; i++) origin[i] = i;
    p.origin = origin;
    return tune_folds(ctx, &ctx->scratch, &outer, data->n, &p, out);
}

typedef struct {
    int *predicted; /* per row: 0 = not held out */
    double *proba;  /* rows x classes */
    bool has_proba; /* all winners have probabilities */
} outer_answers;

/* Searches on the rows outside one fold and predicts those inside. */
static rung_status outer_fold(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const folds *f,
                              int fold, outer_answers *out, point_name chosen)
{
    int64_t *kept = NULL, *held = NULL;
    int *groups = NULL, *rank = NULL, K = data->code.n_classes;
    double *part = NULL;
    TRY(NEW(ctx, &ctx->scratch, kept, data->n));
    TRY(NEW(ctx, &ctx->scratch, held, data->n));
    TRY(NEW(ctx, &ctx->scratch, groups, data->n));
    int64_t n = folds_kept(f, 0, fold, kept), h = folds_held(f, 0, fold, held);
    if (h == 0) return RUNG_OK;
    rung_tune_options inner = *o;
    inner.own_folds = NULL; /* the user's folds are the outer ones */
    for (int64_t i = 0; i < n && o->groups; i++) groups[i] = o->groups[kept[i]];
    if (o->groups) inner.groups = groups;
    TRY(NEW(ctx, &ctx->scratch, rank, h));
    TRY(NEW(ctx, &ctx->scratch, part, h * K));
    rung_data *train = NULL, *test = NULL;
    rung_model *model = NULL;
    search s = {0};
    rung_status status = dataset_subset(ctx, data, n, kept, &train);
    if (status == RUNG_OK) status = dataset_subset(ctx, data, h, held, &test);
    if (status == RUNG_OK) status = tune_run(ctx, &ctx->scratch, &inner, train, &s, &model);
    if (status == RUNG_OK) {
        describe_point(s.grid.points[s.winner].spec, o, chosen);
        out->has_proba = out->has_proba && model_has_probabilities(model);
        rung_view view = {.v = test->X, .n = h, .d = test->d, .row = test->d, .col = 1};
        rung_output answers = {.rank = rank, .proba = model_has_probabilities(model) ? part : NULL};
        status = model_predict(ctx, model, &view, &answers);
    }
    for (int64_t i = 0; i < h && status == RUNG_OK; i++) {
        out->predicted[held[i]] = rank[i];
        memcpy(out->proba + held[i] * K, part + i * K, (size_t)K * sizeof *part);
    }
    grid_free(&s.grid);
    model_free(model);
    dataset_free(train);
    dataset_free(test);
    return status;
}

static rung_status nested(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, nested_result *out)
{
    folds f;
    int *truth = NULL;
    outer_answers a = {.has_proba = true};
    TRY(outer_folds(ctx, o, data, &f));
    out->n = f.count;
    TRY(NEW(ctx, &ctx->scratch, out->chosen, f.count));
    TRY(NEW(ctx, &ctx->scratch, a.predicted, data->n));
    TRY(NEW(ctx, &ctx->scratch, truth, data->n));
    TRY(NEW(ctx, &ctx->scratch, a.proba, data->n * data->code.n_classes));
    for (int fold = 0; fold < f.count; fold++) {
        pool_mark mark = pool_here(&ctx->scratch);
        log_at(ctx, RUNG_DEBUG, "nested cross-validation: outer fold %d of %d", fold + 1, f.count);
        TRY(outer_fold(ctx, o, data, &f, fold, &a, out->chosen[fold]));
        pool_release(&ctx->scratch, mark);
    }
    for (int64_t i = 0; i < data->n; i++)
        truth[i] = a.predicted[i] ? data->y[i] : 0; /* rows never held out do not count */
    for (int64_t i = 0; i < data->n; i++)
        if (!truth[i]) a.predicted[i] = 1;
    return metrics_compute(ctx, data->n, data->code.n_classes, truth, a.predicted, a.has_proba ? a.proba : NULL,
                           &out->metrics);
}

/* ---- the report ---- */

/* Whether a parameter belongs in the table: it was searched or set, or differs from its default. */
static bool worth_telling(const rung_spec *spec, int row, const rung_tune_options *o)
{
    const rung_param *p = &spec->method->params[row].info;
    const char *standard = o->as_published ? p->published : p->default_value;
    if (!spec->values[row]) return false;
    return !standard || strcmp(spec->values[row], standard) != 0 || p->grid || p->published_grid;
}

static void describe_point(const rung_spec *spec, const rung_tune_options *o, point_name text)
{
    const size_t size = sizeof(point_name);
    int used = snprintf(text, size, "%s", spec->method->info.name);
    for (int i = 0; spec->method->params[i].info.name; i++)
        if (worth_telling(spec, i, o) && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, " %s=%s", spec->method->params[i].info.name,
                             spec->values[i]);
}

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *metrics_json(const rung_metrics *m, int *bad)
{
    json_t *object = json_object();
    for (const metric *one = metric_table; one->info.key; one++)
        json_put(object, one->info.key, number(metric_value(one, m)), bad);
    json_put(object, "n", json_integer(m->n), bad);
    return object;
}

static json_t *point_json(const search *s, int i, int *bad)
{
    const rung_spec *spec = s->grid.points[i].spec;
    const point_result *r = &s->results[i];
    json_t *object = json_object(), *params = json_object();
    for (int row = 0; spec->method->params[row].info.name; row++)
        if (worth_telling(spec, row, s->options))
            json_put(params, spec->method->params[row].info.name, json_clean(spec->values[row]), bad);
    json_put(object, "method", json_string(spec->method->info.name), bad);
    json_put(object, "params", params, bad);
    json_put(object, "value", number(r->value), bad);
    json_put(object, "se", number(r->se), bad);
    json_put(object, "error", r->status == RUNG_OK ? json_null() : json_clean(r->message), bad);
    return object;
}

static json_t *report_json(const search *s, const nested_result *n, const rung_model *model, int *bad)
{
    json_t *root = json_object(), *points = json_array(), *outer = json_array();
    json_put(root, "metric", json_string(s->metric->info.key), bad);
    json_put(root, "more_is_better", json_boolean(s->metric->info.flags & RUNG_LARGER_BETTER), bad);
    json_put(root, "folds", json_integer(s->folds), bad);
    json_put(root, "repeats", json_integer(s->repeats), bad);
    json_put(root, "labelled", json_integer(s->n_labelled), bad);
    for (int i = 0; i < s->grid.n; i++) json_add(points, point_json(s, i, bad), bad);
    json_put(root, "points", points, bad);
    json_put(root, "winner", json_integer(s->winner), bad);
    json_put(root, "best", point_json(s, s->winner, bad), bad);
    json_put(root, "cv", model->has_cv ? metrics_json(&model->cv, bad) : json_null(), bad);
    json_put(root, "nested", n ? metrics_json(&n->metrics, bad) : json_null(), bad);
    for (int i = 0; n && i < n->n; i++) json_add(outer, json_clean(n->chosen[i]), bad);
    json_put(root, "nested_chosen", outer, bad);
    return root;
}

static rung_status write_report(rung_ctx *ctx, const search *s, const nested_result *n, const rung_model *model,
                                char **out)
{
    int bad = 0;
    json_t *root = report_json(s, n, model, &bad);
    *out = bad ? NULL : json_text(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return *out ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: the report of the search");
}

rung_status tune(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **model,
                 char **report)
{
    search s = {0};
    nested_result n = {0};
    *model = NULL;
    *report = NULL;
    if (data->target)
        return hint(ctx, set_error(ctx, RUNG_EARG, "a search grades classes: cut real targets into classes"),
                    "option bins");
    rung_status status = options->nested ? nested(ctx, options, data, &n) : RUNG_OK;
    if (status == RUNG_OK) status = tune_run(ctx, &ctx->scratch, options, data, &s, model);
    if (status == RUNG_OK) status = write_report(ctx, &s, options->nested ? &n : NULL, *model, report);
    grid_free(&s.grid);
    if (status != RUNG_OK) {
        model_free(*model);
        *model = NULL;
    }
    return status;
}
