// SPDX-License-Identifier: BSD-3-Clause
/* The metrics of the library's table (rung_metric_at), as JSON, and those of the constant median. */
#ifndef RUNG_CLI_MEASURES_H
#define RUNG_CLI_MEASURES_H

#include <jansson.h>
#include <stdbool.h>

#include "rung/rung.h"

json_t *measures_json(const rung_metrics *metrics); /* every key, and n */

/* The (lower) median of the ranks that are not 0; 0 if there is none. */
int median_rank(int64_t n, int classes, const int *rank);
/* The metrics of always predicting that median. proba is not used: a constant has none. */
rung_status measure_median(rung_ctx *ctx, int64_t n, int classes, const int *truth, rung_metrics *out);

#endif
