// SPDX-License-Identifier: BSD-3-Clause
/* What a search found: the object of rung.h. */
#ifndef RUNG_SELECT_TUNE_REPORT_H
#define RUNG_SELECT_TUNE_REPORT_H

#include "select/tune.h"

typedef char point_name[256]; /* method and parameters, as text */

void point_describe(const rung_spec *spec, const rung_tune_options *o, point_name text);

typedef struct {
    rung_point info;
    int n_params;
    model_param *params;
} searched_point;

struct rung_search {
    pool mem;
    const metric *metric;
    int folds, repeats, n, winner;
    int64_t labelled;
    searched_point *points;
    bool has_cv, has_nested;
    rung_metrics cv, corrected, nested; /* cv: of the winner; corrected.n = 0: there is nothing to correct */
    int n_chosen;
    const char **chosen; /* in the outer folds */
};

struct nested_result;
/* All but the metrics of the winner. n: NULL without nested cross-validation. */
rung_status search_record(rung_ctx *ctx, const search *s, const struct nested_result *n, rung_search **out);
void search_free(rung_search *found);
rung_status search_describe(rung_ctx *ctx, const rung_search *found, char **json); /* malloc'ed */

#endif
