// SPDX-License-Identifier: BSD-3-Clause
/* The scale that labels of several sources are compared on: its classes are those that lie between them, too. */
#ifndef RUNG_DATA_WHOLE_SCALE_H
#define RUNG_DATA_WHOLE_SCALE_H

#include "base/context.h"

/* Classes that are whole numbers, ascending, become a scale without gaps: 1, 2, 5 becomes 1, 2, 3, 4, 5, so that a 1
 * that should be a 5 is four classes away. The step is the largest number that divides them all: 10, 20, 40 becomes 10,
 * 20, 30,
 * 40. Other classes, and scales of more than MOST_NUMERIC_CLASSES, stay as they are. A warning says what was added. */
rung_status whole_scale(rung_ctx *ctx, pool *mem, int *n, const char ***classes);

/* See rung_labels_order; the order is malloc'ed. */
rung_status labels_order(rung_ctx *ctx, int64_t n, const char *const *labels, char **order);

#endif
