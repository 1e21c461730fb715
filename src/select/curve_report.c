// SPDX-License-Identifier: BSD-3-Clause
/* A curve as JSON. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "select/curve.h"

void curve_free(rung_curve *c)
{
    if (!c) return;
    pool_free_all(&c->mem);
    object_free(c);
}

static json_t *values_json(const rung_curve *c, const double *v, int *bad)
{
    json_t *all = json_array();
    for (int s = 0; s < c->n_sizes; s++) {
        json_t *one = json_array();
        for (int r = 0; r < c->repeats; r++, v++) json_add(one, isfinite(*v) ? json_real(*v) : json_null(), bad);
        json_add(all, one, bad);
    }
    return all;
}

static json_t *forecast_json(const rung_forecast *f, int *bad)
{
    if (!f->size) return json_null();
    json_t *one = json_object();
    json_put(one, "labels", json_integer(f->labels), bad);
    json_put(one, "more", json_integer(f->more), bad);
    json_put(one, "now", json_real(f->now), bad);
    json_put(one, "now_low", json_real(f->now_low), bad);
    json_put(one, "now_high", json_real(f->now_high), bad);
    json_put(one, "value", json_real(f->value), bad);
    json_put(one, "low", json_real(f->low), bad);
    json_put(one, "high", json_real(f->high), bad);
    return one;
}

static json_t *curve_json(const rung_curve *c, int *bad)
{
    json_t *root = json_object(), *sizes = json_array(), *lines = json_array();
    json_put(root, "metric", json_string(c->metric->info.key), bad);
    json_put(root, "more_is_better", json_boolean(c->metric->info.flags & RUNG_METRIC_LARGER_BETTER), bad);
    json_put(root, "repeats", json_integer(c->repeats), bad);
    json_put(root, "rows", json_integer(c->rows), bad);
    json_put(root, "labelled", json_integer(c->labelled), bad);
    json_put(root, "test_rows", json_integer(c->test_rows), bad);
    for (int s = 0; s < c->n_sizes; s++)
        json_add(sizes, json_pack("{s:i, s:I}", "per_class", c->per_class[s], "labels", (json_int_t)c->labels[s]), bad);
    json_put(root, "sizes", sizes, bad);
    for (int i = 0; i < c->n_lines; i++) {
        json_t *one = json_object();
        json_put(one, "method", json_string(c->lines[i].method), bad);
        json_put(one, "unlabelled", json_boolean(c->lines[i].unlabelled), bad);
        if (c->lines[i].strategy) json_put(one, "strategy", json_string(c->lines[i].strategy), bad);
        json_put(one, "values", values_json(c, c->lines[i].values, bad), bad);
        json_put(one, "forecast", forecast_json(&c->forecasts[i], bad), bad);
        json_add(lines, one, bad);
    }
    json_put(root, "lines", lines, bad);
    return root;
}

rung_status curve_describe(rung_ctx *ctx, const rung_curve *c, char **json)
{
    int bad = 0;
    json_t *root = curve_json(c, &bad);
    *json = bad ? NULL : json_text(ctx, root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    return *json ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: the report of the curve");
}
