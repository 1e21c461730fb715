// SPDX-License-Identifier: BSD-3-Clause
/* Nested cross-validation of a search. */
#ifndef RUNG_SELECT_NESTED_H
#define RUNG_SELECT_NESTED_H

#include "select/tune_report.h"

typedef struct nested_result {
    int n; /* outer folds */
    point_name *chosen;
    rung_metrics metrics;
    rung_metrics inner; /* what the searches report of their winners, on average; n = 0: not all do */
} nested_result;

typedef struct {    /* zeros: every outer fold */
    int parts;      /* folds beyond this number are joined to others */
    int64_t enough; /* once this many rows are measured, further folds are not */
} nested_way;

#define NESTED_LAST 0.2 /* the share of the last search, of all rows, in the time */

rung_status nested_run(rung_ctx *ctx, const rung_tune_options *o, const rung_data *data, const nested_way *way,
                       nested_result *out);

#endif
