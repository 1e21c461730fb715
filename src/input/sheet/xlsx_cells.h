// SPDX-License-Identifier: BSD-3-Clause
/* The cells of a sheet, in the order of rows and columns. */
#ifndef RUNG_SHEET_XLSX_CELLS_H
#define RUNG_SHEET_XLSX_CELLS_H

#include "input/sheet/xlsx_book.h"

typedef struct {
    int32_t row, column; /* from 1 */
    const char *text;    /* NULL: a number */
    double number;
} xlsx_cell;

typedef struct { /* in scratch memory; empty cells and errors such as #N/A are not there */
    int64_t n, room;
    xlsx_cell *cell;
    int32_t merged_row, merged_from, merged_to; /* the first row in which cells of several columns are one; 0: none */
} xlsx_cells;

rung_status xlsx_cells_read(rung_ctx *ctx, const char *path, xlsx_book *book, const char *part, xlsx_cells *out);
/* AB12 is row 12 of column 28. False: it is no such name. */
bool xlsx_cell_place(const char *name, int32_t *row, int32_t *place);

#endif
