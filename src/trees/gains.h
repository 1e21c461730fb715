// SPDX-License-Identifier: BSD-3-Clause
/* The gains of all splits of a column of numbers at once: the search for splits is most of what growing a tree costs.
 */
#ifndef RUNG_TREES_GAINS_H
#define RUNG_TREES_GAINS_H

#include "trees/grow.h"

typedef struct { /* a leaf */
    tree_sums sum;
    tree_sums missing; /* rows that go left whatever the split */
    tree_units units;
    int64_t min_rows;
    double l2, worth; /* worth: G^2 / (H + l2) of the leaf */
} gain_leaf;

/* Of n splits whose left sides, without l->missing, have the sums g and h (the two halves of tree_sums); gain -1: a
 * side has too few rows. */
void prefix_gains(const gain_leaf *l, int n, const int64_t *g, const int64_t *h, double *gain);

#endif
