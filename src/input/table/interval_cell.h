// SPDX-License-Identifier: BSD-3-Clause
/* Label cells that are intervals of classes: "2..4", "<=2", ">=4", or with names, "low..mid". */
#ifndef RUNG_TABLE_INTERVAL_CELL_H
#define RUNG_TABLE_INTERVAL_CELL_H

#include <stdbool.h>

#include "base/context.h"

bool cell_is_interval(const char *text); /* by its form */

typedef struct {
    const char *low, *high; /* as written, without blanks, in scratch memory; NULL: open */
} cell_ends;
/* The ends of a cell of that form. A name may itself contain "..", so there may be several ways to read it; way counts
 * from 0. *found false: there are no more. */
rung_status cell_ends_at(rung_ctx *ctx, const char *text, int way, bool *found, cell_ends *out);

#endif
