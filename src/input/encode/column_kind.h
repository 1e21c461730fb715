// SPDX-License-Identifier: BSD-3-Clause
/* What a feature column is: numbers, categories, an ordered list of words, dates, or nothing to learn from. Decided by
 * the caller's word or, without one, by what its cells are, whatever the number of rows; the log says what was done. */
#ifndef RUNG_DATA_COLUMN_KIND_H
#define RUNG_DATA_COLUMN_KIND_H

#include "input/encode/column_options.h"

typedef enum {
    USE_FEATURE,
    USE_NOTHING, /* likely an identifier or free text, which the log says */
    USE_COUNTER  /* it only counts the rows; the log says it if it is left out: column_counts_warn */
} column_use;

/* Fills in how column j is coded, but not its fill value nor its place. RUNG_EDATA: it is not what the caller says, or
 * could be read in two ways. */
rung_status column_kind_of(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, const column_option *said,
                           column_code *out, column_use *use);
/* A column whose cells name groups: FORM_LEVEL. RUNG_EDATA: none does. */
rung_status column_levels(rung_ctx *ctx, pool *mem, const rung_table *t, int64_t j, column_code *out);
/* For a column of plain numbers in a table whose other columns have decimal commas: RUNG_EDATA if its points may part
 * thousands, as in 1.200. */
rung_status column_points_check(rung_ctx *ctx, const rung_table *t, int64_t j);
void column_counts_warn(rung_ctx *ctx, const rung_table *t, int64_t j);
/* How many cells of a column say in words that they are missing, and one of these words. */
int64_t column_missing_words(const rung_table *t, int64_t j, const char **word);

#endif
