// SPDX-License-Identifier: BSD-3-Clause
/* The caller's word about feature columns: the options nominal, numeric, ordinal and dates. */
#ifndef RUNG_DATA_COLUMN_OPTIONS_H
#define RUNG_DATA_COLUMN_OPTIONS_H

#include "data/dataset.h"

typedef enum { OPTION_NONE, OPTION_NOMINAL, OPTION_NUMERIC, OPTION_ORDINAL, OPTION_DATE } option_kind;

typedef struct { /* the caller's word about a column */
    option_kind kind;
    int64_t n_words; /* OPTION_ORDINAL: lowest first */
    const char **words;
    const char *reference; /* OPTION_NOMINAL: a category; NULL: the first */
    bool cyclic;           /* OPTION_DATE */
    bool has_order;        /* OPTION_DATE: and how dates are written */
    date_order order;
} column_option;

/* The options nominal, numeric, ordinal and dates: one entry per column of the table, in the scratch pool. */
rung_status column_options(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, column_option **out);

/* How options name a column. Returns name. */
enum { OPTION_NAME = 200 };
const char *option_name(const rung_table *t, int64_t j, char name[OPTION_NAME]);
/* For log_hint: the options ("nominal", or several of them with blanks between) that say otherwise of a column. Returns
 * detail. */
enum { OPTION_DETAIL = 3 * (OPTION_NAME + 24) };
const char *option_detail(const rung_table *t, int64_t j, const char *options, char detail[OPTION_DETAIL]);

#endif
