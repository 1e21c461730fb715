// SPDX-License-Identifier: BSD-3-Clause
/* A table: the columns of a file as they were read, numbers and text, before anything is coded. */
#ifndef RUNG_TABLE_TABLE_H
#define RUNG_TABLE_TABLE_H

#include <stdbool.h>

#include "base/context.h"
#include "input/table/named_values.h"

typedef enum { COLUMN_NUMBER, COLUMN_TEXT } column_kind;

typedef enum { NATIVE_UNKNOWN, NATIVE_NUMBER, NATIVE_DATE } column_native;

/* What a file of SPSS says that the numbers of a column are. */
typedef enum { LEVEL_UNKNOWN, LEVEL_NOMINAL, LEVEL_ORDINAL, LEVEL_SCALE } column_level;

typedef struct {
    const char *name; /* "" where the file has no header */
    column_kind kind; /* NUMBER: every cell that is not missing is a number */
    double *number;   /* NUMBER: one per row; NaN = missing or a cell `nan`, infinite where the cell is */
    int64_t marks;    /* NUMBER: cells that say in words that the value is missing ... */
    const char *mark; /* ... and the first of them */
    int64_t odd_row;  /* NUMBER: the first row whose cell is nan or infinite (a label may be nan), -1: none ... */
    const char *odd;  /* ... and its value */
    int32_t *text;    /* TEXT: one per row, index into values, -1 = missing */
    int32_t n_values; /* TEXT: distinct cells, in order of first appearance ... */
    const char **values;
    bool declared; /* ... or all that may occur, in the order the file declares */
    bool ordered;  /* TEXT: and that order is one of rank, lowest first */
    bool unnamed;  /* the header has an empty cell for it; its name is its place */
    /* of files of statistics programs: */
    const char *title;         /* a sentence that says what the column is; NULL: there is none */
    named_values values_named; /* numbers have names: the column holds the numbers or, as TEXT, their names */
    column_level level;
    column_native native;  /* what the file holds, however the column was read */
    bool declared_weights; /* the file says that it holds the weights of the rows */
} column;

struct rung_table {
    pool mem;
    const char *path; /* for messages; "-" is shown as standard input */
    bool has_names;
    bool sparse;                         /* sparse rows: an absent column is all zeros */
    bool gaps;                           /* other rows: an absent column is missing in all of them */
    char decimal;                        /* the decimal point of its numbers */
    bool semicolons;                     /* they part the cells */
    char given_decimal, given_delimiter; /* what the caller said of its file; 0: nothing */
    int64_t n_rows, n_columns;
    const bool *counts; /* of a sample, per column: whether it counts all the rows; NULL: the rows are all */
    column *columns;
    int64_t first_line;  /* line of the first data row */
    int64_t *later_line; /* NULL, or per row its line where blank lines or quoted line breaks make the two differ */
    int64_t n_parts;     /* files it was read from, if there were several: 0 otherwise ... */
    struct {
        const char *path;
        int64_t first; /* ... and the first row of each */
    } * part;
};

rung_status table_new(rung_ctx *ctx, const char *path, rung_table **out);
void table_free(rung_table *t);
/* From memory: columns are added one by one, all with a name or all without (from_memory.c; see rung_table_new). */
rung_status table_from_memory(rung_ctx *ctx, int64_t rows, rung_table **out);
rung_status table_add_numbers(rung_ctx *ctx, rung_table *t, const char *name, const double *v, int64_t step);
rung_status table_add_text(rung_ctx *ctx, rung_table *t, const char *name, const int32_t *code,
                           const char *const *values, int32_t n_values, bool ordered);
rung_status table_add_cells(rung_ctx *ctx, rung_table *t, const char *name, const char *const *cells);
/* The same column of another table with as many rows, under this name. */
rung_status table_add_column(rung_ctx *ctx, rung_table *t, const char *name, const rung_table *from, int64_t j);
/* What the last column is called, and the names of its numbers; see rung_table_set_labels. */
rung_status table_set_labels(rung_ctx *ctx, rung_table *t, const char *title, int32_t n, const double *code,
                             const char *const *names);
/* For messages: the file and the line of a row. */
const char *table_path(const rung_table *t, int64_t row);
int64_t table_line(const rung_table *t, int64_t row);

/* The name of a column in messages: its name in quotes, or its position from 1. Returns label. */
enum { COLUMN_LABEL = 96 };
const char *table_column_label(const rung_table *t, int64_t j, char label[COLUMN_LABEL]);

/* The column named text or, failing that, at the 1-based position text; an error lists similar names. */
rung_status table_find(rung_ctx *ctx, const rung_table *t, const char *text, const char *what, int64_t *out);
/* For the end of a message: "did you mean 'x'?", or the columns there are. */
void table_near(const rung_table *t, const char *text, char *hint, size_t size);

/* The text of a cell, a number as its shortest text and "" for a missing one: at most size bytes with the final 0.
 * Returns its whole length. */
int64_t table_cell(const rung_table *t, int64_t row, int64_t j, char *text, int64_t size);

/* Adds text to a list for a message; when there is no more room the list ends with "...". */
enum { TABLE_LIST = 320 };
void table_list(char list[TABLE_LIST], const char *separator, const char *text);

/* An empty cell, ?, NA (any case) = missing; nan too where it is a label. */
bool cell_missing(const char *text, size_t length);
/* A cell that says that there is no value: N/A, NULL, an error of a spreadsheet such as #DIV/0!; among numbers also -,
 * ., n.d. and words like unknown, which elsewhere may be names. Any case. */
bool cell_says_missing(const char *text, size_t length, bool among_numbers);
/* true or false, in any case: 1 or 0. */
bool cell_truth(const char *text, size_t length, double *out);

#endif
