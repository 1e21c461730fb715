// SPDX-License-Identifier: BSD-3-Clause
/* curve_forecast.c - what more labels will buy, by the rule of suggestions (suggest/learning.c).
 *
 * The errors of a curve say little about it: all its repeats share the same few test rows, and its last size leaves out
 * a third of the labels. */
#include <string.h>

#include "base/parallel.h"
#include "fit/fit.h"
#include "select/curve_plan.h"
#include "suggest/learning.h"

/* Whether a line is the method as it would be fitted to the data, with rows labelled at random. */
static bool can_forecast(const curve_line *l)
{
    const rung_method *m = &l->spec->method->info;
    bool whole = l->unlabelled || !(m->flags & RUNG_METHOD_USES_UNLABELLED);
    return whole && strcmp(m->name, "median") != 0 && (!l->strategy || !strcmp(l->strategy, "random"));
}

static rung_status forecast_line(rung_ctx *ctx, const curve_plan *p, const curve_line *l, int64_t more,
                                 rung_forecast *out)
{
    rung_model *model = NULL;
    rung_forecast found = {0};
    bool there = false;
    rung_status status = method_fit(ctx, l->spec, p->data, &model);
    if (status == RUNG_OK) status = learning_forecast(ctx, l->spec, p->data, model, more, &there, &found);
    model_free(model);
    if (there) *out = found;
    out->size = there ? sizeof *out : 0;
    return status == RUNG_EDATA || task_may_fail(status) ? RUNG_OK : status;
}

rung_status curve_forecasts(rung_ctx *ctx, const curve_plan *p, const rung_curve_options *o, rung_forecast *out)
{
    rung_log_fn *log = ctx->log;
    rung_status status = RUNG_OK;
    ctx->log = NULL; /* the fits of the curve have said it */
    for (int i = 0; i < p->n_lines && !o->no_forecast && status == RUNG_OK; i++) {
        pool_mark mark = pool_here(&ctx->scratch);
        if (can_forecast(&p->lines[i]))
            status = forecast_line(ctx, p, &p->lines[i], o->more ? o->more : p->labelled, &out[i]);
        pool_release(&ctx->scratch, mark);
    }
    ctx->log = log;
    return status;
}
