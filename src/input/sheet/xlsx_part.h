// SPDX-License-Identifier: BSD-3-Clause
/* The parts of a workbook: XML files in a zip archive. What no workbook has is refused: parts that unpack to far more
 * than they take, document types and with them entities, and elements in elements without end. */
#ifndef RUNG_SHEET_XLSX_PART_H
#define RUNG_SHEET_XLSX_PART_H

#include "base/context.h"

typedef struct xlsx_archive xlsx_archive;

/* The bytes must stay. */
rung_status xlsx_archive_open(rung_ctx *ctx, const char *path, const char *bytes, int64_t n, xlsx_archive **out);
void xlsx_archive_close(xlsx_archive *a);
bool xlsx_archive_has(const xlsx_archive *a, const char *part);

/* What to do with an element: its name without a prefix, and its attributes. The text before is in text. */
typedef struct {
    rung_ctx *ctx;
    const char *path; /* of the file, for messages */
    char *text;       /* since it was last emptied (length = 0), with a final 0 */
    int64_t length, room;
    bool keep;               /* collect text */
    const char **attributes; /* of the element that starts: names and values in turn, then NULL */
} xlsx_place;
typedef rung_status xlsx_element(void *user, xlsx_place *at, const char *name);
typedef struct {
    xlsx_element *start, *end; /* end may be NULL */
    void *user;
} xlsx_handler;

/* RUNG_EDATA: there is no such part, or it is damaged. */
rung_status xlsx_part_parse(rung_ctx *ctx, xlsx_archive *a, const char *part, const xlsx_handler *handler);
/* The value of an attribute, without a prefix; NULL: it is not there. */
const char *xlsx_attribute(const xlsx_place *at, const char *name);

#endif
