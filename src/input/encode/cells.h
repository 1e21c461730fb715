// SPDX-License-Identifier: BSD-3-Clause
/* What a cell means in a column that is coded in a certain way: a number, a category, or nothing. Whatever brings the
 * cell (a file read at once or in passes, a database, a table from memory), it is decided here and nowhere else. */
#ifndef RUNG_DATA_CELLS_H
#define RUNG_DATA_CELLS_H

#include "data/dataset.h"

typedef enum { CELL_VALUE, CELL_ABSENT, CELL_OTHER } cell_meaning; /* OTHER: it cannot be read */

/* The number that a text stands for in a column that is not nominal; decimal: the decimal point of plain numbers.
 * true and false are 1 and 0. */
typedef struct category_index category_index;
cell_meaning cell_number(const column_code *code, const category_index *words, const char *text, char decimal,
                         double *out);

/* The name of a category from the text of a cell that holds one: 6 for 6.0 and 06.0e0, "" for N/A. Codes such as 007
 * stay as they stand. numbers: the other cells of the column are numbers, so more words say that a cell is missing.
 * The result is text itself, or number, which has room for 32 bytes. */
const char *category_name(const char *text, char decimal, bool numbers, char *number);

/* The categories of a column (or its ordered words), to find the one that a cell names: by its text, else by its value,
 * so that 6, 6.0 and 6,0 are one, and true, TRUE and 1 beside 0. In scratch memory. */
rung_status category_index_new(rung_ctx *ctx, const column_code *code, category_index **out);
/* Their number in the column, -1: there is no such category. A missing cell is the category "". */
int64_t category_of_text(const category_index *c, const char *text, char decimal);
int64_t category_of_number(const category_index *c, double x);

#endif
