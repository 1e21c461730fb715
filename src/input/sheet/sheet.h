// SPDX-License-Identifier: BSD-3-Clause
/* Tables in files that are no text. They are recognised by their first bytes and read as a whole. */
#ifndef RUNG_SHEET_SHEET_H
#define RUNG_SHEET_SHEET_H

#include "input/table/table.h"

typedef enum {
    SHEET_NONE,
    SHEET_SAV,
    SHEET_POR,
    SHEET_DTA,
    SHEET_SAS,
    SHEET_XPT,
    SHEET_XLSX,
    SHEET_UNSURE /* the bytes are too few to tell */
} sheet_kind;

enum { SHEET_HEAD = 96 }; /* of so many bytes every kind is recognised */
sheet_kind sheet_kind_of(const char *bytes, int64_t n);
/* "an SPSS file": what the program calls it. */
const char *sheet_called(sheet_kind kind);

typedef struct {       /* of a workbook */
    const char *which; /* the name or the number, from 1, of a sheet; NULL: the first */
    rung_header header;
} sheet_wish;

/* The table in the bytes of a file; path is for messages. */
rung_status sheet_read(rung_ctx *ctx, const char *path, sheet_kind kind, const char *bytes, int64_t n,
                       const sheet_wish *wish, rung_table **out);

#endif
