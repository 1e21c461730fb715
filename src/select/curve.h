// SPDX-License-Identifier: BSD-3-Clause
/* The error by number of labels, with and without the unlabelled rows. */
#ifndef RUNG_SELECT_CURVE_H
#define RUNG_SELECT_CURVE_H

#include "eval/metrics.h"
#include "fit/training.h"

struct rung_curve {
    pool mem;
    const metric *metric;
    int repeats, n_sizes, n_lines;
    int64_t rows, labelled, test_rows;
    int *per_class;  /* of a size */
    int64_t *labels; /* in total */
    rung_curve_line *lines;
    rung_forecast *forecasts; /* of each line; size 0: none */
};

/* The whole of rung_curve_run. */
rung_status curve(rung_ctx *ctx, const rung_curve_options *options, const rung_data *data, rung_curve **out);

/* ---- curve_report.c ---- */
void curve_free(rung_curve *c);
rung_status curve_describe(rung_ctx *ctx, const rung_curve *c, char **json); /* malloc'ed */

#endif
