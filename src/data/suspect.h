// SPDX-License-Identifier: BSD-3-Clause
/* Feature columns that are likely not what they are taken for: identifiers, numbers that were read as text. */
#ifndef RUNG_DATA_SUSPECT_H
#define RUNG_DATA_SUSPECT_H

#include "data/table.h"

/* columns: positions of the feature columns. Text of too many kinds is refused, telling all such columns at once and
 * what to do; what is only odd is a warning in the log. */
rung_status suspect_columns(rung_ctx *ctx, const rung_table *t, int64_t n, const int64_t *columns);

#endif
