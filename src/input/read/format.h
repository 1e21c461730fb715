// SPDX-License-Identifier: BSD-3-Clause
/* What a file format does, and what a file being read consists of. A format finds the columns when the file is opened;
 * then it gives row after row. */
#ifndef RUNG_READ_FORMAT_H
#define RUNG_READ_FORMAT_H

#include "data/dataset.h"
#include "input/read/filling.h"

typedef struct {
    const char *name;
    bool (*named)(const char *file); /* a file so called (without folder and .gz) has this format */
    bool (*looks)(const char *text,
                  int64_t length);       /* so has one that begins like this; NULL: not recognised by content */
    bool whole;                          /* the file is no text and read as a whole when it is opened: nothing of it
                                            is in the buffer, and there are no passes over it */
    rung_status (*open)(rung_reader *r); /* the text begins: makes r->shape */
    rung_status (*row)(rung_reader *r, filling *to, bool *got); /* adds a row or more, if there are any left */
    rung_status (*again)(rung_reader *r); /* the text begins again: goes to the first row. NULL: it never does */
    void (*close)(rung_reader *r);        /* frees what is not the reader's; NULL: there is nothing */
} format;

struct rung_reader {
    pool mem;
    const format *kind;
    rung_read_options options; /* without its texts */
    buffer in;
    rung_table *shape;       /* no rows: the columns of every table it gives */
    const coding *code;      /* while it is opened: the kinds of columns needed; NULL: as they appear */
    bool coded;              /* there was one */
    bool remembered_decimal; /* the decimal point is the coding's, not the caller's */
    bool strict;             /* text in a column of numbers is an error */
    bool empty;              /* there is not a byte to read, and that is allowed */
    int64_t expected;        /* rows there are; 0: not known */
    int64_t given;           /* rows so far */
    void *own;               /* what the format keeps */
};

extern const format format_csv, format_libsvm, format_arff, format_orca, format_spss, format_stata, format_sas,
    format_xlsx;

/* Columns for the shape, unnamed and of numbers. */
rung_status reader_columns(rung_reader *r, int64_t n);
/* Once they have their names: makes them what r->code needs, if there is one. */
rung_status reader_pin(rung_reader *r);
/* Opens a file. With a coding the columns are as it needs them, and text in a column of numbers is an error; without
 * one they are as they appear. */
typedef enum { READ_WHOLE, READ_LIVE } read_way; /* LIVE: once, row by row as they arrive */
rung_status reader_begin(rung_ctx *ctx, const char *path, const rung_read_options *options, const coding *code,
                         read_way way, rung_reader **out);
/* Where the columns of a file (`shape`) are in a table t, whose columns are those of the file `first`; in scratch
 * memory. RUNG_EDATA where they are not the same. A file of sparse rows may lack some, which are 0. */
rung_status columns_match(rung_ctx *ctx, const rung_table *t, const char *first, const rung_table *shape,
                          int64_t **out);
/* The file from its beginning once more. */
rung_status reader_rewind(rung_reader *r);

/* Whether the name of a file says its format: .csv, .arff.gz, train_NAME.3. */
bool format_named(const char *path);
bool name_ends(const char *file, const char *ending); /* ignoring case */

#endif
