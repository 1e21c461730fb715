// SPDX-License-Identifier: BSD-3-Clause
/* Explanations of models, and costs of their answers. */
#include "api/call.h"
#include "explain/effects.h"
#include "explain/importance.h"
#include "explain/row.h"

rung_status rung_importance_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                const rung_importance_options *options, char **report)
{
    NOTHING(report);
    if (!ctx || !model || !data || !report) return missing(ctx, "rung_importance_run");
    rung_importance_options own;
    TRY(options_take(ctx, "rung_importance_run", options, &own, sizeof own));
    CALL(ctx, importance(ctx, model, data, &own, report));
}

rung_status rung_importance_held_out(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                     const rung_importance_options *options, char **report)
{
    NOTHING(report);
    if (!ctx || !spec || !data || !report) return missing(ctx, "rung_importance_held_out");
    rung_importance_options own;
    TRY(options_take(ctx, "rung_importance_held_out", options, &own, sizeof own));
    CALL(ctx, importance_held_out(ctx, spec, data, &own, report));
}

rung_status rung_effects_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                             const rung_effects_options *options, char **report)
{
    NOTHING(report);
    if (!ctx || !model || !data || !report) return missing(ctx, "rung_effects_run");
    rung_effects_options own;
    TRY(options_take(ctx, "rung_effects_run", options, &own, sizeof own));
    CALL(ctx, effects(ctx, model, data, &own, report));
}

rung_status rung_row_explain(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                             const rung_row_options *options, char **report)
{
    NOTHING(report);
    if (!ctx || !model || !data || !report) return missing(ctx, "rung_row_explain");
    rung_row_options own;
    TRY(options_take(ctx, "rung_row_explain", options, &own, sizeof own));
    CALL(ctx, row_explain(ctx, model, data, &own, report));
}

rung_status rung_cost_parse(rung_ctx *ctx, const char *text, int classes, double *cost)
{
    if (!ctx || !text || !cost) return missing(ctx, "rung_cost_parse");
    CALL(ctx, cost_parse(ctx, text, classes, cost));
}

rung_status rung_cost_check(rung_ctx *ctx, int classes, const double *cost, double abstain)
{
    if (!ctx || !cost) return missing(ctx, "rung_cost_check");
    CALL(ctx, cost_check(ctx, classes, cost, abstain));
}
