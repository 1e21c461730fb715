// SPDX-License-Identifier: BSD-3-Clause
/* What the files of a curve share: who is compared on which rows. */
#ifndef RUNG_SELECT_CURVE_PLAN_H
#define RUNG_SELECT_CURVE_PLAN_H

#include "data/row_groups.h"
#include "eval/metrics.h"
#include "fit/method.h"

enum { CURVE_MOST_SIZES = 16 };

typedef struct {
    rung_spec *spec;
    bool unlabelled;      /* the unlabelled rows are used, too */
    const char *strategy; /* how rows are chosen to be labelled (replay.c); NULL: labels per class at random */
} curve_line;

typedef struct {
    const rung_data *data;
    const metric *metric;
    bool replays; /* the lines have strategies, and sizes are labels in total */
    int K, repeats, n_sizes, n_lines;
    int strata; /* the classes and, where some labels are intervals, one more: these count as a class of their own */
    int size[CURVE_MOST_SIZES];
    curve_line *lines;
    int64_t *pool;  /* strata + 1, from 1: rows of a class that may keep their label in every repeat */
    int64_t *first; /* strata + 1: where the rows of a class begin in `order` */
    int64_t
        *order; /* repeats x labelled rows, by class: the test rows of each first, rows equal to one of the test last */
    int64_t labelled;         /* rows */
    double *value;            /* lines x sizes x repeats, repeats are contiguous */
    rung_forecast *forecasts; /* lines; size 0: none */
    int64_t test_rows;        /* of a repeat */
    bool exact;               /* of these only such with exact labels are measured (data/intervals.h) */
    row_groups equal;         /* labelled rows that leave together (data/together.h) are tests together */
    bool any_equal;
} curve_plan;

typedef enum { ROW_OPEN, ROW_TEST, ROW_KEPT } row_role;
/* The test rows of a repeat and those equal to them, and the first `size` others of each class, which keep their label;
 * role has room for all rows, zeroed. */
void curve_roles(const curve_plan *p, int repeat, int64_t size, row_role *role);
rung_status curve_test_set(rung_ctx *ctx, const curve_plan *p, int repeat, rung_data **out);
/* The error of a model on the test rows. */
rung_status curve_grade(rung_ctx *ctx, const curve_plan *p, const rung_model *model, const rung_data *test,
                        double *out);
/* The forecasts of the lines from all labels, o->more further ones ahead; size 0: none. out: zeroed, one for
 * each line. */
rung_status curve_forecasts(rung_ctx *ctx, const curve_plan *p, const rung_curve_options *o, rung_forecast *out);
int64_t curve_labels(const curve_plan *p, int64_t size); /* of all classes, where each has `size` as far as there are */

/* ---- replay.c ---- */
enum { REPLAY_FIRST = 2, REPLAY_STEP = 12, REPLAY_LAST = 120 }; /* labels per class; of a batch; in total */

/* A strategy by its name, as a text that lasts. RUNG_EARG: there is none. */
rung_status replay_strategy(rung_ctx *ctx, const char *name, const char **out);
/* One line in one repeat, from the first size to the last: a batch is chosen by the model of the batches before. */
rung_status replay_line(rung_ctx *ctx, const curve_plan *p, int line, int repeat);

#endif
