// SPDX-License-Identifier: BSD-3-Clause
/* Columns that name rows or things instead of measuring them: identifiers, counters, codes, dates written as one
 * number, and numbers that stand for a missing value. */
#ifndef RUNG_DATA_COLUMN_CODES_H
#define RUNG_DATA_COLUMN_CODES_H

#include "input/table/table.h"

enum { LEAST_CELLS = 8 }; /* of fewer cells nobody can tell an identifier from categories */

/* Of a text column: most cells occur once, or there are very many kinds of them. */
rung_status text_is_identifier(rung_ctx *ctx, const rung_table *t, const column *c, int64_t cells, bool *out);

/* The rest is about columns of numbers. */

/* Whether a column that goes up by one from row to row is one that counts them, by its name or its first number. */
bool counter_begins(const char *name, double first);
/* They go up by one from row to row, or are at least N consecutive integers. */
rung_status counts_rows(rung_ctx *ctx, const rung_table *t, const column *c, bool *out);
/* All are dates such as 20240131, and there are enough of them. */
bool numbers_are_dates(const rung_table *t, const column *c);

typedef struct {
    double example;   /* the first that is not missing */
    bool are;         /* whole numbers that the name of the column calls codes ... */
    int64_t distinct; /* ... how many ... */
    bool identifier;  /* ... as identifiers have */
    double sentinel;  /* -999, 9999 and the like, far from all others; it is in sentinel_cells rows */
    int64_t sentinel_cells;
} code_numbers;
rung_status numbers_look(rung_ctx *ctx, const rung_table *t, const column *c, code_numbers *out);

#endif
