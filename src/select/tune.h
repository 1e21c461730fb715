// SPDX-License-Identifier: BSD-3-Clause
/* Search for the best method and parameters by cross-validation. */
#ifndef RUNG_SELECT_TUNE_H
#define RUNG_SELECT_TUNE_H

#include "eval/metrics.h"
#include "fit/training.h"
#include "select/grid.h"

typedef struct {        /* what a point reached */
    rung_status status; /* RUNG_OK, or why it could not be fitted */
    double value;       /* the metric */
    double se;          /* its standard error over the folds; NaN: a single fold */
    double criterion;   /* the value compared: the cost, plus 1e-3 times the error of the rank scores to break ties */
    held_out held;
    calibration compared; /* the thresholds it is compared by, fitted to all its held-out scores; c has room for K */
    char message[256];
} point_result;

typedef struct {
    const rung_tune_options *options;
    const metric *metric;
    answer_cost cost; /* of the answers; no matrix: as the methods decide */
    grid grid;
    point_result *results;
    int winner;
    int folds, repeats; /* 0: the evidence decides */
    int64_t n_labelled;
} search;

/* Runs the search on a data set and fits the winner. mem keeps what `search` points to; release its grid with
 * grid_free, also after a failure. */
rung_status tune_run(rung_ctx *ctx, pool *mem, const rung_tune_options *options, const rung_data *data, search *out,
                     rung_model **model);

/* The point with the least criterion of s->results, or by the rule of one standard error, becomes s->winner. */
rung_status tune_choose(rung_ctx *ctx, search *s);

/* Folds over the labelled rows of a problem, according to the options; rows: of the whole data set. */
rung_status tune_folds(rung_ctx *ctx, pool *mem, const rung_tune_options *options, int64_t rows, const problem *p,
                       folds *out);

/* The whole of rung_tune_run: the search, nested cross-validation if asked, and what was found. */
rung_status tune(rung_ctx *ctx, const rung_tune_options *options, const rung_data *data, rung_model **model,
                 rung_search **found);

#endif
