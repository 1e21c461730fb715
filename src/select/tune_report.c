// SPDX-License-Identifier: BSD-3-Clause
/* tune_report.c - what a search found. */
#include "select/tune_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "select/nested.h"

/* Whether a parameter belongs in the table: it was searched or set, or differs from its default. */
static bool worth_telling(const rung_spec *spec, int row, const rung_tune_options *o)
{
    const rung_param *p = &spec->method->params[row].info;
    const char *standard = o->as_published ? p->published : p->default_value;
    if (!spec->values[row]) return false;
    return !standard || strcmp(spec->values[row], standard) != 0 || p->grid || p->published_grid;
}

void point_describe(const rung_spec *spec, const rung_tune_options *o, point_name text)
{
    const size_t size = sizeof(point_name);
    int used = snprintf(text, size, "%s", spec->method->info.name);
    for (int i = 0; spec->method->params[i].info.name; i++)
        if (worth_telling(spec, i, o) && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, " %s=%s", spec->method->params[i].info.name,
                             spec->values[i]);
}

/* ---- what a search found ---- */

static rung_status record_params(rung_ctx *ctx, const search *s, const rung_spec *spec, rung_search *out,
                                 searched_point *point)
{
    int rows = 0;
    while (spec->method->params[rows].info.name) rows++;
    TRY(NEW(ctx, &out->mem, point->params, rows));
    for (int row = 0; row < rows; row++) {
        if (!worth_telling(spec, row, s->options)) continue;
        model_param *one = &point->params[point->n_params++];
        one->name = spec->method->params[row].info.name;
        TRY(pool_text(ctx, &out->mem, spec->values[row], &one->value));
    }
    return RUNG_OK;
}

static rung_status record_points(rung_ctx *ctx, const search *s, rung_search *out)
{
    TRY(NEW(ctx, &out->mem, out->points, s->grid.n));
    for (int i = 0; i < s->grid.n; i++) {
        const rung_spec *spec = s->grid.points[i].spec;
        const point_result *r = &s->results[i];
        searched_point *one = &out->points[i];
        bool ok = r->status == RUNG_OK;
        one->info =
            (rung_point){.method = spec->method->info.name, .value = ok ? r->value : NAN, .se = ok ? r->se : NAN};
        if (!ok) TRY(pool_text(ctx, &out->mem, r->message, &one->info.error));
        TRY(record_params(ctx, s, spec, out, one));
        out->n++;
    }
    return RUNG_OK;
}

static rung_status record(rung_ctx *ctx, const search *s, const nested_result *n, rung_search *out)
{
    out->metric = s->metric;
    out->folds = s->folds;
    out->repeats = s->repeats;
    out->labelled = s->n_labelled;
    out->winner = s->winner;
    TRY(record_points(ctx, s, out));
    if (!n) return RUNG_OK;
    out->has_nested = true;
    out->nested = n->metrics;
    TRY(NEW(ctx, &out->mem, out->chosen, n->n));
    for (int i = 0; i < n->n; i++) TRY(pool_text(ctx, &out->mem, n->chosen[i], &out->chosen[i]));
    out->n_chosen = n->n;
    return RUNG_OK;
}

rung_status search_record(rung_ctx *ctx, const search *s, const struct nested_result *n, rung_search **out)
{
    *out = object_new(ctx, sizeof **out);
    if (!*out) return set_error(ctx, RUNG_ENOMEM, "out of memory: the report of the search");
    rung_status status = record(ctx, s, n, *out);
    if (status != RUNG_OK) {
        search_free(*out);
        *out = NULL;
    }
    return status;
}

void search_free(rung_search *found)
{
    if (!found) return;
    pool_free_all(&found->mem);
    object_free(found);
}

/* ---- as JSON ---- */

static json_t *number(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *metrics_json(const rung_metrics *m, int *bad)
{
    json_t *object = json_object();
    for (const metric *one = metric_table; one->info.key; one++)
        json_put(object, one->info.key, number(metric_value(one, m)), bad);
    json_put(object, "n", json_integer(m->n), bad);
    if (m->intervals) json_put(object, "intervals", json_integer(m->intervals), bad);
    return object;
}

static json_t *point_json(const searched_point *point, int *bad)
{
    json_t *object = json_object(), *params = json_object();
    for (int i = 0; i < point->n_params; i++)
        json_put(params, point->params[i].name, json_clean(point->params[i].value), bad);
    json_put(object, "method", json_string(point->info.method), bad);
    json_put(object, "params", params, bad);
    json_put(object, "value", number(point->info.value), bad);
    json_put(object, "se", number(point->info.se), bad);
    json_put(object, "error", point->info.error ? json_clean(point->info.error) : json_null(), bad);
    return object;
}

static json_t *search_json(const rung_search *f, int *bad)
{
    json_t *root = json_object(), *points = json_array(), *outer = json_array();
    json_put(root, "metric", json_string(f->metric->info.key), bad);
    json_put(root, "more_is_better", json_boolean(f->metric->info.flags & RUNG_METRIC_LARGER_BETTER), bad);
    json_put(root, "folds", json_integer(f->folds), bad);
    json_put(root, "repeats", json_integer(f->repeats), bad);
    json_put(root, "labelled", json_integer(f->labelled), bad);
    for (int i = 0; i < f->n; i++) json_add(points, point_json(&f->points[i], bad), bad);
    json_put(root, "points", points, bad);
    json_put(root, "winner", json_integer(f->winner), bad);
    json_put(root, "best", point_json(&f->points[f->winner], bad), bad);
    json_put(root, "cv", f->has_cv ? metrics_json(&f->cv, bad) : json_null(), bad);
    json_put(root, "corrected", f->corrected.n > 0 ? metrics_json(&f->corrected, bad) : json_null(), bad);
    json_put(root, "nested", f->has_nested ? metrics_json(&f->nested, bad) : json_null(), bad);
    for (int i = 0; i < f->n_chosen; i++) json_add(outer, json_clean(f->chosen[i]), bad);
    json_put(root, "nested_chosen", outer, bad);
    return root;
}

rung_status search_describe(rung_ctx *ctx, const rung_search *found, char **json)
{
    int bad = 0;
    json_t *root = search_json(found, &bad);
    *json = bad ? NULL : json_text(ctx, root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return *json ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: the report of the search");
}
