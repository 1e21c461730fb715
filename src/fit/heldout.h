// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_FIT_HELDOUT_H
#define RUNG_FIT_HELDOUT_H

#include "fit/training.h"

/* Fold by fold, for methods without a cheaper way. A fold is a sub-block of the problem's matrices. Several settings at
 * once (params and out have `count`) must differ in RUNG_PARAM_CHEAP parameters alone: a fold's common part is made
 * once. */
rung_status held_out_by_refits(rung_ctx *ctx, pool *mem, const method *m, int count, const void *const *params,
                               const problem *p, const folds *f, held_out *out);

bool spec_recalibrates(const rung_spec *spec); /* thresholds=recalibrated */

/* The all-threshold fit on all held-out scores; repeats count once together. out->c has room for p->K - 1. */
rung_status held_out_thresholds(rung_ctx *ctx, const problem *p, const held_out *h, const folds *f, calibration *out);

typedef struct { /* held-out rows and their predictions */
    const problem *p;
    const folds *f;
    const held_out *h;
    int *rank;     /* h->n */
    double *proba; /* h->n x p->K by rows; NULL: none */
    bool exact;    /* rows whose label is an interval have no part in the metrics (held_out_judge) */
    int64_t rest;  /* how many of them, the last, no fold holds out: they count in the error alone (held_out_rest) */
} held_grades;

/* Cross-fitted ranks and probabilities: the thresholds applied to a row are fitted without its fold, too. Without
 * recalibration the ranks are the method's own; so are the probabilities where it has some. out has p, f and h, and
 * room for the grades. */
rung_status held_out_grades(rung_ctx *ctx, bool recalibrated, held_grades *out);

/* The tempering of the probabilities that held-out rows justify (eval/temper.h); those of the grades become the
 * cross-fitted tempered ones, so that what is measured on them is honest. The ranks stay. */
rung_status held_out_temper(rung_ctx *ctx, pool *mem, const held_grades *g, tempering *out);

/* A class all of whose labels are one row, or in one group, is in the training rows of every fold, so that its rows are
 * in no error: with few labels that would be too small. Adds these rows to the grades, held out by fits that do not
 * know their class, as the final one knows none without labels. tempered: as predictions will be. Nothing changes with
 * more than 200 labels, where a row is no matter, or where these fits fail. */
rung_status held_out_rest(rung_ctx *ctx, const method *m, const void *params, bool recalibrated,
                          const tempering *tempered, held_grades *g);

/* Where there are costs, the ranks become the answers of least expected cost; 0: the row is left open. */
void held_out_cost(const training *t, const answer_cost *cost, held_grades *g);
/* Sets `exact` where enough of these rows have exact labels (data/intervals.h). */
void held_out_judge(const training *t, held_grades *g);
/* The rows that count in the metrics: all but those that are left open, or were chosen to be labelled. */
int64_t held_out_counted(const training *t, const held_grades *g);
/* Metrics of these grades on the classes of the data, the mean over the repeats. Rows count by their own weights,
 * without those of their classes. */
rung_status held_out_metrics(rung_ctx *ctx, const training *t, const held_grades *g, rung_metrics *out);
/* The rank (of the data) that is the median of all labels, and its metrics on the rows of held_out_metrics. */
rung_status held_out_median(rung_ctx *ctx, const training *t, const held_grades *g, int *rank, rung_metrics *out);
/* How well the true ranks conform to these grades. all_classes: every class of the data has labels, so that no new row
 * can be of an unknown one. */
rung_status held_out_ranges(rung_ctx *ctx, pool *mem, const held_grades *g, bool all_classes, conformal *out);

#endif
