// SPDX-License-Identifier: BSD-3-Clause
/* One extremely randomised tree: a split is the best of one random cut in each of a few random columns, and leaves are
 * as pure as the rows allow. A single one is a poor model; the votes of many are a smooth nearest-neighbour rule whose
 * neighbourhoods follow the columns that matter.
 *
 * Geurts, Ernst, Wehenkel. Extremely randomized trees. Machine Learning 63(1):3-42, 2006. Here the impurity of a node
 * is the ranked probability score that the frequencies of its classes have on its own rows, so that classes far apart
 * are separated first. */
#ifndef RUNG_TREES_RANDOM_TREE_H
#define RUNG_TREES_RANDOM_TREE_H

#include "trees/boosting.h"

enum { RANDOM_MOST_CLASSES = 500 };

typedef struct random_grower random_grower;

/* For trees of up to n of these rows; leaves have at least min_rows of them. mass: of the classes in all rows, for
 * labels that are intervals (data/intervals.h). */
rung_status random_grower_new(rung_ctx *ctx, pool *mem, const boost_rows *data, int64_t n, int64_t min_rows,
                              const double *mass, random_grower **out);
double random_grower_bytes(int64_t n, int64_t columns, int K);
/* From n rows. The value of a leaf is a rank: the smallest that at least a share `quantile` of its rows do not exceed.
 * So trees with quantiles evenly spread over 0..1 vote by the frequencies of the classes where they have the same leaf.
 * The tree lives until the next one. */
const tree *random_tree(random_grower *g, rng *r, int64_t n, const int64_t *rows, double quantile);

#endif
