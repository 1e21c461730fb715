// SPDX-License-Identifier: BSD-3-Clause
/* One point of a search: its held-out scores and their error. */
#ifndef RUNG_SELECT_TUNE_POINT_H
#define RUNG_SELECT_TUNE_POINT_H

#include "select/tune.h"

typedef struct {
    search *search;
    training training;
    folds labelled, all; /* the same folds for both problems */
} tune_state;

/* Points that differ only in RUNG_PARAM_CHEAP parameters, usually a single one, share what they can. */
typedef struct {
    int n;
    const int *points;
} point_group;

/* Not a function of grades: the log evidence of all labels, from one fit without folds. */
extern const metric tune_evidence;
/* The mean cost of the answers, by the costs of the options. */
extern const metric tune_cost;

static inline bool uses_all(const rung_spec *spec)
{
    return (spec->method->info.flags & RUNG_METHOD_USES_UNLABELLED) != 0;
}

static inline const problem *problem_at(const tune_state *r, int point)
{
    return uses_all(r->search->grid.points[point].spec) ? &r->training.all : &r->training.labelled;
}
static inline const folds *folds_at(const tune_state *r, int point)
{
    return uses_all(r->search->grid.points[point].spec) ? &r->all : &r->labelled;
}

/* Compares a point by its held-out rows, but for those set aside (NULL: none): value, standard error and criterion. */
rung_status tune_judge(rung_ctx *ctx, const tune_state *r, int point, const held_out *h, const bool *aside,
                       point_result *out);

/* Fills in the results of the points, but for status and message. ctx is the worker's; the problems are only read. */
rung_status tune_points(rung_ctx *ctx, const tune_state *r, const point_group *g);

#endif
