// SPDX-License-Identifier: BSD-3-Clause
/* From label cells to ranks: which classes there are, in which order, and which one a cell names. */
#ifndef RUNG_DATA_LABELS_H
#define RUNG_DATA_LABELS_H

#include "data/table.h"

enum { MOST_NUMERIC_CLASSES = 50 };

/* The classes of some columns taken together, lowest first: those declared by order ("low<mid<high"), else the
 * numbers that occur. Text without an order is an error that shows what to write. */
rung_status labels_classes(rung_ctx *ctx, pool *mem, const rung_table *t, int n_columns, const int64_t *columns,
                           const char *order, int *n_classes, const char ***classes);

/* The rank of every cell of a column, 0 = unlabelled (empty, ?, NA, nan). A number names the class of the same value
 * however it is written. A label that is no class is an error. */
rung_status labels_ranks(rung_ctx *ctx, const rung_table *t, int64_t column_index, int n_classes,
                         const char *const *classes, int *rank);

#endif
