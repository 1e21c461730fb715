// SPDX-License-Identifier: BSD-3-Clause
/* Explanations of models. */
#include "api/call.h"
#include "explain/importance.h"

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
