// SPDX-License-Identifier: BSD-3-Clause
/* From label cells to ranks: the classes, their order, and the class that a cell names. */
#ifndef RUNG_DATA_LABELS_H
#define RUNG_DATA_LABELS_H

#include "input/table/table.h"

enum { MOST_NUMERIC_CLASSES = RUNG_MOST_NUMERIC_CLASSES };

/* The classes of some columns taken together, lowest first: those declared by order ("low<mid<high"), else those the
 * file declares, else the numbers that occur, also as ends of intervals. Text without an order is an error that shows
 * what to write. */
rung_status labels_classes(rung_ctx *ctx, pool *mem, const rung_table *t, int n_columns, const int64_t *columns,
                           const char *order, int *n_classes, const char ***classes);

/* The classes that columns of text name, also as ends of intervals, in the order in which they first occur, names
 * before ends; in scratch memory. */
rung_status labels_named(rung_ctx *ctx, const rung_table *t, int n_columns, const int64_t *columns, int *n,
                         const char ***names);
/* Whether a column holds nothing but numbers, intervals of them and cells without a label. */
rung_status labels_are_numbers(rung_ctx *ctx, const rung_table *t, int64_t column_index, bool *out);

/* The names of classes, lowest first: distinct, also as numbers, and none that means unlabelled. */
rung_status labels_check_order(rung_ctx *ctx, int n, const char *const *names);

/* The rank of every cell of a column, 0 = unlabelled (empty, ?, NA, nan). A number names the class of the same value
 * however it is written. A label that is not a class is an error. *upper: NULL where no cell is an interval (2..4, <=2,
 * low..mid); else rank is the lowest class a cell allows and *upper (in mem) the highest. An interval of all classes
 * means unlabelled. upper NULL: an interval is an error. */
rung_status labels_ranks(rung_ctx *ctx, const rung_table *t, int64_t column_index, int n_classes,
                         const char *const *classes, pool *mem, int *rank, int **upper);

/* The ranks that a label allows; false: it is neither a class nor an interval of classes. See rung_label_ranks. */
bool label_ranks(int n_classes, const char *const *classes, const char *label, int *low, int *high);

/* The cells of a column as real numbers, NaN = unlabelled. */
rung_status labels_targets(rung_ctx *ctx, const rung_table *t, int64_t column_index, double *target);

/* Where to cut the n targets (NaN: left out) into at most `wanted` classes, ascending. A class ends with its edge, the
 * next one begins above it, so equal values are never split, as in the usual discretised benchmark sets. Equal width:
 * edges at equal distances between the smallest and the largest target. Equal frequency: the sorted targets in parts
 * whose sizes differ by at most one, larger parts first; a cut between equal values moves to the nearer end of their
 * run (the lower of two equally near) that leaves rows on both sides, and cuts that coincide are merged. */
rung_status bins_cut(rung_ctx *ctx, pool *mem, int64_t n, const double *target, int wanted, bool width, int *n_edges,
                     double **edges);
/* "(-inf, 1.5]", "(1.5, 3.2]", "(3.2, inf)". */
rung_status bins_names(rung_ctx *ctx, pool *mem, int n_edges, const double *edges, const char ***classes);

#endif
