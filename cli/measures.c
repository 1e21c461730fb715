// SPDX-License-Identifier: BSD-3-Clause
#include "measures.h"

#include <stddef.h>
#include <stdlib.h>

#include "common.h"
#include "json_out.h"

#define AT(field) offsetof(rung_metrics, field)
const measure measures[] = {{"mae", "mean absolute error, in classes", AT(mae), false},
                            {"mae_low", "95 % bootstrap range of mae, lower end", AT(mae_low), false},
                            {"mae_high", "95 % bootstrap range of mae, upper end", AT(mae_high), false},
                            {"mze", "share of rows in the wrong class", AT(mze), false},
                            {"acc", "share of rows in the right class", AT(acc), true},
                            {"off1", "share of rows off by at most one class", AT(off1), true},
                            {"amae", "mae of each class, averaged over the classes", AT(amae), false},
                            {"mmae", "mae of the worst class", AT(mmae), false},
                            {"mse", "mean squared error, in classes", AT(mse), false},
                            {"gm", "geometric mean of the classes' recalls", AT(gm), true},
                            {"ms", "recall of the worst class", AT(ms), true},
                            {"rps", "ranked probability score (needs probabilities)", AT(rps), false},
                            {"tau", "Kendall's tau-b, 1 = same order", AT(tau), true},
                            {"spearman", "Spearman's rank correlation", AT(spearman), true},
                            {"kappa", "Cohen's kappa with linear weights, agreement beyond chance", AT(kappa), true},
                            {"qkappa", "kappa with quadratic weights", AT(qkappa), true},
                            {0}};

double measure_value(const measure *m, const rung_metrics *metrics)
{
    return *(const double *)((const char *)metrics + m->place);
}

json_t *measures_json(const rung_metrics *metrics)
{
    json_t *all = json_object();
    for (const measure *m = measures; m->key; m++)
        json_object_set_new(all, m->key, jout_number(measure_value(m, metrics)));
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
