// SPDX-License-Identifier: BSD-3-Clause
/* corrected.c - the error of a search, corrected for its choice.
 *
 * The winner has the smallest of many errors, so that it is too small. By how much is measured: the search is repeated
 * without each of five parts of the rows, and its winner predicts that part. What this error exceeds the one that the
 * same search reports is added to the error of the whole one. So the difference between fits to fewer and to more rows,
 * which is the same in both, drops out. Choosing by the held-out rows of the other folds alone is no remedy: they were
 * predicted by fits to the labels of this one, and where noise makes these agree it does so in both directions (pure
 * noise, 30 labels: .09 too small; this: within .02, two standard errors). */
#include "select/corrected.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "select/tune_point.h"

enum { PARTS = 5, ENOUGH = 500 }; /* rows measured, where there are more */

/* A difference of errors cannot take one below none. */
static double moved(double value, double by) { return fmax(value + by, 0); }

/* winner + (outer - inner), of all metrics, so of the rows of the winner; the range is that of the outer rows around
 * it. */
static void combine(const rung_metrics *winner, const nested_result *n, rung_metrics *out)
{
    *out = n->metrics;
    for (const metric *m = metric_table; m->info.key; m++) {
        double value = metric_value(m, winner) + metric_value(m, &n->metrics) - metric_value(m, &n->inner);
        if (m->info.flags & RUNG_METRIC_LARGER_BETTER)
            value = fmin(value, 1);
        else
            value = moved(value, 0);
        memcpy((char *)out + m->place, &value, sizeof value);
    }
    out->n = winner->n;
    out->mae_low = moved(n->metrics.mae_low, out->mae - n->metrics.mae);
    out->mae_high = moved(n->metrics.mae_high, out->mae - n->metrics.mae);
}

rung_status corrected_metrics(rung_ctx *ctx, const search *s, const rung_data *data, const rung_metrics *winner,
                              const nested_result *nested, rung_metrics *out)
{
    nested_result own = {0};
    rung_tune_options once = *s->options;
    *out = (rung_metrics){0};
    if (s->grid.n < 2 || !winner->n || s->metric == &tune_evidence) return RUNG_OK; /* no errors were compared */
    if (!nested) {
        pool_mark mark = pool_here(&ctx->scratch);
        rung_log_fn *log = ctx->log;
        once.repeats = 1;
        ctx->log = NULL; /* the search has said it */
        rung_status status = nested_run(ctx, &once, data, &(nested_way){.parts = PARTS, .enough = ENOUGH}, &own);
        ctx->log = log;
        if (status != RUNG_OK) return status == RUNG_EDATA || task_may_fail(status) ? RUNG_OK : status;
        if (own.inner.n) combine(winner, &own, out);
        pool_release(&ctx->scratch, mark);
    } else if (nested->inner.n)
        combine(winner, nested, out);
    return RUNG_OK;
}
