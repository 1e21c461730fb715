// SPDX-License-Identifier: BSD-3-Clause
/* What a workbook has beside the cells of its sheets: which sheets there are, shared texts, and which styles make a
 * date of a number. */
#ifndef RUNG_SHEET_XLSX_BOOK_H
#define RUNG_SHEET_XLSX_BOOK_H

#include "input/sheet/stat_dates.h"
#include "input/sheet/xlsx_part.h"
#include "input/table/dictionary.h"

typedef struct {
    const char *name, *relation, *part;
    bool hidden;
} xlsx_sheet;

typedef struct {
    stat_count counts; /* COUNT_DAYS, COUNT_TIME or COUNT_NUMBER */
    int digits;        /* of a number that is written with zeros in front, such as 00000; 0: it is none */
} xlsx_style;

typedef struct { /* in scratch memory */
    xlsx_archive *archive;
    int64_t n_sheets, sheet_room, n_texts, text_room, n_styles, style_room;
    xlsx_sheet *sheets;
    const char **texts;
    dictionary words; /* the texts, each once; those of the cells join them */
    xlsx_style *styles;
    bool since_1904;
} xlsx_book;

rung_status xlsx_book_read(rung_ctx *ctx, const char *path, xlsx_archive *archive, xlsx_book *out);
/* The sheet of this name or number; NULL: the first that is not hidden. */
rung_status xlsx_book_sheet(rung_ctx *ctx, const char *path, const xlsx_book *book, const char *which,
                            const xlsx_sheet **out);
/* What a format of numbers, such as yyyy-mm-dd, makes of them. */
xlsx_style xlsx_style_of(const char *format);

#endif
