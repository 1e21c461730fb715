// SPDX-License-Identifier: BSD-3-Clause
#include "measures.h"

#include <stddef.h>
#include <stdlib.h>

#include "common.h"
#include "json_out.h"

#define AT(field) offsetof(rung_metrics, field)
const measure measures[] = {{"mae", "mean absolute error, in classes", AT(mae)},
                            {"mae_low", "95 % bootstrap range of mae, lower end", AT(mae_low)},
                            {"mae_high", "95 % bootstrap range of mae, upper end", AT(mae_high)},
                            {"mze", "share of rows in the wrong class", AT(mze)},
                            {"acc", "share of rows in the right class", AT(acc)},
                            {"off1", "share of rows at most one class off", AT(off1)},
                            {"amae", "mae of each class, averaged over the classes", AT(amae)},
                            {"mmae", "mae of the worst class", AT(mmae)},
                            {"mse", "mean squared error, in classes", AT(mse)},
                            {"gm", "geometric mean of the classes' recalls", AT(gm)},
                            {"ms", "recall of the worst class", AT(ms)},
                            {"rps", "ranked probability score (needs probabilities)", AT(rps)},
                            {"tau", "Kendall's tau-b, 1 = same order", AT(tau)},
                            {"spearman", "Spearman's rank correlation", AT(spearman)},
                            {"kappa", "Cohen's kappa with linear weights, agreement beyond chance", AT(kappa)},
                            {"qkappa", "kappa with quadratic weights", AT(qkappa)},
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
    rung_status status = rung_measure(ctx, n, classes, truth, constant, NULL, out);
    free(constant);
    return status;
}
