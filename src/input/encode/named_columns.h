// SPDX-License-Identifier: BSD-3-Clause
/* Columns of numbers that have names (input/table/named_values.h): classes, categories and ordered words where they
 * are labels, nominal or ordinal, and numbers elsewhere. */
#ifndef RUNG_ENCODE_NAMED_COLUMNS_H
#define RUNG_ENCODE_NAMED_COLUMNS_H

#include "input/encode/column_options.h"

typedef enum {
    NAMED_AS_STANDS,
    NAMED_AS_NUMBERS,
    NAMED_AS_CLASSES,    /* all names in the order of their numbers, and numbers without a name between them */
    NAMED_AS_WORDS,      /* the same, of an ordinal feature */
    NAMED_AS_CATEGORIES, /* those that occur */
    NAMED_AS_TEXT        /* the names, as text without an order */
} named_as;

/* What a feature is taken for. */
rung_status named_feature(rung_ctx *ctx, const rung_table *t, int64_t j, const column_option *said, named_as *out);
/* What a column is taken for by a model that knows these names, of classes or categories. */
named_as named_known(const column *c, int64_t n, const char *const *names);
/* The table with its columns taken so, one entry per column, in scratch memory; t itself where nothing changes. */
rung_status named_columns(rung_ctx *ctx, const rung_table *t, const named_as *as, const rung_table **out);
/* For the columns of a coding (from, as coding_match finds them) and its label (-1: none). */
rung_status named_columns_for(rung_ctx *ctx, const rung_table *t, const coding *code, const int64_t *from,
                              int64_t label, const rung_table **out);

#endif
