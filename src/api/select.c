// SPDX-License-Identifier: BSD-3-Clause
/* Searches and curves. */
#include "api/call.h"
#include "data/kin.h"
#include "data/shift.h"
#include "select/curve.h"
#include "select/tune_report.h"

/* ---- searches ---- */

static rung_status tune_data(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **out,
                             rung_search **found)
{
    TRY(shift_warn(ctx, data));
    TRY(kin_warn(ctx, data));
    return tune(ctx, options, data, out, found);
}

rung_status rung_tune_run(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **out,
                          rung_search **found)
{
    NOTHING(out);
    NOTHING(found);
    if (!ctx || !data || !out || !found) return missing(ctx, "rung_tune_run");
    rung_tune_options own;
    TRY(options_take(ctx, "rung_tune_run", options, &own, sizeof own));
    CALL(ctx, tune_data(ctx, &own, data, out, found));
}

void rung_search_free(rung_search *found) { search_free(found); }

const rung_point *rung_search_at(const rung_search *found, int point)
{
    return point >= 0 && point < found->n ? &found->points[point].info : NULL;
}

const char *rung_search_param_at(const rung_search *found, int point, int index, const char **value)
{
    if (point < 0 || point >= found->n || index < 0 || index >= found->points[point].n_params) return NULL;
    const model_param *one = &found->points[point].params[index];
    if (value) *value = one->value;
    return one->name;
}

int rung_search_winner(const rung_search *found) { return found->winner; }
const rung_metric *rung_search_metric(const rung_search *found) { return &found->metric->info; }
int rung_search_folds(const rung_search *found) { return found->folds; }
int rung_search_repeats(const rung_search *found) { return found->repeats; }

int rung_search_corrected(const rung_search *found, rung_metrics *out)
{
    if (found->corrected.n == 0 || !result_fits(out)) return 0;
    result_give(&found->corrected, sizeof found->corrected, out);
    return 1;
}

int rung_search_nested(const rung_search *found, rung_metrics *out)
{
    if (!found->has_nested || !result_fits(out)) return 0;
    result_give(&found->nested, sizeof found->nested, out);
    return 1;
}

const char *rung_search_nested_choice(const rung_search *found, int index)
{
    return index >= 0 && index < found->n_chosen ? found->chosen[index] : NULL;
}

rung_status rung_search_describe(rung_ctx *ctx, const rung_search *found, char **json)
{
    NOTHING(json);
    if (!ctx || !found || !json) return missing(ctx, "rung_search_describe");
    CALL(ctx, search_describe(ctx, found, json));
}

/* ---- curves ---- */

static rung_status label_curve(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data,
                               rung_curve **out)
{
    TRY(shift_warn(ctx, data));
    TRY(kin_warn(ctx, data));
    return curve(ctx, options, data, out);
}

rung_status rung_curve_run(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, rung_curve **out)
{
    NOTHING(out);
    if (!ctx || !data || !out) return missing(ctx, "rung_curve_run");
    rung_curve_options own;
    TRY(options_take(ctx, "rung_curve_run", options, &own, sizeof own));
    CALL(ctx, label_curve(ctx, &own, data, out));
}

void rung_curve_free(rung_curve *c) { curve_free(c); }
const rung_metric *rung_curve_metric(const rung_curve *c) { return &c->metric->info; }
int rung_curve_repeats(const rung_curve *c) { return c->repeats; }
int64_t rung_curve_test_rows(const rung_curve *c) { return c->test_rows; }

int rung_curve_size(const rung_curve *c, int index, int64_t *labels)
{
    bool there = index >= 0 && index < c->n_sizes;
    if (labels) *labels = there ? c->labels[index] : 0;
    return there ? c->per_class[index] : 0;
}

const rung_curve_line *rung_curve_at(const rung_curve *c, int index)
{
    return index >= 0 && index < c->n_lines ? &c->lines[index] : NULL;
}

int rung_curve_forecast(const rung_curve *c, int index, rung_forecast *out)
{
    if (index < 0 || index >= c->n_lines || !c->forecasts[index].size || !result_fits(out)) return 0;
    result_give(&c->forecasts[index], sizeof *c->forecasts, out);
    return 1;
}

rung_status rung_curve_describe(rung_ctx *ctx, const rung_curve *c, char **json)
{
    NOTHING(json);
    if (!ctx || !c || !json) return missing(ctx, "rung_curve_describe");
    CALL(ctx, curve_describe(ctx, c, json));
}
