// SPDX-License-Identifier: BSD-3-Clause
#include "eval/metrics.h"
#include "input/encode/rank_columns.h"

#include <math.h>

#include "api/call.h"
#include "data/dataset.h"
#include "eval/paired.h"
#include "eval/real.h"
#include "eval/reliability.h"

/* The table, whose rows hold the public ones. */
const rung_metric *rung_metric_at(int index)
{
    if (index < 0) return NULL;
    const metric *m = metric_table;
    while (m->info.key && index-- > 0) m++;
    return m->info.key ? &m->info : NULL;
}

const rung_metric *rung_metric_find(const char *key)
{
    const metric *m = metric_find(key);
    return m ? &m->info : NULL;
}

double rung_metrics_value(const rung_metrics *metrics, const char *key)
{
    const metric *m = metric_find(key);
    return m && m->place + sizeof(double) <= metrics->size ? metric_value(m, metrics) : NAN;
}

/* The result of a call that succeeds goes to the caller's struct. */
static rung_status give(rung_status status, const void *own, size_t size, void *out)
{
    if (status == RUNG_OK) result_give(own, size, out);
    return status;
}
#define GIVE(call, own, out) give(call, &(own), sizeof(own), out)

rung_status rung_metrics_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *predicted,
                                 const rung_metrics_options *options, rung_metrics *out)
{
    if (!ctx || !truth || !predicted || !out) return missing(ctx, "rung_metrics_compute");
    rung_metrics_options how;
    rung_metrics own;
    TRY(options_take(ctx, "rung_metrics_compute", options, &how, sizeof how));
    TRY(result_check(ctx, "rung_metrics_compute", out));
    graded_rows rows = {
        .n = n, .K = classes, .truth = truth, .upper = how.upper, .weight = how.weight, .group = how.group};
    CALL(ctx, GIVE(metrics_compute(ctx, &rows, predicted, how.proba, &own), own, out));
}

static rung_status median(rung_ctx *ctx, const graded_rows *rows, int *out)
{
    TRY(metrics_check(ctx, rows));
    *out = metrics_median(rows, rows->weight);
    return RUNG_OK;
}

rung_status rung_metrics_median(rung_ctx *ctx, int64_t n, int classes, const int *truth,
                                const rung_metrics_options *options, int *out)
{
    if (!ctx || (n > 0 && !truth) || !out) return missing(ctx, "rung_metrics_median");
    rung_metrics_options how;
    *out = 0;
    TRY(options_take(ctx, "rung_metrics_median", options, &how, sizeof how));
    const graded_rows rows = {
        .n = n > 0 ? n : 0, .K = classes, .truth = truth, .upper = how.upper, .weight = how.weight};
    CALL(ctx, median(ctx, &rows, out));
}

rung_status rung_wilcoxon(rung_ctx *ctx, int64_t n, const double *a, const double *b, rung_wilcoxon_test *out)
{
    if (!ctx || (n > 0 && (!a || !b)) || !out) return missing(ctx, "rung_wilcoxon");
    rung_wilcoxon_test own;
    TRY(result_check(ctx, "rung_wilcoxon", out));
    CALL(ctx, GIVE(paired_wilcoxon(ctx, n > 0 ? n : 0, a, b, &own), own, out));
}

rung_status rung_holm(rung_ctx *ctx, int n, double *p)
{
    if (!ctx || (n > 0 && !p)) return missing(ctx, "rung_holm");
    CALL(ctx, paired_holm(ctx, n > 0 ? n : 0, p));
}

rung_status rung_compare(rung_ctx *ctx, int64_t n, int classes, const int *truth, const int *upper, const int *a,
                         const int *b, rung_difference *out)
{
    if (!ctx || !truth || !a || !b || !out) return missing(ctx, "rung_compare");
    rung_difference own;
    TRY(result_check(ctx, "rung_compare", out));
    CALL(ctx, GIVE(paired_compare(ctx, n > 0 ? n : 0, classes, truth, upper, a, b, &own), own, out));
}

rung_status rung_reliability_compute(rung_ctx *ctx, int64_t n, int classes, const int *truth, const double *proba,
                                     int bins, rung_reliability_bin *out, double *ece)
{
    if (!ctx || !truth || !proba || !out || !ece) return missing(ctx, "rung_reliability_compute");
    CALL(ctx, reliability_compute(ctx, n, classes, truth, proba, bins, out, ece));
}

rung_status rung_real_metrics_compute(rung_ctx *ctx, int64_t n, const double *truth, const double *predicted,
                                      rung_real_metrics *out)
{
    if (!ctx || !truth || !predicted || !out) return missing(ctx, "rung_real_metrics_compute");
    rung_real_metrics own;
    TRY(result_check(ctx, "rung_real_metrics_compute", out));
    CALL(ctx, GIVE(real_metrics_compute(ctx, n, truth, predicted, &own), own, out));
}

static rung_status measure_table(rung_ctx *ctx, const rung_table *table, const char *truth, const char *predicted,
                                 const char *order, rung_metrics *out)
{
    rank_columns ranks = {0};
    TRY(rank_columns_new(ctx, table, truth, predicted, order, &ranks));
    graded_rows rows = {.n = table->n_rows, .K = ranks.K, .truth = ranks.truth, .upper = ranks.upper};
    return metrics_compute(ctx, &rows, ranks.predicted, NULL, out);
}

rung_status rung_metrics_compute_table(rung_ctx *ctx, const rung_table *table, const char *truth, const char *predicted,
                                       const char *order, rung_metrics *out)
{
    if (!ctx || !table || !truth || !predicted || !out) return missing(ctx, "rung_metrics_compute_table");
    rung_metrics own;
    TRY(result_check(ctx, "rung_metrics_compute_table", out));
    CALL(ctx, GIVE(measure_table(ctx, table, truth, predicted, order, &own), own, out));
}
