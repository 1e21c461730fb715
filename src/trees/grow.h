// SPDX-License-Identifier: BSD-3-Clause
/* One regression tree, grown best first over binned columns from first and second derivatives g, h of a loss.
 *
 * The value of a node is -G / (H + l2), G and H the sums over its rows; the gain of a split is
 *     gain = G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2).
 * Derivatives are whole multiples of a small unit, so their sums are exact: whatever the order of the rows, the number
 * of threads or how rows are divided, a tree has the same bits. Of equal gains the lower column wins, then the lower
 * bin. */
#ifndef RUNG_TREES_GROW_H
#define RUNG_TREES_GROW_H

#include "base/comm.h"
#include "base/rng.h"
#include "trees/bins.h"

typedef struct {
    int leaves;          /* at most, >= 2 */
    int64_t min_rows;    /* of a leaf */
    double l2;           /* > 0 */
    double columns;      /* share of the columns used for a tree */
    const int *monotone; /* per column: +1 the value never decreases, -1 it never increases, 0; NULL: all 0 */
} tree_rules;

/* g, and h beside the number of rows: h << shift | 1 of a single row. */
typedef int64_t tree_sums __attribute__((vector_size(16)));

typedef struct { /* how derivatives are written as tree_sums */
    int shift;
    double g, h; /* one unit */
} tree_units;

/* For n rows whose |g| sum to at most most_g, whose h to at most most_h. */
tree_units tree_units_for(int64_t n, double most_g, double most_h);
static inline tree_sums tree_sums_of(const tree_units *u, double g, double h)
{
    return (tree_sums){(int64_t)(g / u->g), (int64_t)(h / u->h) << u->shift | 1};
}

enum { SET_WORDS = BIN_ROOM / 64 };

typedef struct {
    int column;         /* -1: a leaf */
    int left;           /* its left child; the right one follows it. Children come after all earlier nodes */
    int bin;            /* numbers: bins 1..bin go left */
    bool missing_right; /* bin 0 goes right */
    uint64_t *set;      /* text columns: the bins that go left */
    double value;       /* of a leaf; of a split its gain */
    int64_t from, to;   /* a leaf: its rows, as the grower holds them ... */
    int leaf;           /* ... and its number, as a source knows it */
} tree_node;

typedef struct {
    int n;
    tree_node *node;
    uint64_t *sets; /* room for one per split */
    int *order;     /* room for one per node */
} tree;

rung_status tree_new(rung_ctx *ctx, pool *mem, int leaves, tree *out);
/* The leaf of a row of bins. */
int tree_leaf(const tree *t, const uint8_t *code);

typedef struct grower grower;

/* Rows that are held elsewhere (packed.h), where each knows its leaf. */
enum { TREE_TAKEN = 256 };
typedef struct {      /* a pass over them */
    int leaf, right;  /* those of `leaf` that do not go left become those of `right`; -1: they stay */
    int64_t column;   /* rows go left by their bin of this column */
    const bool *left; /* BIN_ROOM */
    int wanted;       /* then the rows of this leaf are listed; -1: none */
} tree_pass;
typedef struct {
    rung_ctx *ctx; /* its processes have rows each, and add up their histograms */
    int64_t n;     /* rows of this process */
    /* Passes over the rows from *at on, which is moved, up to `end`: returns how many are listed, TREE_TAKEN at most,
     * with their derivatives. */
    int64_t (*take)(const void *user, const tree_pass *pass, int64_t *at, int64_t end, int32_t *row, tree_sums *sum);
    const void *user;
} tree_source;

typedef struct { /* what trees grow from */
    const tree_bins *b;
    const uint8_t *by_row;     /* the bins of all rows */
    const tree_codes *codes;   /* with those by column; NULL where there is a source: */
    const tree_source *source; /* NULL: the grower has the rows */
} tree_rows;

/* most: rows of a tree that the grower has. Trees grow with this number of threads. */
rung_status grower_new(rung_ctx *ctx, pool *mem, const tree_rows *rows, int64_t most, const tree_rules *rules,
                       int threads, grower **out);
/* rows: those that the grower has; binned: those whose cells the bins are of. */
double grower_bytes(int64_t columns, int64_t rows, int64_t binned, int leaves, int threads);
/* Room for the rows to grow from: their numbers, ascending, and their derivatives. Growing makes those of a leaf
 * contiguous, so that their derivatives are read in order. */
int32_t *grower_rows(grower *g);
tree_sums *grower_sums(grower *g);
/* From the first n of them, or from all rows of leaf 0 of the source. r chooses the columns. Values of leaves are
 * within
 * +-TREE_MOST. Fails only where processes cannot add up their histograms. */
#define TREE_MOST 10.0
rung_status grow(grower *g, rng *r, int64_t n, const tree_units *units, tree *out);

#endif
