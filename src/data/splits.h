// SPDX-License-Identifier: BSD-3-Clause
/* Folds over labelled rows, and hiding labels. */
#ifndef RUNG_DATA_SPLITS_H
#define RUNG_DATA_SPLITS_H

#include "data/intervals.h"

typedef struct {
    int64_t n;
    const int *y; /* 1..K, 0 = unlabelled */
    int K;
    const int *group;    /* labelled rows with the same number are held out together; NULL: every row separately */
    const int *upper;    /* where labels are intervals (intervals.h); NULL: none is */
    const double *count; /* with groups: how many equal rows a row stands for, a whole number; NULL: one */
} ranked_rows;

int64_t count_labelled(const ranked_rows *ranked);

/* fold[r * n + i]: the fold (0..count-1) that holds row i out in repeat r, or -1: never held out. */
typedef struct {
    int64_t n;
    int count, repeats;
    int *fold;
} folds;

/* Stratified by class: the rows of each class are shuffled and assigned to folds in turn, continuing where the previous
 * class stopped. A class with a single labelled row is never held out, nor is an unlabelled row; so every class keeps a
 * row in every fold. Rows whose label is an interval follow, as if they were a class of their own; they count for no
 * other. With groups the class counts of the folds are as similar as the groups allow, and a group with all rows of a
 * class is never held out. out->count is lowered to the number of rows (groups) that can be held out, which may be 0.
 */
rung_status folds_stratified(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, int count, int repeats, folds *out);
/* Dealt at random, whatever the classes: with few labels stratified folds hide how far the class frequencies of a
 * sample are from those of the population. Every class keeps a row in every fold all the same, as above. */
rung_status folds_random(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, int count, int repeats, folds *out);
/* By the caller's groups: all of them are held out, so a fold may remove a whole class. */
rung_status folds_grouped(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, int count, int repeats, folds *out);
/* The caller's own: fold[r * n + i] from 0, < 0 = never held out. Unlabelled rows always stay in training. */
rung_status folds_given(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, const int *fold, int repeats, folds *out);
/* One fold, about share of the labelled rows but at least one and at most `most` of them, stratified; none only where
 * every class has a single row. */
rung_status folds_holdout(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, double share, int64_t most, folds *out);
/* The default number of repeats of a search: the fewer labels, the more the error depends on the folds. */
int default_repeats(int64_t labelled);
/* folds_stratified up to 2000 labelled rows; above, a single fold with a share 1 / count of the rows
 * (folds_holdout). */
rung_status folds_affordable(rung_ctx *ctx, pool *mem, const ranked_rows *ranked, int count, int repeats, folds *out);

/* The rows held out by one fold, ascending; returns how many. rows has room for n. */
int64_t folds_held(const folds *f, int repeat, int fold, int64_t *rows);
/* All others, unlabelled ones too. */
int64_t folds_kept(const folds *f, int repeat, int fold, int64_t *rows);

/* Sets about share (0..1) of the ranks to 0, stratified by class; a class keeps at least one of its labels. */
rung_status hide_labels(rung_ctx *ctx, int64_t n, int *y, int K, double share);
/* Sets all but `keep` ranks of each class to 0. */
rung_status keep_labels(rung_ctx *ctx, int64_t n, int *y, int K, int64_t keep);

#endif
