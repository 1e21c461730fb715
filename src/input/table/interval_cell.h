// SPDX-License-Identifier: BSD-3-Clause
/* Label cells that are intervals of classes: "2..4", "<=2", ">=4", or with names, "low..mid". */
#ifndef RUNG_TABLE_INTERVAL_CELL_H
#define RUNG_TABLE_INTERVAL_CELL_H

#include <stdbool.h>
#include <stddef.h>

bool cell_is_interval(const char *text); /* by its form */

typedef struct { /* of a cell, without blanks; NULL: open */
    const char *text;
    size_t length;
} cell_end;
typedef struct {
    cell_end low, high;
} cell_ends;
/* The ends of a cell of that form. A name may itself contain "..", so there may be several ways to read it; way counts
 * from 0. False: there are no more. */
bool cell_ends_at(const char *text, int way, cell_ends *out);

#endif
