// SPDX-License-Identifier: BSD-3-Clause
/* tune_report.c - what a search found, as JSON. */
#include "select/tune_report.h"

#include <math.h>
#include <stdio.h>
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

static json_t *report_json(const search *s, const struct nested_result *n, const rung_model *model, int *bad)
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

rung_status tune_report(rung_ctx *ctx, const search *s, const struct nested_result *n, const rung_model *model,
                        char **out)
{
    int bad = 0;
    json_t *root = report_json(s, n, model, &bad);
    *out = bad ? NULL : json_text(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return *out ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: the report of the search");
}
