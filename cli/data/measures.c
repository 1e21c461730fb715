// SPDX-License-Identifier: BSD-3-Clause
#include "data/measures.h"

#include <stdlib.h>

#include "core/common.h"
#include "core/json_out.h"

json_t *measures_json(const rung_metrics *metrics)
{
    json_t *all = json_object();
    const rung_metric *m;
    for (int i = 0; (m = rung_metric_at(i)); i++)
        json_object_set_new(all, m->key, jout_number(rung_metrics_value(metrics, m->key)));
    json_object_set_new(all, "n", json_integer(metrics->n));
    if (metrics->intervals) json_object_set_new(all, "intervals", json_integer(metrics->intervals));
    return all;
}

labels labels_of(const rung_data *data)
{
    return (labels){.n = rung_data_rows(data),
                    .classes = rung_data_classes(data),
                    .rank = rung_data_ranks(data),
                    .upper = rung_data_uppers(data)};
}

int64_t labels_intervals(const labels *l)
{
    int64_t count = 0;
    for (int64_t i = 0; l->upper && i < l->n; i++) count += l->rank[i] && l->upper[i] > l->rank[i];
    return count;
}

int *labels_exact(const labels *l)
{
    int *rank = allocate((size_t)l->n + 1, sizeof *rank);
    for (int64_t i = 0; i < l->n; i++) rank[i] = l->upper && l->upper[i] > l->rank[i] ? 0 : l->rank[i];
    return rank;
}

int median_rank(rung_ctx *ctx, const labels *l)
{
    const rung_metrics_options how = {.size = sizeof how, .upper = l->upper, .weight = l->weight};
    int median = 0;
    return rung_metrics_median(ctx, l->n, l->classes, l->rank, &how, &median) == RUNG_OK ? median : 0;
}

rung_status measure_ranks(rung_ctx *ctx, const labels *l, const int *predicted, const double *proba, rung_metrics *out)
{
    const rung_metrics_options how = {
        .size = sizeof how, .upper = l->upper, .proba = proba, .weight = l->weight, .group = l->group};
    return rung_metrics_compute(ctx, l->n, l->classes, l->rank, predicted, &how, out);
}

rung_status measure_median(rung_ctx *ctx, const labels *l, rung_metrics *out)
{
    int *constant = allocate((size_t)l->n, sizeof *constant), median = median_rank(ctx, l);
    for (int64_t i = 0; i < l->n; i++) constant[i] = median;
    rung_status status = measure_ranks(ctx, l, constant, NULL, out);
    free(constant);
    return status;
}
