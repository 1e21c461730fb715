// SPDX-License-Identifier: BSD-3-Clause
#include "measures.h"

#include <stdlib.h>

#include "common.h"
#include "json_out.h"

json_t *measures_json(const rung_metrics *metrics)
{
    json_t *all = json_object();
    const rung_metric *m;
    for (int i = 0; (m = rung_metric_at(i)); i++)
        json_object_set_new(all, m->key, jout_number(rung_metrics_value(metrics, m->key)));
    json_object_set_new(all, "n", json_integer(metrics->n));
    return all;
}

int median_rank(int64_t n, int classes, const int *rank)
{
    int64_t *count = allocate((size_t)classes + 1, sizeof *count), labelled = 0, below = 0;
    for (int64_t i = 0; i < n; i++) count[rank[i]]++;
    for (int k = 1; k <= classes; k++) labelled += count[k];
    int median = 0;
    for (int k = 1; k <= classes && !median && labelled; k++)
        if (2 * (below += count[k]) >= labelled) median = k;
    free(count);
    return median;
}

rung_status measure_median(rung_ctx *ctx, int64_t n, int classes, const int *truth, rung_metrics *out)
{
    int *constant = allocate((size_t)n, sizeof *constant), median = median_rank(n, classes, truth);
    for (int64_t i = 0; i < n; i++) constant[i] = median;
    rung_status status = rung_metrics_compute(ctx, n, classes, truth, constant, NULL, out);
    free(constant);
    return status;
}
