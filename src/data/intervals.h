// SPDX-License-Identifier: BSD-3-Clause
/* Labels that are intervals of ranks. Where data have some, y is the lowest rank that a label allows and upper the
 * highest (y = upper: the label is one rank, 0: unlabelled); upper is NULL where every label is one rank. The label
 * says nothing about the thresholds inside its interval, so likelihoods, errors and scores skip these. */
#ifndef RUNG_DATA_INTERVALS_H
#define RUNG_DATA_INTERVALS_H

#include <stdbool.h>

#include "base/context.h"

static inline int highest_rank(const int *y, const int *upper, int64_t i) { return upper ? upper[i] : y[i]; }
static inline bool is_interval(const int *y, const int *upper, int64_t i) { return upper && upper[i] > y[i]; }
/* An answer inside an interval shows no error, however far it may be from the truth, so that errors with intervals
 * among the labels are lower bounds. They are measured on exact labels alone where at least this many rows have one. */
enum { EXACT_ENOUGH = 10 };
/* The rank in low..high that is nearest to another one. */
static inline int nearest_rank(int low, int high, int rank) { return rank < low ? low : rank > high ? high : rank; }
/* 0 inside, else the number of ranks to the nearer end. */
static inline int interval_distance(int low, int high, int rank)
{
    return rank < low ? low - rank : rank > high ? rank - high : 0;
}

/* The classes of some rows (listed; NULL: all n), ascending: those that a label names and, for an interval without such
 * a class, one in its middle; as few as possible, and each of them has a row that allows no other. upto (K + 1): the
 * number of them up to rank q. So the rank of a label y is upto[y], and that of an interval is what follows. */
rung_status classes_present(rung_ctx *ctx, int64_t n, const int64_t *rows, const int *y, const int *upper, int K,
                            int *upto);
static inline int closed_low(const int *upto, int low) { return upto[low - 1] + 1; }
static inline int closed_high(const int *upto, int high) { return upto[high]; }
/* upto as a list: classes[r - 1] is the class of rank r. Returns how many there are. */
int classes_list(int K, const int *upto, int *classes);

/* mass (K): the weight of the rows of each class (weight NULL: 1 each). The row of an interval is divided among its
 * classes in proportion to their masses: the maximum of the likelihood of the frequencies, found by EM. */
rung_status class_masses(rung_ctx *ctx, int64_t n, const int *y, const int *upper, const double *weight, int K,
                         double *mass);
/* The share of a label above rank q: 1, 0, or by the masses where q is inside the interval. */
double label_share_above(int low, int high, int q, const double *mass);
/* The share of class q in a label. */
double label_share(int low, int high, int q, const double *mass);

#endif
