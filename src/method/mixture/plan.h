// SPDX-License-Identifier: BSD-3-Clause
/* How a mixture is fitted, by the number of labels: a function of the shape alone, never of the clock.
 * docs/methods/auto.md shows the table. */
#ifndef RUNG_METHOD_MIXTURE_PLAN_H
#define RUNG_METHOD_MIXTURE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_THOROUGH } effort_level;

typedef struct {
    int64_t labels;      /* up to this many */
    int64_t screen;      /* the grid is run on this many of them, and only what matters there on all; 0: on all */
    int64_t landmarks;   /* that represent a kernel; 0: exact */
    int64_t kernel_rows; /* labelled rows that kernels see; 0: all */
    int folds;           /* 1: a single part of the rows is held out */
    bool whole_folds;    /* a fold tries the whole grid, not only what matters on all rows */
    bool random;         /* random trees beside boosted ones */
} mixture_plan;

const mixture_plan *mixture_plan_for(effort_level effort, int64_t labels);
/* Whether boosted trees of the nominal link join those of the ordinal one. */
bool mixture_plan_nominal(effort_level effort, int64_t labels, int classes);

/* With a single fold: the share of the rows that is held out, and the most. */
#define PLAN_HELD_SHARE 0.2
enum { PLAN_MOST_HELD = 4000 };

#endif
