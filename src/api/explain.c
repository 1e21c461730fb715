// SPDX-License-Identifier: BSD-3-Clause
/* Explanations of models, and costs of their answers. */
#include "api/call.h"
#include "explain/effects.h"
#include "explain/importance.h"
#include "explain/row.h"

rung_status rung_importance_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                                const rung_importance_options *options, rung_importance **out)
{
    NOTHING(out);
    if (!ctx || !model || !data || !out) return missing(ctx, "rung_importance_run");
    rung_importance_options own;
    TRY(options_take(ctx, "rung_importance_run", options, &own, sizeof own));
    CALL(ctx, importance(ctx, model, data, &own, out));
}

rung_status rung_importance_held_out(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                                     const rung_importance_options *options, rung_importance **out)
{
    NOTHING(out);
    if (!ctx || !spec || !data || !out) return missing(ctx, "rung_importance_held_out");
    rung_importance_options own;
    TRY(options_take(ctx, "rung_importance_held_out", options, &own, sizeof own));
    CALL(ctx, importance_held_out(ctx, spec, data, &own, out));
}

rung_status rung_effects_run(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                             const rung_effects_options *options, rung_effects **out)
{
    NOTHING(out);
    if (!ctx || !model || !data || !out) return missing(ctx, "rung_effects_run");
    rung_effects_options own;
    TRY(options_take(ctx, "rung_effects_run", options, &own, sizeof own));
    CALL(ctx, effects(ctx, model, data, &own, out));
}

rung_status rung_row_explain(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                             const rung_row_options *options, rung_row **out)
{
    NOTHING(out);
    if (!ctx || !model || !data || !out) return missing(ctx, "rung_row_explain");
    rung_row_options own;
    TRY(options_take(ctx, "rung_row_explain", options, &own, sizeof own));
    CALL(ctx, row_explain(ctx, model, data, &own, out));
}

void rung_importance_free(rung_importance *importance) { explanation_free(importance); }

const rung_importance_summary *rung_importance_about(const rung_importance *importance)
{
    return importance ? &importance->about : NULL;
}

const rung_permuted *rung_importance_at(const rung_importance *importance, int index)
{
    return importance && index >= 0 && index < importance->n ? &importance->permuted[index] : NULL;
}

void rung_effects_free(rung_effects *effects) { explanation_free(effects); }

const rung_effects_summary *rung_effects_about(const rung_effects *effects) { return effects ? &effects->about : NULL; }

const rung_effect *rung_effects_at(const rung_effects *effects, int index)
{
    return effects && index >= 0 && index < effects->n ? &effects->column[index] : NULL;
}

void rung_row_free(rung_row *row) { explanation_free(row); }

const rung_row_summary *rung_row_about(const rung_row *row) { return row ? &row->about : NULL; }

const rung_contribution *rung_row_at(const rung_row *row, int index)
{
    return row && index >= 0 && index < row->n ? &row->column[index] : NULL;
}

const rung_change *rung_row_change(const rung_row *row, int up, int index)
{
    return row && index >= 0 && index < row->n_changes[!!up] ? &row->change[!!up][index] : NULL;
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
