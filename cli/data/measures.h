// SPDX-License-Identifier: BSD-3-Clause
/* The metrics of the library's table (rung_metric_at), as JSON, and those of the constant median. */
#ifndef RUNG_CLI_MEASURES_H
#define RUNG_CLI_MEASURES_H

#include <jansson.h>
#include <stdbool.h>

#include "rung/experimental.h"

json_t *measures_json(const rung_metrics *metrics); /* every key, n, and intervals where there are any */

/* The labels of a data set, which may be intervals rank[i]..upper[i]; upper NULL: none is. */
typedef struct {
    int64_t n;
    int classes;
    const int *rank, *upper;
    const double *weight; /* of each row; NULL: all 1 */
    const int *group;     /* rows that belong together; NULL: none */
} labels;
labels labels_of(const rung_data *data);
int64_t labels_intervals(const labels *l); /* how many are intervals */
int *labels_exact(const labels *l);        /* the ranks of those that are not, else 0; to be freed */

/* The metrics of predicted ranks. */
rung_status measure_ranks(rung_ctx *ctx, const labels *l, const int *predicted, const double *proba, rung_metrics *out);

/* The (lowest) rank with the smallest absolute error, the median of the labels; 0 if there are none. */
int median_rank(rung_ctx *ctx, const labels *l);
/* The metrics of always predicting that median. proba is not used: a constant has none. */
rung_status measure_median(rung_ctx *ctx, const labels *l, rung_metrics *out);

#endif
