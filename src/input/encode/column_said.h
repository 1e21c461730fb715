// SPDX-License-Identifier: BSD-3-Clause
/* The caller's word about feature columns: the options nominal, numeric, ordinal and dates. */
#ifndef RUNG_DATA_COLUMN_SAID_H
#define RUNG_DATA_COLUMN_SAID_H

#include "data/dataset.h"

typedef enum { SAID_NOTHING, SAID_NOMINAL, SAID_NUMERIC, SAID_ORDINAL, SAID_DATE } said_kind;

typedef struct { /* the caller's word about a column */
    said_kind kind;
    int64_t n_words; /* SAID_ORDINAL: lowest first */
    const char **words;
    const char *reference; /* SAID_NOMINAL: a category; NULL: the first */
    bool cyclic;           /* SAID_DATE */
    bool has_order;        /* SAID_DATE: and how dates are written */
    date_order order;
} said_column;

/* The options nominal, numeric, ordinal and dates: one entry per column of the table, in the scratch pool. */
rung_status said_columns(rung_ctx *ctx, const rung_table *t, const rung_encode_options *options, said_column **out);

/* How options name a column. Returns name. */
enum { OPTION_NAME = 200 };
const char *option_name(const rung_table *t, int64_t j, char name[OPTION_NAME]);
/* For log_hint: the options ("nominal", or several of them with blanks between) that say otherwise of a column. Returns
 * detail. */
enum { OPTION_DETAIL = 3 * (OPTION_NAME + 24) };
const char *option_detail(const rung_table *t, int64_t j, const char *options, char detail[OPTION_DETAIL]);

#endif
