// SPDX-License-Identifier: BSD-3-Clause
/* Trees as arrays, as stored in a model, and their outputs for coded rows.
 *
 * Nodes of a tree are contiguous, level by level: the children of its k-th split (from 0) are its nodes 2k + 1 and
 * 2k + 2. A split on a numeric column sends x left if x <= cut[split] (of the column's cuts); one on a text column
 * sends the categories left whose bits are set in the words from `split` on. A missing number, and an unknown category,
 * goes where `missing` says.
 *
 * Trees that vote (random_tree.h) have a rank as the value of a leaf. Each of them adds 1 / n_trees to the outputs
 * below it: output q is the share of trees that vote for a rank above q. There are many of them and they are large, so
 * a file holds them packed, two nodes in a word: column + 1 in 23 bits, the side of missing cells in one and the cut in
 * eight; a leaf is its rank. */
#ifndef RUNG_TREES_FOREST_H
#define RUNG_TREES_FOREST_H

#include "trees/grow.h"

typedef struct forest_plan forest_plan;

typedef struct {
    int outputs;                       /* tree t adds to output t mod outputs */
    bool votes;                        /* all outputs count the votes of all trees */
    int64_t n_columns;                 /* of the table: a text column is one */
    int64_t n_trees, n_nodes, n_words; /* words of sets */
    int64_t *cut_first;                /* n_columns + 1 */
    double *cut;                       /* of each column, ascending */
    int64_t *tree_first;               /* n_trees + 1: the nodes of a tree */
    int64_t *column;                   /* per node: -1: a leaf */
    int64_t *split, *missing;          /* missing: 0: left, 1: right */
    double *value;                     /* of a leaf; of a split its gain */
    int64_t *set;
    int64_t *packed; /* votes: forest_packed_words of them */
    int64_t room_trees, room_nodes, room_words;
    forest_plan *plan; /* how to walk them fast */
} forest;

/* No trees yet; the cuts are those of b. */
rung_status forest_new(rung_ctx *ctx, pool *mem, int outputs, const tree_bins *b, forest *out);
/* Adds a tree, its values times factor. */
rung_status forest_add(rung_ctx *ctx, pool *mem, const tree_bins *b, const tree *t, double factor, forest *f);

/* Of trees that vote: packs them after the last one, and unpacks them when `packed`, and the sets, have been read. */
static inline int64_t forest_packed_words(int64_t nodes) { return nodes / 2 + nodes % 2; }
rung_status forest_pack(rung_ctx *ctx, pool *mem, const coding *code, forest *f);
rung_status forest_unpack(rung_ctx *ctx, pool *mem, const coding *code, forest *f);

/* After the last tree, or when the arrays have been read and checked. */
rung_status forest_ready(rung_ctx *ctx, pool *mem, const coding *code, forest *f);
/* Adds to the outputs (n x outputs by rows) of coded rows (d x n, NaN = missing). */
rung_status forest_apply(rung_ctx *ctx, const forest *f, int64_t n, const double *rows, double *output);

int64_t forest_leaves(const forest *f);
double forest_gain(const forest *f, int64_t c); /* of the splits on a column; -1: of all */

#endif
