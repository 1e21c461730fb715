// SPDX-License-Identifier: BSD-3-Clause
/* A table being filled row by row, whatever the format of the file. */
#ifndef RUNG_READ_FILLING_H
#define RUNG_READ_FILLING_H

#include "input/read/buffer.h"
#include "input/table/dictionary.h"
#include "input/table/table.h"

typedef struct {
    rung_ctx *ctx;
    const buffer *from; /* how far the file is read: to guess how many rows there will be */
    rung_table *t;
    int64_t most, capacity; /* rows wanted; rows the columns have room for */
    int64_t expected;       /* rows that will come; 0: not known */
    dictionary *words;      /* one per column */
    const int64_t *place;   /* where the columns of the file are in the table; NULL: as they stand */
    double beyond;          /* bytes of the files before this one and after it; to guess how many rows there will be */
    double before;          /* those before it */
    bool strict;            /* text in a column of numbers is an error ... */
    bool again;             /* ... or makes it a column of text, and the file must be read again */
    bool as_written;        /* texts that mean a missing value, NA and ?, are kept */
    bool coded;             /* a coding says what columns are: true and false in one of numbers are 1 and 0 */
} filling;

/* Columns as in shape, no rows. Scratch memory is the context's. */
rung_status filling_open(rung_ctx *ctx, const buffer *from, const rung_table *shape, int64_t most, bool strict,
                         rung_table *t, filling *out);
/* Room for the row at t->n_rows, which stands in this line. Then its cells; then t->n_rows is raised. In a table of
 * sparse rows the cells not put are 0. */
rung_status filling_row(filling *f, int64_t line);
/* The same for several rows at once, at most `most`, in as many lines from this one on; *n: for how many. */
rung_status filling_rows(filling *f, int64_t line, int64_t most, int64_t *n);
rung_status filling_cell(filling *f, int64_t j, const char *text, int64_t length);
/* The same for a number, NaN being a missing cell. */
rung_status filling_number(filling *f, int64_t j, double x);
void filling_close(filling *f);

/* An error of a cell, with its position. */
rung_status filling_error(rung_ctx *ctx, rung_status status, const char *path, const rung_table *t, int64_t line,
                          int64_t j);

#endif
