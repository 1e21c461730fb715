// SPDX-License-Identifier: BSD-3-Clause
/* What pass one finds. Its arrays are scratch memory but for the texts. */
#ifndef RUNG_ROWS_SURVEY_H
#define RUNG_ROWS_SURVEY_H

#include "input/table/dictionary.h"
#include "rows/rows.h"

typedef struct { /* of a column of numbers: what its cells say besides numbers; the first of them for messages */
    int64_t odd_file, odd_line; /* of a cell nan or infinite; odd_file -1: there is none */
    int64_t marks;              /* cells that say in words that the value is missing */
    char odd[40], mark[40];
} cell_notes;

typedef struct {
    pool mem; /* of the texts */
    const row_source *s;
    const rung_encode_options *options;
    rung_read_options how;
    int passes;
    rung_table *shape;        /* no rows: names and kinds of the columns ... */
    const char *first;        /* ... which are those of this file ... */
    const char *kind_of_file; /* ... in this format */
    int64_t label;            /* the column of the labels; -1: there is none */
    int64_t label_column;     /* the same in the file being read */
    int64_t words; /* of a record: key, file, row, line, then a number per column: a cell or the index of its text */
    int64_t room;  /* rows of the sample, at most */
    int64_t records_room, n;
    uint64_t *record;       /* n: the sample; once all is put together in the order of the files */
    uint64_t limit;         /* the largest key that belongs to the sample so far */
    int n_extra;            /* distinct labels: */
    uint64_t *extra;        /* the first row of each */
    int64_t label_rows[64]; /* and how many there are */
    bool many_labels;       /* there are too many to note them all */
    dictionary *texts;      /* per column, in order of first appearance */
    bool *turned;           /* per column: text in a column of numbers */
    bool *counts;           /* per column: it goes up by one from row to row within every file */
    double *previous;
    cell_notes *notes; /* per column */
    int64_t *file_rows;
} survey;

/* s: its files and its seed. */
rung_status survey_run(rung_ctx *ctx, survey *v);
void survey_close(survey *v);
/* Some records as a table; its texts are the survey's. */
rung_status survey_table_of(rung_ctx *ctx, const survey *v, int64_t n, const uint64_t *const *record, rung_table *t);
double survey_label(const survey *v, const uint64_t *record);

#endif
