// SPDX-License-Identifier: BSD-3-Clause
/* Nested cross-validation of a search. */
#ifndef RUNG_SELECT_NESTED_H
#define RUNG_SELECT_NESTED_H

#include "select/tune_report.h"

typedef struct nested_result {
    int n; /* outer folds */
    point_name *chosen;
    rung_metrics metrics;
} nested_result;

#define NESTED_LAST 0.2 /* the share of the last search, of all rows, in the time */

rung_status nested_run(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, nested_result *out);

#endif
