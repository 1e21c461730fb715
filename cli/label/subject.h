// SPDX-License-Identifier: BSD-3-Clause
/* The rows that are graded: cells as they stand in the file, the classes, the labels the file has already, and the
 * columns that a model learns from. Nothing here changes once it is read. */
#ifndef RUNG_CLI_LABEL_SUBJECT_H
#define RUNG_CLI_LABEL_SUBJECT_H

#include "core/common.h"

typedef enum { SHOWN_CELL, SHOWN_TEXT, SHOWN_IMAGE } shown_as;

typedef struct {
    const char *path;
    char *folder;      /* of the file, without links */
    rung_table *cells; /* all as text */
    int64_t rows, columns;
    int64_t label;   /* the column of the labels; -1: the file has none */
    char *name;      /* of that column */
    shown_as *shown; /* one per column */
    int classes;     /* 0: not known yet */
    char **class_name;
    int *given;       /* the rank of each row in the file; 0: none */
    int *given_upper; /* ... and where its label is a range the upper end */
    rung_data *data;  /* what a model learns from; NULL: no column is left for it */
    char *no_data;    /* why not; NULL: there is */
} subject;

extern const option subject_options[]; /* with reader_options */

/* Reads the file; EXIT_OK or an exit code. The classes are those of --order, of the journal (the path where it is, or
 * will be), or of the labels in the file. */
int subject_read(session *s, const arguments *args, const char *journal, subject *out);
/* The classes of a journal, where the file and the options name none. Returns false if they are others. */
bool subject_classes(subject *u, int classes, char *const *names);
void subject_free(subject *u);

char *subject_cell(const subject *u, int64_t row, int64_t column); /* to be freed */
char *subject_column(const subject *u, int64_t column);            /* its name, or column3; to be freed */
/* A number that changes when a cell of the row does, the label excepted. */
uint64_t subject_check(const subject *u, int64_t row);

/* Labels as they stand in a cell: a class, or LOW..HIGH for a range; <=HIGH and >=LOW are read as well. */
char *subject_label(const subject *u, int low, int high); /* to be freed */
bool subject_ranks(const subject *u, const char *label, int *low, int *high);

#endif
