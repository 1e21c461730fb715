// SPDX-License-Identifier: BSD-3-Clause
/* Suggestions and forecasts. */
#include "suggest/suggest.h"

#include "api/call.h"
#include "suggest/forecast.h"

rung_status rung_suggest_run(rung_ctx *ctx, const rung_spec *spec, const rung_data *data,
                             const rung_suggest_options *options, rung_suggestion **out)
{
    NOTHING(out);
    if (!ctx || !spec || !data || !out) return missing(ctx, "rung_suggest_run");
    rung_suggest_options own;
    TRY(options_take(ctx, "rung_suggest_run", options, &own, sizeof own));
    CALL(ctx, suggest(ctx, &(suggest_input){.spec = spec, .data = data}, &own, out));
}

void rung_suggestion_free(rung_suggestion *s) { suggestion_free(s); }

const rung_suggested *rung_suggestion_at(const rung_suggestion *s, int64_t index)
{
    return index >= 0 && index < s->n ? &s->rows[index] : NULL;
}

int rung_suggestion_forecast(const rung_suggestion *s, rung_forecast *out)
{
    if (!s->has_forecast || !result_fits(out)) return 0;
    result_give(&s->forecast, sizeof s->forecast, out);
    return 1;
}

static rung_status run_forecast(rung_ctx *ctx, const learning_curve *c, int64_t more, rung_forecast *out)
{
    rung_forecast own;
    TRY(forecast(ctx, c, more, &own));
    result_give(&own, sizeof own, out);
    return RUNG_OK;
}

rung_status rung_forecast_run(rung_ctx *ctx, int n, const int64_t *labels, const double *error, const double *se,
                              int64_t more, rung_forecast *out)
{
    if (!ctx || !labels || !error || !out) return missing(ctx, "rung_forecast_run");
    TRY(result_check(ctx, "rung_forecast_run", out));
    learning_curve c = {.n = n, .labels = labels, .error = error, .se = se};
    CALL(ctx, run_forecast(ctx, &c, more, out));
}
